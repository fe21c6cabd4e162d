// Descriptions of values in device files.

import Bluetooth
import Documents
import SimulatedDevices
import Testing

@Suite("Described values in device files")
struct DescribedValueTests {
  private static let names = """
    names:
      log-record:
        uuid: 0000a001-1212-efde-1523-785feabcd123
        fields:
          - { sequence: u16 }
          - { mode: u8, names: { 0: off, 1: eco } }
          - { flags: u8, bits: { low: 0, tamper: 1 } }
          - { crc: u8, checksum: xor8 }

    """

  private func keys(_ value: String) -> String {
    Self.names
      + DeviceText.keys(["characteristic: log-record, properties: [read], value: \(value)"])
  }

  @Test("a value is written by its fields, and its checksum is computed")
  func value() throws {
    let device = try DeviceText.device(
      keys("{ fields: { sequence: 0x0102, mode: eco, flags.tamper: true } }")
    )
    #expect(
      device.services[0].characteristics[0].behaviour == .constant([2, 1, 1, 2, 0])
    )
  }

  @Test(
    "a wrong field is found at its place",
    arguments: [
      (
        "{ fields: { sequence: 1, mode: ecco } }",
        "fields.mode: unknown name 'ecco' (did you mean 'eco'?); names of mode: off, eco"
      ),
      ("{ fields: { sequence: 1 } }", "fields: mode: missing"),
      (
        "{ fields: { sequence: 1, mode: eco, flag: 1 } }",
        "fields.flag: unknown field of log-record (did you mean 'flags'?)"
      ),
    ]
  )
  func mistake(value: String, message: String) {
    let found = DeviceText.complaints(keys(value))
    #expect(found.count == 1 && found[0].hasSuffix(message), "\(found)")
  }

  @Test("fields of a characteristic that nothing describes are refused")
  func undescribed() {
    let found = DeviceText.complaints(
      ofCharacteristics: "characteristic: fff1, properties: [read], value: { fields: { a: 1 } }"
    )
    #expect(
      found.count == 1
        && found[0].contains("the values of this attribute have no described fields"),
      "\(found)"
    )
  }
}
