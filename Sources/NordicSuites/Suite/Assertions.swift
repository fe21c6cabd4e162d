// What a suite asserts of values, of the RSSI of a connection, and of what a device offers.

public import Bluetooth

/// A value that is to be a certain one.
public struct ValueAssertion: Hashable, Sendable {
  /// What people call it.
  public let title: String
  public let value: [UInt8]
  /// Whether it is written as text, and is shown so.
  public let isText: Bool
  public let expected: ExpectedResult

  public init(title: String, value: [UInt8], isText: Bool, expected: ExpectedResult) {
    self.title = title
    self.value = value
    self.isText = isText
    self.expected = expected
  }

  /// Whether a value is the one; no value is as good as zeros.
  public static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a == b || (a.allSatisfy { $0 == 0 } && b.allSatisfy { $0 == 0 } && (a.isEmpty || b.isEmpty))
  }

  /// What is wrong with a value; nil when it is the one.
  func complaint(about octets: [UInt8]) -> String? {
    guard !Self.isSame(octets, value) else { return nil }
    return "the value is \(shown(octets)), not \(shown(value))"
  }

  private func shown(_ octets: [UInt8]) -> String {
    if isText, let text = String(validating: octets, as: UTF8.self) { return "'\(text)'" }
    return octets.isEmpty ? "empty" : DecodedValue.octets(octets).description
  }
}

/// An RSSI that must lie somewhere.
public struct StrengthAssertion: Hashable, Sendable {
  /// On which side of the bound.
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

  /// What is wrong with an RSSI in dBm; nil when it is right.
  func complaint(about rssi: Int) -> String? {
    switch side {
    case .equal: rssi == bound ? nil : "the strength is \(rssi) dBm, not \(bound) dBm"
    case .below: rssi < bound ? nil : "the strength is \(rssi) dBm, not below \(bound) dBm"
    case .above: rssi > bound ? nil : "the strength is \(rssi) dBm, not above \(bound) dBm"
    }
  }
}

/// A service that is to be there.
public struct ServiceAssertion: Hashable, Sendable {
  public let uuid: BluetoothUUID
  public let instance: Int
  public let characteristics: [CharacteristicAssertion]

  public init(uuid: BluetoothUUID, instance: Int, characteristics: [CharacteristicAssertion]) {
    self.uuid = uuid
    self.instance = instance
    self.characteristics = characteristics
  }
}

/// A characteristic that is to be there, with properties, descriptors and a last known value.
public struct CharacteristicAssertion: Hashable, Sendable {
  public let title: String
  public let uuid: BluetoothUUID
  public let instance: Int
  public let properties: [PropertyAssertion]
  public let descriptors: [DescriptorAssertion]
  public let values: [ValueAssertion]
  public let expected: ExpectedResult
}

/// A property that a characteristic must have or must not have.
public struct PropertyAssertion: Hashable, Sendable {
  /// How it is wanted.
  public enum Requirement: String, Hashable, Sendable, CaseIterable {
    case mandatory = "MANDATORY"
    case optional = "OPTIONAL"
    case excluded = "EXCLUDED"
  }

  /// As the suite writes it: `WRITE_WITHOUT_RESPONSE`.
  public let name: String
  public let property: CharacteristicProperties
  public let requirement: Requirement

  /// The properties by the names that suites give them.
  static let names: [(name: String, property: CharacteristicProperties)] = [
    ("BROADCAST", .broadcast), ("READ", .read), ("WRITE", .write),
    ("WRITE_WITHOUT_RESPONSE", .writeWithoutResponse), ("NOTIFY", .notify),
    ("INDICATE", .indicate), ("SIGNED_WRITE", .authenticatedSignedWrites),
    ("EXTENDED_PROPERTIES", .extendedProperties),
  ]
}

/// A descriptor that is to be there, with a last known value.
public struct DescriptorAssertion: Hashable, Sendable {
  public let title: String
  public let uuid: BluetoothUUID
  public let instance: Int
  public let values: [ValueAssertion]
  public let expected: ExpectedResult
}
