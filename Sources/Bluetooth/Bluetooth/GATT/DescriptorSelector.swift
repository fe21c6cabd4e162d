// A descriptor as a user names it.

/// A descriptor by its characteristic and its own name or UUID, or by handle.
///
/// `battery-level/2901`, `heart-rate/heart-rate-measurement#1/characteristic-user-description`,
/// `report/2908#0` where a characteristic has several, `@0x0014`.
public struct DescriptorSelector: Hashable, Sendable, CustomStringConvertible {
  /// The characteristic; meaningless when ``handle`` is given.
  public let characteristic: CharacteristicSelector
  /// The UUID of the descriptor; meaningless if ``handle`` is given.
  public let descriptor: BluetoothUUID
  /// The UUID, ``descriptor``; nil if a handle is given.
  package var uuid: BluetoothUUID? { handle == nil ? descriptor : nil }
  /// The index among several with the same UUID, in order of handle, from 0.
  public let instance: Int?
  /// The handle of the descriptor.
  public let handle: UInt16?
  /// The selector as written.
  public let description: String

  /// A descriptor of a characteristic, by its UUID; it is printed by the names of that.
  public init(
    of characteristic: CharacteristicSelector, descriptor: BluetoothUUID, instance: Int? = nil
  ) {
    self.characteristic = characteristic
    self.descriptor = descriptor
    self.instance = instance
    handle = nil
    let name = characteristic.names.title(of: descriptor, .descriptor)
    description = "\(characteristic)/\(name)" + (instance.map { "#\($0)" } ?? "")
  }

  /// The descriptor with this handle.
  public init(handle: UInt16, names: AttributeNames = .assigned) {
    characteristic = CharacteristicSelector(handle: handle, names: names)
    descriptor = BluetoothUUID(short: 0)
    instance = nil
    self.handle = handle
    description = characteristic.description
  }

  /// Parses a selector.
  ///
  /// The characteristic and the descriptor, each by its name or UUID; or a handle: `@0x0014`.
  ///
  /// ```swift
  /// let format = try DescriptorSelector(parsing: "battery-level/2904")
  /// let octets = try await connection.readDescriptor(format)
  /// ```
  ///
  /// - Parameters:
  ///   - text: The selector.
  ///   - names: The names that it may use.
  /// - Throws: ``SelectorError`` with the invalid part, and the nearest known name.
  public init(parsing text: String, names: AttributeNames = .assigned) throws(SelectorError) {
    guard let slash = text.lastIndex(of: "/") else {
      guard text.hasPrefix("@") else {
        throw SelectorError(
          text: text, problem: "expected characteristic/descriptor, or @ and a handle"
        )
      }
      let handle = try CharacteristicSelector(parsing: text).handle
      self.init(handle: handle ?? 0, names: names)
      return
    }
    let characteristic = try CharacteristicSelector(parsing: String(text[..<slash]), names: names)
    let last = text[text.index(after: slash)...].split(
      separator: "#", maxSplits: 1, omittingEmptySubsequences: false
    )
    var instance: Int?
    if last.count > 1 {
      guard let number = Int(last[1]), number >= 0 else {
        throw SelectorError(text: text, problem: "expected an instance number after #")
      }
      instance = number
    }
    let descriptor = try names.uuid(String(last[0]), .descriptor, of: text)
    self.init(of: characteristic, descriptor: descriptor, instance: instance)
  }
}

extension DescriptorSelector {
  /// The parts that are compared: names do not count.
  private struct Identity: Hashable {
    let characteristic: CharacteristicSelector
    let descriptor: BluetoothUUID
    let instance: Int?
    let handle: UInt16?
  }

  private var identity: Identity {
    Identity(
      characteristic: characteristic, descriptor: descriptor, instance: instance, handle: handle
    )
  }

  public static func == (a: DescriptorSelector, b: DescriptorSelector) -> Bool {
    a.identity == b.identity
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension BluetoothUUID {
  /// The Client Characteristic Configuration descriptor, which a subscription writes.
  public static let clientCharacteristicConfiguration = BluetoothUUID(short: 0x2902)
}
