// `--choice` of the commands that find one device without a chain.

import Fixtures
import Testing

@Suite("The choice among devices of one name", .blocking)
struct ChoiceTests {
  /// Two devices of one name. The far one is received first, after 50 ms, the near one after 450 ms.
  private static let lamps = """
    scenario: Lamps
    devices:
      - name: Lamp
        address: C0:FF:EE:00:00:05
        advertisement: { rssi: -80, rssi-spread: 0, interval: 100ms }
        services:
          - service: battery
            characteristics:
              - { characteristic: battery-level, properties: [read, notify], value: { u8: 5 } }
      - name: Lamp
        address: C0:FF:EE:00:00:06
        advertisement: { rssi: -40, rssi-spread: 0, interval: 900ms }
        services:
          - service: battery
            characteristics:
              - { characteristic: battery-level, properties: [read, notify], value: { u8: 6 } }
    """

  @Test(
    "without time for the choice the first device is used, otherwise the strongest",
    arguments: [
      (["inspect"], "%"), (["watch", "battery-level", "--count", "1"], "%"),
      (["record", "--keep"], "address:"),
    ]
  )
  func choice(_ command: [String], printed: String) throws {
    let folder = try TemporaryFolder()
    let lamps = try folder.file("lamps.yaml", Self.lamps)
    let arguments = command + ["-d", "Lamp", "--simulate", lamps]
    let note = "2 devices match 'Lamp'; the strongest is used"
    // The longest choice takes half of the time that the step has.
    let choices = [
      ([], "6", "5"), (["--choice", "0s"], "5", "6"), (["--choice", "1h"], "6", "5"),
    ]
    for (choice, used, others) in choices {
      let ended = try blerun(arguments + choice)
      #expect(ended.status == 0, "\(ended.errors)")
      #expect(ended.errors.contains(note) == (used == "6"), "\(ended.errors)")
      let lines = ended.lines.filter { $0.contains(printed) }
      #expect(lines.contains { $0.contains("\(used) %") || $0.hasSuffix(":0\(used)") }, "\(lines)")
      #expect(!lines.contains { $0.contains("\(others) %") || $0.hasSuffix(":0\(others)") })
    }
  }
}
