// The assertions of a suite: about values, the RSSI of a connection, and the services of a device.
//
// Pure values. OperationRun decides whether an unmet assertion is a failure or a warning.

import Bluetooth

/// A condition with an expected result: it must hold, or must not.
protocol Assertion: Hashable, Sendable {
  /// The description, or else the name.
  var title: String { get }
  var expected: ExpectedResult { get }
}

/// The assertion that a value equals another one.
package struct ValueAssertion: Assertion {
  let title: String
  let value: [UInt8]
  /// Whether the value is written as text in the file, and so in messages.
  let isText: Bool
  let expected: ExpectedResult

  /// Whether two values are equal. An empty value equals any number of zeros.
  package static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a == b || (a.allSatisfy { $0 == 0 } && b.allSatisfy { $0 == 0 } && (a.isEmpty || b.isEmpty))
  }

  /// Returns the difference of a value; nil if the assertion holds.
  func problem(with found: [UInt8]) -> String? {
    Self.isSame(found, value) ? nil : "the value is \(shown(found)), not \(shown(value))"
  }

  private func shown(_ octets: [UInt8]) -> String {
    if isText, let text = String(validating: octets, as: UTF8.self) { return "'\(text)'" }
    return octets.isEmpty ? "empty" : DecodedValue.octets(octets).description
  }
}

/// The assertion that an RSSI equals a value, or is below or above it.
struct StrengthAssertion: Assertion {
  /// The relation to the bound.
  enum Side: Hashable, Sendable {
    case equal, below, above
  }

  let title: String
  /// The bound, in dBm.
  let bound: Int
  let side: Side
  let expected: ExpectedResult

  /// Returns the difference of an RSSI in dBm; nil if the assertion holds.
  func problem(with rssi: Int) -> String? {
    switch side {
    case .equal: rssi == bound ? nil : "the RSSI is \(rssi) dBm, not \(bound) dBm"
    case .below: rssi < bound ? nil : "the RSSI is \(rssi) dBm, not below \(bound) dBm"
    case .above: rssi > bound ? nil : "the RSSI is \(rssi) dBm, not above \(bound) dBm"
    }
  }
}

/// The assertion that each direction of the connection has one of some PHYs.
struct PHYAssertion: Assertion {
  let title: String
  /// The PHYs on which the host may transmit; nil: any.
  let tx: [PHY]?
  /// The PHYs on which the device may transmit; nil: any.
  let rx: [PHY]?
  let expected: ExpectedResult

  /// The conditions: `tx LE_1M|LE_2M, rx LE_2M`.
  var conditions: String {
    [("tx", tx), ("rx", rx)].compactMap { name, phys in
      phys.map { "\(name) \($0.map(\.nameInSuites).joined(separator: "|"))" }
    }.joined(separator: ", ")
  }

  /// Returns the difference of the PHYs of a connection; nil if the assertion holds.
  func problem(with found: LinkPHY) -> String? {
    let holds =
      tx?.contains(found.transmit) ?? true && rx?.contains(found.receive) ?? true
    let (transmit, receive) = (found.transmit.nameInSuites, found.receive.nameInSuites)
    return holds ? nil : "the PHY is tx \(transmit), rx \(receive), not \(conditions)"
  }
}

/// The assertion that a service exists. Its expected result is that of the operation.
struct ServiceAssertion: Hashable, Sendable {
  let uuid: BluetoothUUID
  let instance: Int
  let characteristics: [CharacteristicAssertion]
  /// The printed name.
  let name: String
}

/// The assertion that a characteristic exists, with properties, descriptors and a last known value.
struct CharacteristicAssertion: Assertion {
  let title: String
  let expected: ExpectedResult
  let path: AttributePath
  let properties: [PropertyAssertion]
  let descriptors: [DescriptorAssertion]
  let values: [ValueAssertion]
}

/// The assertion that a characteristic has, or does not have, a property.
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

  /// Returns the difference of a characteristic's properties; nil if the assertion holds.
  func problem(with found: CharacteristicProperties) -> String? {
    let isThere = found.contains(property)
    return switch requirement {
    case .mandatory: isThere ? nil : "it does not have the property \(name)"
    case .optional: nil
    case .excluded: isThere ? "it has the property \(name)" : nil
    }
  }
}

/// The assertion that a descriptor exists, with a last known value.
struct DescriptorAssertion: Assertion {
  let title: String
  let expected: ExpectedResult
  let path: AttributePath
  let values: [ValueAssertion]
}
