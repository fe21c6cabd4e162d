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
}
