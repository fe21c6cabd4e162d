// How a user names a characteristic.

/// A characteristic by name or UUID, with its service and instance where needed, or by handle.
///
/// `heart-rate-measurement`, `2a37`, `heart-rate/heart-rate-measurement#1`, `@0x0012`, `@0012`
/// (four digits are hexadecimal, as in bluetoothd's object paths), `@18`.
public struct CharacteristicSelector: Hashable, Sendable, CustomStringConvertible {
  /// The service that it is in; nil: any.
  public let service: BluetoothUUID?
  /// Meaningless when ``handle`` is given.
  public let characteristic: BluetoothUUID
  /// The index among several matches, in order of handle, from 0.
  public let instance: Int?
  /// The handle of the value, or of the declaration one below it.
  public let handle: UInt16?
  /// The selector as written. Built once: every operation names its characteristic.
  public let description: String

  /// A characteristic by its UUID, in any service unless one is given.
  public init(
    service: BluetoothUUID? = nil,
    characteristic: BluetoothUUID,
    instance: Int? = nil
  ) {
    self.service = service
    self.characteristic = characteristic
    self.instance = instance
    handle = nil
    description = Self.title(service, characteristic, instance)
  }

  /// The characteristic whose value has this handle.
  public init(handle: UInt16) {
    service = nil
    characteristic = BluetoothUUID(short: 0)
    instance = nil
    self.handle = handle
    description =
      "@0x\(hexadecimal(UInt8(handle >> 8)))\(hexadecimal(UInt8(truncatingIfNeeded: handle)))"
  }

  /// Parses a selector.
  ///
  /// - Throws: ``SelectorError`` with the invalid part, and the nearest known name.
  public init(parsing text: String) throws(SelectorError) {
    if text.hasPrefix("@") {
      self.init(handle: try Self.handle(text))
      return
    }
    var rest = text[...]
    var instance: Int?
    if let hash = rest.lastIndex(of: "#") {
      guard let number = Int(rest[rest.index(after: hash)...]), number >= 0 else {
        throw SelectorError(text: text, problem: "expected an instance number after #")
      }
      instance = number
      rest = rest[..<hash]
    }
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    case 1:
      self.init(characteristic: try Self.characteristic(parts[0], text), instance: instance)
    case 2:
      guard let service = AssignedNumbers.service(named: parts[0]) else {
        throw SelectorError(
          text: text,
          problem: "unknown service '\(parts[0])'",
          nearest: AssignedNumbers.nearestService(to: parts[0])
        )
      }
      self.init(
        service: service,
        characteristic: try Self.characteristic(parts[1], text),
        instance: instance
      )
    default:
      throw SelectorError(text: text, problem: "more than one /")
    }
  }

  private static func characteristic(
    _ name: String,
    _ text: String
  ) throws(SelectorError) -> BluetoothUUID {
    guard let uuid = AssignedNumbers.characteristic(named: name) else {
      throw SelectorError(
        text: text,
        problem: "unknown characteristic '\(name)'",
        nearest: AssignedNumbers.nearestCharacteristic(to: name)
      )
    }
    return uuid
  }

  private static func handle(_ text: String) throws(SelectorError) -> UInt16 {
    let digits = text.dropFirst()
    let number =
      if digits.hasPrefix("0x") {
        UInt16(digits.dropFirst(2), radix: 16)
      } else if digits.utf8.count == 4 {
        // As in bluetoothd's object paths.
        UInt16(digits, radix: 16)
      } else {
        UInt16(digits)
      }
    guard let number, number > 0 else {
      throw SelectorError(
        text: text,
        problem: "expected a handle: @0001 to @ffff, @0x1 to @0xffff, or a decimal number "
          + "that does not have four digits"
      )
    }
    return number
  }

  private static func title(
    _ service: BluetoothUUID?,
    _ characteristic: BluetoothUUID,
    _ instance: Int?
  ) -> String {
    let own = AssignedNumbers.characteristicIdentifier(characteristic) ?? "\(characteristic)"
    let prefix = service.map { (AssignedNumbers.serviceIdentifier($0) ?? "\($0)") + "/" } ?? ""
    return prefix + own + (instance.map { "#\($0)" } ?? "")
  }
}

extension CharacteristicSelector: ExpressibleByStringLiteral {
  /// A selector that is written in the source: `device.read("battery-level")`.
  ///
  /// The text must be valid: an unknown name stops the program, with the nearest known name. Use
  /// ``init(parsing:)`` for a text from elsewhere.
  public init(stringLiteral text: StaticString) {
    do {
      try self.init(parsing: "\(text)")
    } catch {
      fatalError("the characteristic \"\(text)\": \(error)")
    }
  }
}

/// A text that does not name a characteristic or descriptor.
public struct SelectorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text that is not a selector.
  public let text: String
  /// What is wrong with it.
  public let problem: String
  /// A known name that is similar.
  public let nearest: String?

  /// An error in the text of a selector.
  public init(text: String, problem: String, nearest: String? = nil) {
    self.text = text
    self.problem = problem
    self.nearest = nearest
  }

  public var description: String {
    "\(problem)" + (nearest.map { " (did you mean '\($0)'?)" } ?? "")
  }
}
