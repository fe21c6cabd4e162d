// Assertions about values, the RSSI of a connection, and the services of a device.

public import Bluetooth

/// A value must equal another.
public struct ValueAssertion: Hashable, Sendable {
  /// The description, else the name.
  public let title: String
  public let value: [UInt8]
  /// Whether the file has it as text, and messages show it as text.
  public let isText: Bool
  public let expected: ExpectedResult

  public init(title: String, value: [UInt8], isText: Bool, expected: ExpectedResult) {
    self.title = title
    self.value = value
    self.isText = isText
    self.expected = expected
  }

  /// Whether two values are equal; an empty value equals zeros.
  public static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a == b || (a.allSatisfy { $0 == 0 } && b.allSatisfy { $0 == 0 } && (a.isEmpty || b.isEmpty))
  }

  /// What is wrong with a value; nil when the assertion holds.
  func complaint(about found: [UInt8]) -> String? {
    guard !Self.isSame(found, value) else { return nil }
    return "the value is \(shown(found)), not \(shown(value))"
  }

  private func shown(_ octets: [UInt8]) -> String {
    if isText, let text = String(validating: octets, as: UTF8.self) { return "'\(text)'" }
    return octets.isEmpty ? "empty" : DecodedValue.octets(octets).description
  }
}

/// An RSSI must have a value, or be below or above one.
public struct StrengthAssertion: Hashable, Sendable {
  /// The relation to the bound.
  public enum Side: Hashable, Sendable {
    case equal, below, above
  }

  public let title: String
  /// In dBm.
  public let bound: Int
  public let side: Side
  public let expected: ExpectedResult

  public init(title: String, bound: Int, side: Side, expected: ExpectedResult) {
    self.title = title
    self.bound = bound
    self.side = side
    self.expected = expected
  }

  /// What is wrong with an RSSI in dBm; nil when the assertion holds.
  func complaint(about rssi: Int) -> String? {
    switch side {
    case .equal: rssi == bound ? nil : "the RSSI is \(rssi) dBm, not \(bound) dBm"
    case .below: rssi < bound ? nil : "the RSSI is \(rssi) dBm, not below \(bound) dBm"
    case .above: rssi > bound ? nil : "the RSSI is \(rssi) dBm, not above \(bound) dBm"
    }
  }
}

/// A service must exist.
public struct ServiceAssertion: Hashable, Sendable {
  public let uuid: BluetoothUUID
  public let instance: Int
  public let characteristics: [CharacteristicAssertion]
  /// The names by which attributes are printed.
  public let names: AttributeNames

  public init(
    uuid: BluetoothUUID,
    instance: Int,
    characteristics: [CharacteristicAssertion],
    names: AttributeNames = .assigned
  ) {
    self.names = names
    self.uuid = uuid
    self.instance = instance
    self.characteristics = characteristics
  }
}

/// A characteristic must exist, with properties, descriptors and a last known value.
public struct CharacteristicAssertion: Hashable, Sendable {
  public let title: String
  public let uuid: BluetoothUUID
  public let instance: Int
  public let properties: [PropertyAssertion]
  public let descriptors: [DescriptorAssertion]
  public let values: [ValueAssertion]
  public let expected: ExpectedResult
  /// The names by which it is printed.
  public let names: AttributeNames
}

/// A property that a characteristic must have or must not have.
public struct PropertyAssertion: Hashable, Sendable {
  /// The requirements.
  public enum Requirement: String, Hashable, Sendable, CaseIterable {
    case mandatory = "MANDATORY"
    case optional = "OPTIONAL"
    case excluded = "EXCLUDED"
  }

  /// The name in the suite: `WRITE_WITHOUT_RESPONSE`.
  public let name: String
  public let property: CharacteristicProperties
  public let requirement: Requirement

  /// The properties with their names in suites.
  static let names: [(name: String, property: CharacteristicProperties)] = [
    ("BROADCAST", .broadcast), ("READ", .read), ("WRITE", .write),
    ("WRITE_WITHOUT_RESPONSE", .writeWithoutResponse), ("NOTIFY", .notify),
    ("INDICATE", .indicate), ("SIGNED_WRITE", .authenticatedSignedWrites),
    ("EXTENDED_PROPERTIES", .extendedProperties),
  ]
}

/// A descriptor must exist, with a last known value.
public struct DescriptorAssertion: Hashable, Sendable {
  public let title: String
  public let uuid: BluetoothUUID
  public let instance: Int
  public let values: [ValueAssertion]
  public let expected: ExpectedResult
  /// The names by which it is printed.
  public let names: AttributeNames
}
