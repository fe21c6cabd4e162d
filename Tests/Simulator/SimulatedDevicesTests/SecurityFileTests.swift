// Pairing and protected attributes in device files.

import Bluetooth
import Documents
import SimulatedDevices
import Testing

@Suite("Security in device files")
struct SecurityFileTests {
  @Test("a device has a pairing method, just works by default")
  func pairing() throws {
    #expect(try DeviceText.device("name: a").pairing == PairingDefinition(.justWorks))
    let entry = try DeviceText.device("security: { pairing: passkey-entry, passkey: 042137 }")
    #expect(entry.pairing == PairingDefinition(.passkeyEntry, passkey: 42137))
    let confirm = try DeviceText.device("security: { pairing: confirm }")
    #expect(confirm.pairing == PairingDefinition(.confirm))
  }

  @Test("an attribute has a security level, shared by reads and writes or separate")
  func attributes() throws {
    let device = try DeviceText.device(
      """
      services:
      - service: battery
        characteristics:
        - characteristic: battery-level
          properties: [read, write]
          security: { write: authenticated }
          descriptors:
          - descriptor: characteristic-user-description
            value: { utf8: a }
            security: encrypted
      """
    )
    let characteristic = try #require(device.services.first?.characteristics.first)
    #expect(characteristic.security == AttributeSecurity(read: .none, write: .authenticated))
    let descriptor = try #require(characteristic.descriptors.first)
    #expect(descriptor.security == AttributeSecurity(read: .encrypted, write: .encrypted))
  }

  @Test("errors are reported with the likely intended word")
  func wrong() {
    #expect(
      DeviceText.complaints("security: { pairing: passkey-entri, passkey: 12 }") == [
        "device.yaml:2:22: security.pairing: expected one of just-works, confirm, "
          + "passkey-entry, passkey-display, reject, found 'passkey-entri' (did you mean "
          + "'passkey-entry'?)"
      ]
    )
    #expect(
      DeviceText.complaints("security: { pairing: passkey-entry }") == [
        "device.yaml:2:11: security: the device's passkey is missing (expected up to six digits)"
      ]
    )
    #expect(
      DeviceText.complaints("security: { pairing: passkey-entry, passkey: 1234567 }") == [
        "device.yaml:2:46: security.passkey: invalid passkey: '1234567' (expected up to six digits)"
      ]
    )
    #expect(
      DeviceText.complaints("security: { pairing: just-works, passkey: 1 }") == [
        "device.yaml:2:43: security.passkey: pairing by 'just-works' has no passkey"
      ]
    )
  }

  // MARK: Security Requests

  private static let values = DeviceText.keys([
    "characteristic: fff1, properties: [read, write]", "characteristic: fff2, properties: [notify]",
  ])

  private func request(_ text: String) throws -> SecurityRequest? {
    let security = "security: { pairing: just-works, request: \(text) }\n"
    return try DeviceText.device(security + Self.values).pairing.request
  }

  @Test("a device may ask to pair after an event, in one word or with more keys")
  func requests() throws {
    #expect(try DeviceText.device("security: { pairing: just-works }").pairing.request == nil)
    for moment in SecurityRequest.Moment.allCases {
      #expect(try request(moment.rawValue) == SecurityRequest(moment))
    }
    #expect(
      try request("{ after: written, characteristic: fff1, delay: 2s, disconnect: 5s }")
        == SecurityRequest(
          .written,
          characteristic: CharacteristicSelector(characteristic: BluetoothUUID(short: 0xfff1)),
          after: .seconds(2), disconnectingAfter: .seconds(5)
        )
    )
  }

  @Test(
    "a request with another event, or a characteristic that has no such event, is an error in its place",
    arguments: [
      (
        "conected",
        "43: security.request: expected one of connected, read, written, subscribed, found "
          + "'conected' (did you mean 'connected'?)"
      ),
      ("{ delay: 2s }", "security.request: the key 'after' is missing"),
      (
        "{ after: writen, characteristic: fff1 }",
        "security.request.after: expected one of connected, read, written, subscribed"
      ),
      (
        "{ after: connected, characteristic: fff1 }",
        "79: security.request.characteristic: 'connected' does not take a characteristic"
      ),
      (
        "{ after: written, characteristic: fff2 }",
        "77: security.request.characteristic: 'fff2' cannot be written"
      ),
      (
        "{ after: subscribed, characteristic: fff1 }",
        "80: security.request.characteristic: 'fff1' cannot notify"
      ),
      (
        "{ after: read, characteristic: fff7 }",
        "74: security.request.characteristic: the device has no characteristic 'fff7'"
      ),
    ]
  )
  func wrongRequests(text: String, problem: String) {
    let security = "security: { pairing: just-works, request: \(text) }\n"
    let found = DeviceText.complaints(security + Self.values)
    #expect(found.count == 1 && found.first?.contains(problem) == true, "\(found)")
  }
}
