// The shipped scenarios, as a user runs them: what a chain prints in each, and its exit status.

import Fixtures
import Foundation
import Testing

@Suite("Scenarios", .blocking)
struct ScenarioTests {
  /// A chain in a scenario, how it ends, and what it says of it.
  struct Case: CustomTestStringConvertible, Sendable {
    let scenario: String
    let arguments: [String]
    let status: Int32
    let says: [String]

    var testDescription: String { "\(scenario): \(arguments.joined(separator: " "))" }

    init(_ scenario: String, _ arguments: [String], _ status: Int32, _ says: String...) {
      self.scenario = scenario
      self.arguments = arguments
      self.status = status
      self.says = says
    }

    init(_ scenario: String, _ steps: String, _ status: Int32, _ says: String...) {
      self.scenario = scenario
      arguments = ["-e", steps]
      self.status = status
      self.says = says
    }
  }

  static let heart = "heart-rate-measurement"
  static let level = "read battery-level"
  static let echo = "6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40"

  static let cases = [
    Case("aborted-connects", level, 0, "attempt 3 of 5 follows", "87 %"),
    Case("acquired", "notify \(heart) until 1x", 75, "acquired by another program"),
    Case("acquired", "sleep 35s; notify \(heart) until 1x", 0, "1 value"),
    Case(
      "acquired-writes",
      "write nordic-uart-rx utf8:help command",
      75,
      "acquired by another program"
    ),
    Case("acquired-writes", "sleep 35s; write nordic-uart-rx utf8:help command", 0),
    Case("adapter-off", "notify \(heart) until 5x", 69, "(2 values", "adapter is powered off"),
    Case("adapter-renumbered", "\(level); sleep 3s; disconnect; connect; \(level)", 0),
    Case(
      "adapter-renumbered",
      ["--adapter", "hci0", "-e", "\(level); sleep 100ms; \(level)"],
      69,
      "adapter-missing"
    ),
    Case(
      "adapter-renumbered",
      [
        "--adapter", "00:00:5E:00:53:42", "-e", "\(level); sleep 3s; disconnect; connect; \(level)",
      ],
      0
    ),
    Case("att-errors", "\(level); \(level)", 75, "insufficient resources"),
    Case(
      "bad-air",
      ["docs/examples/thermometer.yaml"],
      0,
      "attempt 2",
      "the link to the device was lost",
      "ok: 16 steps"
    ),
    Case(
      "bad-air",
      ["-d", "HRM-1", "-e", "notify \(heart) for 20s on-link-loss resume"],
      0,
      "(gap: the link was lost"
    ),
    Case("bus-closed", "\(level); sleep 1s; \(level)", 69, "bus-lost"),
    Case("two-adapters", "\(level); sleep 1s; \(level)", 69, "adapter-missing"),
    Case("two-adapters", ["--adapter", "dongle", "-e", "\(level); sleep 1s; \(level)"], 0),
    Case(
      "two-adapters",
      ["--adapter", "dongle", "-e", "sleep 61s; \(level)"],
      69,
      "adapter is powered off"
    ),
    Case("warehouse", ["-d", "Shelf-11", "-e", level], 0, "attempt 2 of", "87 %"),
    Case("walks-away", "notify \(heart) until 40x", 75, "link to the device was lost"),
    Case("walks-away", "sleep 25s; connect; notify \(heart) until 2x", 0, "2 values"),
    Case("daemon-crash", "\(level); \(level); sleep 3s; \(level)", 69, "bluetoothd left the bus"),
    Case("daemon-restart", "\(level); sleep 3s; \(level)", 69, "bluetoothd left the bus"),
    Case(
      "doubled",
      "notify \(echo) after { write \(echo) u8:7 } until 2x format u8 expect value = 7",
      0,
      "2 values"
    ),
    Case(
      "drop-in-turn",
      ["-d", "Belt-3", "-e", "notify \(heart) for 30s on-link-loss resume"],
      0,
      "(gap: the link was lost, no values for 2.180 s)",
      "22 values"
    ),
    Case("early-value", "notify \(heart) until 1x", 0, "88 bpm"),
    Case("empty-services", level, 75, "has read no services"),
    Case("empty-services", "sleep 11s; disconnect; connect; \(level)", 0, "87 %"),
    Case("left-behind", level, 0, "was connected before and stays so"),
    Case("lost-packets", ["docs/examples/firmware-update.yaml"], 75, "failed at step 9"),
    Case("new-firmware", "\(level); sleep 5s; \(level)", 1, "invalid handle"),
    Case(
      "new-firmware",
      "\(level); sleep 5s; unpair; connect; \(level)",
      1,
      "has no battery-level"
    ),
    Case("other-programs", level, 0, "another program is connecting", "95 %"),
    Case("other-programs", ["--take-over", "-e", level], 0, "95 %"),
    Case("out-of-range", "notify \(heart) until 6x", 75, "(3 values", "the link to the device was"),
    Case(
      "out-of-range",
      "notify \(heart) for 14s on-link-loss resume",
      0,
      "no values for 5.180 s",
      "8 values"
    ),
    Case("refused", ["-d", "Thermo-1", "-e", level], 75, "protected"),
    Case("refused", ["-d", "Thermo-1", "-e", "write alert-level u8:1"], 1, "not-permitted"),
    Case("refused", ["-d", "Lock-1", "-e", "pair"], 1, "pairing-failed"),
    Case(
      "removed",
      "\(level); sleep 4s; \(level)",
      75,
      "bluetoothd removed the device while it was in use"
    ),
    Case("service-comes", level, 1, "the device has no battery-level"),
    Case("service-comes", "sleep 6s; \(level)", 0, "87 %"),
    Case("services-late", level, 0, "87 %"),
    Case("silence", level, 75, "in 11.380 s: link-lost"),
    Case("silence", "write alert-level u8:1 within 5s", 75, "no answer came within 5 s"),
    Case("silence", "sleep 20s; write alert-level u8:1", 75, "did not end the link within 8 s"),
  ]

