// The properties of a characteristic: which operations it supports.

/// The property bits of a characteristic, with the names that BlueZ gives them.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part G §3.3.1.1 and §3.3.3.1; BlueZ `src/gatt-client.c`.
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The value may be in advertising data.
  public static let broadcast = CharacteristicProperties(rawValue: 0x001)
  /// The value can be read.
  public static let read = CharacteristicProperties(rawValue: 0x002)
  /// The value can be written without response (Write Command).
  public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x004)
  /// The value can be written with response (Write Request).
  public static let write = CharacteristicProperties(rawValue: 0x008)
  /// The server sends notifications.
  public static let notify = CharacteristicProperties(rawValue: 0x010)
  /// The server sends indications, each of which is confirmed.
  public static let indicate = CharacteristicProperties(rawValue: 0x020)
  /// The value can be written with a signature.
  public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x040)
  /// A descriptor has further properties.
  public static let extendedProperties = CharacteristicProperties(rawValue: 0x080)
  /// The value can be written with prepared writes.
  public static let reliableWrite = CharacteristicProperties(rawValue: 0x100)
  /// The description can be written.
  public static let writableAuxiliaries = CharacteristicProperties(rawValue: 0x200)

  private static let names: [(CharacteristicProperties, String)] = [
    (.broadcast, "broadcast"), (.read, "read"),
    (.writeWithoutResponse, "write-without-response"), (.write, "write"), (.notify, "notify"),
    (.indicate, "indicate"), (.authenticatedSignedWrites, "authenticated-signed-writes"),
    (.extendedProperties, "extended-properties"), (.reliableWrite, "reliable-write"),
    (.writableAuxiliaries, "writable-auxiliaries"),
  ]

  /// The flags that BlueZ defines.
  public static var knownFlags: [String] { names.map(\.1) }

  /// The properties for BlueZ's flags; unknown flags are left out.
  ///
  /// ```swift
  /// let properties = CharacteristicProperties(flags: ["read", "notify"])
  /// print(properties.contains(.notify))  // true
  /// ```
  ///
  /// - Source: BlueZ 5.66, `doc/gatt-api.txt` (Flags).
  public init(flags: [String]) {
    self = Self.names.reduce(into: []) { result, entry in
      if flags.contains(entry.1) { result.insert(entry.0) }
    }
  }

  /// BlueZ's flags, in BlueZ's order.
  ///
  /// ```swift
  /// for service in try await connection.services() {
  ///   for one in service.characteristics { print(one.uuid, one.properties.flags) }
  /// }
  /// ```
  public var flags: [String] { Self.names.filter { contains($0.0) }.map(\.1) }
}
