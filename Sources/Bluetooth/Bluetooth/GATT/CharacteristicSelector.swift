// A characteristic as a user names it.

/// A characteristic by name or UUID, with its service and instance where needed, or by handle.
///
/// `heart-rate-measurement`, `2a37`, `heart-rate/heart-rate-measurement#1`, `@0x0012`, `@0012`
/// (four digits are hexadecimal, as in bluetoothd's object paths), `@18`.
public struct CharacteristicSelector: Hashable, Sendable, CustomStringConvertible {
  /// The service that contains it; nil for any.
  public let service: BluetoothUUID?
  /// The UUID of the characteristic; meaningless if ``handle`` is given.
  public let characteristic: BluetoothUUID
  /// The UUID, ``characteristic``; nil if a handle is given.
  package var uuid: BluetoothUUID? { handle == nil ? characteristic : nil }
  /// The index among several matches, in order of handle, from 0.
  public let instance: Int?
  /// The handle of the value, or of the declaration one below it.
  public let handle: UInt16?
  /// The names by which it and other attributes of the device are printed.
  public let names: AttributeNames
  /// The selector as written. Built once: every operation names its characteristic.
  public let description: String

  /// A characteristic by its UUID, in any service unless one is given.
  ///
  /// ```swift
  /// let second = CharacteristicSelector(
  ///   characteristic: BluetoothUUID(short: 0x2a19), instance: 1)
  /// ```
  public init(
    service: BluetoothUUID? = nil, characteristic: BluetoothUUID, instance: Int? = nil,
    names: AttributeNames = .assigned
  ) {
    self.service = service
    self.characteristic = characteristic
    self.instance = instance
    self.names = names
    handle = nil
    description = Self.title(service, characteristic, instance, names)
  }

  /// The characteristic whose value has this handle.
  ///
  /// Handles differ from device to device, and may change with its firmware.
  ///
  /// ```swift
  /// let octets = try await connection.read(CharacteristicSelector(handle: 0x0012))
  /// ```
  public init(handle: UInt16, names: AttributeNames = .assigned) {
    self.names = names
    service = nil
    characteristic = BluetoothUUID(short: 0)
    instance = nil
    self.handle = handle
    description =
      "@0x\(hexadecimal(UInt8(handle >> 8)))\(hexadecimal(UInt8(truncatingIfNeeded: handle)))"
  }

  /// Parses a selector.
  ///
  /// A name, a UUID, `service/characteristic`, `…#1` for the second one, or a handle: `@0x0012`.
  ///
  /// ```swift
  /// let selector = try CharacteristicSelector(parsing: "180f/2a19#1")
  /// let octets = try await connection.read(selector)
  /// ```
  ///
  /// - Parameters:
  ///   - text: The selector.
  ///   - names: The names that it may use.
  /// - Throws: ``SelectorError`` with the invalid part, and the nearest known name.
  public init(parsing text: String, names: AttributeNames = .assigned) throws(SelectorError) {
    if text.hasPrefix("@") {
      self.init(handle: try Self.handle(text), names: names)
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
    let last = parts.last ?? ""
    if names.uuid(last, .descriptor).flatMap(AssignedNumbers.descriptors.identifier) != nil {
      throw SelectorError(
        text: text, problem: "'\(text)' is a descriptor",
        expected: "a characteristic; descriptors have read-descriptor, write-descriptor and "
          + "--descriptor"
      )
    }
    guard parts.count <= 2 else { throw SelectorError(text: text, problem: "more than one /") }
    let isInService = parts.count == 2
    self.init(
      service: isInService ? try names.uuid(parts[0], .service, of: text) : nil,
      characteristic: try names.uuid(last, .characteristic, of: text), instance: instance,
      names: names
    )
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
    _ service: BluetoothUUID?, _ characteristic: BluetoothUUID, _ instance: Int?,
    _ names: AttributeNames
  ) -> String {
    let prefix = service.map { names.title(of: $0, .service) + "/" } ?? ""
    return prefix + names.title(of: characteristic, .characteristic)
      + (instance.map { "#\($0)" } ?? "")
  }
}

extension CharacteristicSelector {
  /// The parts that are compared: names do not count.
  private struct Identity: Hashable {
    let service: BluetoothUUID?
    let characteristic: BluetoothUUID
    let instance: Int?
    let handle: UInt16?
  }

  private var identity: Identity {
    Identity(service: service, characteristic: characteristic, instance: instance, handle: handle)
  }

  public static func == (a: CharacteristicSelector, b: CharacteristicSelector) -> Bool {
    a.identity == b.identity
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension CharacteristicSelector: ExpressibleByStringLiteral {
  /// A selector that is written in the source: `device.read("battery-level")`.
  ///
  /// The text must be valid: an unknown name stops the program, with the nearest known name. Use
  /// ``init(parsing:names:)`` for a text from elsewhere.
  ///
  /// ```swift
  /// let octets = try await connection.read("battery-level")
  /// ```
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
  /// The error.
  public let problem: String
  /// A known name that is similar.
  public let nearest: String?
  /// The valid texts, where no known name is similar.
  public let expected: String?

  /// An error in the text of a selector.
  public init(text: String, problem: String, nearest: String? = nil, expected: String? = nil) {
    self.text = text
    self.problem = problem
    self.nearest = nearest
    self.expected = nearest == nil ? expected : nil
  }

  public var description: String {
    let aside = nearest.map { "did you mean '\($0)'?" } ?? expected.map { "expected \($0)" }
    return problem + (aside.map { " (\($0))" } ?? "")
  }
}