  static let folder = "\(projectFolder)/Simulators/scenarios"

  @Test("each scenario ends a chain as documented", arguments: cases)
  func ends(_ example: Case) throws {
    let file = "Simulators/scenarios/\(example.scenario).yaml"
    let run = try blerun(["run", "--simulate", file] + example.arguments)
    #expect(run.status == example.status, "\(run.output) \(run.errors)")
    for text in example.says {
      #expect((run.output + run.errors).contains(text), "\(text): \(run.output) \(run.errors)")
    }
  }

  @Test("every shipped scenario is tested")
  func all() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted()
    let played = Set(Self.cases.map { $0.scenario + ".yaml" })
    #expect(files == played.sorted())
  }

  @Test("scenarios and devices can be combined, and the first seed found is used")
  func together() throws {
    let run = try blerun([
      "run", "--simulate", "Simulators/devices/echo.yaml", "--simulate",
      "Simulators/scenarios/att-errors.yaml", "-d", "Thermo-1", "-e", "read battery-level",
    ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("seed 3"))
  }

  @Test("the faults of a scenario reach any BlueZ client")
  func simulate() throws {
    let script =
      "sleep 1.5; dbus-send --system --print-reply "
      + "--dest=org.bluez /org/bluez/hci7 org.freedesktop.DBus.Properties.Get "
      + "string:org.bluez.Adapter1 string:Address"
    let folder = try TemporaryFolder()
    let scenario = try folder.file(
      "scenario.yaml",
      """
      scenario: Renumbered
      devices: [{ name: A, address: C0:FF:EE:00:00:01 }]
      faults: [{ fault: adapter-renumbered, at: 200ms, for: 200ms, number: 7 }]
      """
    )
    let run = try blerun("simulate", scenario, "--", "sh", "-c", script)
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(run.output.contains("00:00:5E:00:53:00"))
  }
}
