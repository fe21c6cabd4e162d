// The keys with which devices encrypt what they advertise.

/// The key of a device: 16 bytes, which are used and never printed.
public struct BindKey: Hashable, Sendable {
  /// A device by its address or its name.
  public enum Device: Hashable, Sendable {
    case address(BluetoothAddress)
    /// The name that it advertises.
    case name(String)
  }

  /// The device that encrypts with it.
  public let device: Device
  private let secret: Secret

  /// The length, in bytes.
  static let octets = 16

  /// The key of a device.
  ///
  /// ```swift
  /// let key = try BindKey("231d39c1d7cc1ab1aee224cd096db932", of: .name("Attic"))
  /// ```
  ///
  /// - Parameter hex: 32 hexadecimal digits.
  /// - Throws: ``InvalidBindKey``, which does not contain the digits.
  public init(_ hex: String, of device: Device) throws(InvalidBindKey) {
    guard hex.utf8.allSatisfy({ $0.hexDigit != nil }) else { throw .notHexadecimal }
    guard hex.utf8.count != 2 * InvalidBindKey.legacyOctets else { throw .legacy }
    guard hex.utf8.count == 2 * Self.octets else { throw .length(digits: hex.utf8.count) }
    self.device = device
    secret = Secret(hex)
  }

  /// The key itself, for the cipher.
  var revealed: [UInt8] {
    let digits = secret.revealed.utf8.compactMap(\.hexDigit)
    return stride(from: 0, to: digits.count, by: 2).map { index in
      UInt8(digits[index] << 4 | digits[index + 1])
    }
  }
}

/// The reason why a text is not a key.
public enum InvalidBindKey: Error, Hashable, Sendable, CustomStringConvertible {
  /// Characters that are not hexadecimal digits.
  case notHexadecimal
  /// Too few or too many digits.
  case length(digits: Int)
  /// A key of MiBeacon 2 or 3.
  case legacy

  static let legacyOctets = 12

  public var description: String {
    switch self {
    case .notHexadecimal: "a key has only hexadecimal digits"
    case .length(let digits): "the key has \(digits) digits"
    case .legacy: "keys of 12 bytes are for MiBeacon 2 and 3, whose encryption is not supported"
    }
  }
}

/// The keys of devices, with the cipher that decrypts with them.
public struct BindKeys: Sendable {
  /// Decrypts data with a key; nil when the tag does not fit.
  public typealias Open = @Sendable (_ sealed: SealedData, _ key: [UInt8]) -> [UInt8]?

  /// No keys: encrypted data stays encrypted.
  public static let none = BindKeys([]) { _, _ in nil }

  private let keys: [BindKey.Device: BindKey]
  private let open: Open

  /// Keys for one cipher.
  ///
  /// - Parameters:
  ///   - keys: The keys. If a device has two, the first counts.
  ///   - open: AES-CCM, which the libraries of this package do not contain.
  public init(_ keys: [BindKey], open: @escaping Open) {
    self.keys = Dictionary(keys.map { ($0.device, $0) }) { first, _ in first }
    self.open = open
  }

  /// Decrypts a frame of a device; returns the reason if that is not possible.
  func read(_ frame: SealedFrame, of device: Advertisement) -> AdvertisedReading {
    guard let data = frame.data else { return .encrypted(frame.kind, .unsupported) }
    let owners: [BindKey.Device?] = [
      .address(device.address), device.name.map { .name($0) }, .address(frame.address),
    ]
    guard let key = owners.lazy.compactMap({ $0 }).compactMap({ keys[$0] }).first else {
      return .encrypted(frame.kind, .keyMissing)
    }
    guard let plain = open(data, key.revealed) else {
      return .encrypted(frame.kind, .keyDoesNotFit)
    }
    let format = AdvertisedFormat(service: frame.service, frame.head + plain)
    return format.map { .decoded($0) } ?? .encrypted(frame.kind, .malformed)
  }
}

extension BindKeys: CustomReflectable {
  /// The devices, without their keys.
  public var customMirror: Mirror {
    Mirror(self, children: ["devices": keys.keys.map { "\($0)" }.sorted()])
  }
}
