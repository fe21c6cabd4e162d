// Assertions about values, the RSSI of a connection, and the services of a device.

import Bluetooth

/// What must hold, or must not.
protocol Assertion: Hashable, Sendable {
  /// The description, else the name.
  var title: String { get }
  var expected: ExpectedResult { get }
}

/// A value must equal another.
package struct ValueAssertion: Assertion {
  let title: String
  let value: [UInt8]
  /// Whether the file has it as text, and messages show it as text.
  let isText: Bool
  let expected: ExpectedResult

  /// Whether two values are equal; an empty value equals zeros.
  package static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a == b || (a.allSatisfy { $0 == 0 } && b.allSatisfy { $0 == 0 } && (a.isEmpty || b.isEmpty))
  }

  /// What is wrong with a value; nil when the assertion holds.
  func complaint(about found: [UInt8]) -> String? {
    Self.isSame(found, value) ? nil : "the value is \(shown(found)), not \(shown(value))"
  }

  private func shown(_ octets: [UInt8]) -> String {
    if isText, let text = String(validating: octets, as: UTF8.self) { return "'\(text)'" }
    return octets.isEmpty ? "empty" : DecodedValue.octets(octets).description
  }
}

/// An RSSI must have a value, or be below or above one.
struct StrengthAssertion: Assertion {
  /// The relation to the bound.
  enum Side: Hashable, Sendable {
    case equal, below, above
  }

  let title: String
  /// In dBm.
  let bound: Int
  let side: Side
  let expected: ExpectedResult

  /// What is wrong with an RSSI in dBm; nil when the assertion holds.
  func complaint(about rssi: Int) -> String? {
    switch side {
    case .equal: rssi == bound ? nil : "the RSSI is \(rssi) dBm, not \(bound) dBm"
    case .below: rssi < bound ? nil : "the RSSI is \(rssi) dBm, not below \(bound) dBm"
    case .above: rssi > bound ? nil : "the RSSI is \(rssi) dBm, not above \(bound) dBm"
    }
  }
}

/// A service must exist. Its expected result is that of the operation.
struct ServiceAssertion: Hashable, Sendable {
  let uuid: BluetoothUUID
  let instance: Int
  let characteristics: [CharacteristicAssertion]
  /// The name by which it is printed.
  let name: String
}

/// A characteristic must exist, with properties, descriptors and a last known value.
struct CharacteristicAssertion: Assertion {
  let title: String
  let expected: ExpectedResult
  let path: AttributePath
  let properties: [PropertyAssertion]
  let descriptors: [DescriptorAssertion]
  let values: [ValueAssertion]
}

/// A property that a characteristic must have or must not have.
struct PropertyAssertion: Hashable, Sendable {
  /// The requirements.
  enum Requirement: String, Hashable, Sendable, CaseIterable {
    case mandatory = "MANDATORY"
    case optional = "OPTIONAL"
    case excluded = "EXCLUDED"
  }

  /// The name in the suite: `WRITE_WITHOUT_RESPONSE`.
  let name: String
  let property: CharacteristicProperties
  let requirement: Requirement

  /// The properties with their names in suites.
  static let names: [(name: String, property: CharacteristicProperties)] = [
    ("BROADCAST", .broadcast), ("READ", .read), ("WRITE", .write),
    ("WRITE_WITHOUT_RESPONSE", .writeWithoutResponse), ("NOTIFY", .notify),
    ("INDICATE", .indicate), ("SIGNED_WRITE", .authenticatedSignedWrites),
    ("EXTENDED_PROPERTIES", .extendedProperties),
  ]

  /// What is wrong with the properties of a characteristic; nil when the assertion holds.
  func complaint(about found: CharacteristicProperties) -> String? {
    let isThere = found.contains(property)
    return switch requirement {
    case .mandatory: isThere ? nil : "it does not have the property \(name)"
    case .optional: nil
    case .excluded: isThere ? "it has the property \(name)" : nil
    }
  }
}

/// A descriptor must exist, with a last known value.
struct DescriptorAssertion: Assertion {
  let title: String
  let expected: ExpectedResult
  let path: AttributePath
  let values: [ValueAssertion]
}
