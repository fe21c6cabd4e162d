// The status line, messages and colours on a terminal, as tmux captures them.

import Fixtures
import Foundation
import Testing

@Suite("The status line in a terminal", .blocking)
struct StatusLineTests {
  private static let aborted = "--simulate Simulators/scenarios/aborted-connects.yaml --real-time"
  private static let thermometer = "--simulate Simulators/devices/thermometer.yaml --real-time"

  @Test("the status line shows the step, the wait, the time and the limit, and then disappears")
  func running() throws {
    try Screen.play {
      let screen = try Screen("run -e 'sleep 4s; read battery-level' \(Self.thermometer)")
      let running = try screen.wait(forLast: /^step 1: sleeping, \d\.\d s of 4 s$/)
      #expect(running.contains("-  connect  ok"))
      let lines = try screen.end()
      #expect(
        lines.suffix(6).prefix(4) == [
          "-  connect  ok", "1  sleep 4s  ok", "2  read battery-level  87 %", "-  disconnect  ok",
        ]
      )
      #expect(lines.suffix(2).first?.hasPrefix("ok: 2 steps in ") == true)
      #expect(lines.last == "status 0")
      #expect(!lines.joined().contains(" s of "), "\(lines)")
    }
  }

  @Test("messages are printed above the status line, which stays intact when they wrap")
  func messages() throws {
    try Screen.play {
      let screen = try Screen("run -e 'sleep 3s' \(Self.aborted)", columns: 40)
      try screen.wait(forLast: /attempt [23] of 5, \d+\.\d s of 20 s$/)
      try screen.wait(forLast: /sleeping, \d\.\d s of 3 s$/)
      // Lines that the terminal wrapped are joined again.
      let text = try screen.end().joined()
      #expect(text.count { $0 == "\u{2026}" } == 0, "\(text)")
      for attempt in [2, 3] { #expect(text.contains("attempt \(attempt) of 5 follows"), "\(text)") }
      #expect(!text.contains("s of "), "\(text)")
      #expect(text.contains("1  sleep 3s  ok"))
    }
  }

  @Test("names with wide or control characters are shortened to the width")
  func wide() throws {
    try Screen.play {
      let screen = try Screen(
        #"run -d "$(printf '温度計\033[31m温度計温度計温度計温度計')" -e 'sleep 1s' "#
          + Self.thermometer,
        columns: 60
      )
      let shown = try screen.wait(forLast: /scanning, \d+\.\d s of 20 s$/)
      let line = try #require(shown.last)
      #expect(line.hasPrefix(#"connecting to 温度計\u{1b}[31m温…, scanning, "#), "\(line)")
      #expect(shown.count == 2, "nothing is wrapped: \(shown)")
      try screen.press("C-c")
      #expect(try screen.end().last == "status 130")
    }
  }

  @Test("on Ctrl-C a message replaces the status line, which returns for the clean-up")
  func interrupt() throws {
    try Screen.play {
      let screen = try Screen("run -e 'sleep 60s' \(Self.thermometer)")
      try screen.wait(forLast: /^step 1: sleeping, \d+\.\d s of 60 s$/)
      try screen.press("C-c")
      try screen.wait(forLast: /^disconnecting from Thermo-1, \d\.\d s of \d+ s$/)
      let lines = try screen.end()
      #expect(!lines.contains { $0.contains("^C") || $0.contains(" s of ") }, "\(lines)")
      #expect(lines.contains { $0.hasPrefix("blerun: SIGINT: ending the chain and disconnecting") })
      #expect(lines.contains("1  sleep 1m  cancelled"))
      #expect(lines.last == "status 130")
    }
  }

  @Test("watch and scan show what they wait for below their output")
  func others() throws {
    try Screen.play {
      let watch = try Screen("watch temperature-measurement --for 4s \(Self.aborted)")
      try watch.wait(forLast: /^connecting to Thermo-1, .*attempt [123] of 5, \d\.\d s of \d+ s$/)
      try watch.wait(
        forLast: /^watching temperature-measurement, (?:\d values?, )?\d\.\d s of 4 s$/
      )
      #expect(try !watch.end().contains { $0.contains(" s of 4 s") })
      let scan = try Screen("scan --for 5s \(Self.thermometer)")
      try scan.wait(forLast: /^scanning, \d\.\d s of 5 s$/)
      let lines = try scan.end()
      #expect(lines.contains { $0.contains("Thermo-1") } && lines.last == "status 0", "\(lines)")
    }
  }

  @Test("the status line shows that the bus is being opened")
  func opening() throws {
    let bus = try HostileBus(.hello)
    try Screen.play {
      let screen = try Screen(
        "run -d Nobody -e 'read battery-level'",
        environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
      )
      try screen.wait(forLast: /^opening the bus, [1-9]\.\d s of 30 s$/)
      try screen.press("C-c")
      let lines = try screen.end()
      #expect(!lines.contains { $0.contains("opening the bus") }, "\(lines)")
      #expect(lines.last == "status 130")
    }
  }

  @Test("a batch shows its progress and an estimate below its output")
  func batch() throws {
    let folder = try TemporaryFolder()
    let devices = (1...3).map { number in
      """
        - name: Tag-\(number)
          address: C0:FF:EE:00:02:0\(number)
          services:
            - service: battery
              characteristics:
                - { characteristic: battery-level, properties: [read], value: { u8: 80 } }

      """
    }
    let world = try folder.file(
      "world.yaml",
      "scenario: Three\ndevices:\n\(devices.joined())faults:\n"
        + "  - { fault: connect-aborted, nth: 1 }\n"
    )
    let batch = try folder.file(
      "batch.yaml",
      "devices: [ Tag-1, Tag-2, Tag-3 ]\nsteps: [ { sleep: 1s }, { read: battery-level } ]\n"
    )
    try Screen.play {
      let screen = try Screen("batch \(batch) --simulate \(world) --real-time")
      try screen.wait(forLast: /^\[-{24}\] 0\/3 devices$/)
      try screen.wait(forLast: /^\[#{16}-{8}\] 2\/3 devices, \d+s left$/)
      let lines = try screen.end()
      #expect(!lines.contains { $0.contains("/3 devices") }, "\(lines)")
      #expect(lines.contains { $0.hasPrefix("blerun: Tag-2: connecting: ") }, "\(lines)")
      #expect(lines.contains { $0.hasPrefix("3 devices: 3 ok") }, "\(lines)")
      #expect(lines.last == "status 0")
    }
  }

  @Test(
    "failures are coloured and also stated in words",
    arguments: [
      ("", "", true), ("", "NO_COLOR", false), ("--color always", "NO_COLOR", true),
    ]
  )
  func colors(option: String, variable: String, isColored: Bool) throws {
    let screen = try Screen(
      "run \(option) -e 'write battery-level u8:1' --simulate Simulators/devices/thermometer.yaml",
      environment: variable.isEmpty ? [:] : [variable: "1"]
    )
    let plain = try screen.end()
    let failed = "1  write battery-level u8:1  failed"
    #expect(plain.contains(failed), "\(plain)")
    let coloured = try screen.lines(withColors: true)
    let line = try #require(coloured.first { $0.contains("u8:1  failed") })
    #expect((line == failed) == !isColored, "\(line)")
    #expect(coloured.joined().contains("\u{1b}") == isColored, "\(coloured)")
  }

  @Test(
    "no status line with --quiet, TERM=dumb, virtual time or JSON on the terminal",
    arguments: [
      ("--quiet --real-time", ""), ("--real-time", "dumb"), ("", ""),
      ("--real-time --output json", ""),
    ]
  )
  func none(options: String, terminal: String) throws {
    let folder = try TemporaryFolder()
    let command =
      "\(binaryPath) run \(options) -e 'sleep 300ms' "
      + "--simulate Simulators/devices/thermometer.yaml"
    var environment = ["XDG_STATE_HOME": folder.path, "TERM": "xterm"]
    if !terminal.isEmpty { environment["TERM"] = terminal }
    let shown = try RunningProgram(
      ["script", "-qec", command, "/dev/null"], in: projectFolder,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      limit: .seconds(300)
    ).end()
    #expect(shown.status == 0)
    #expect(!shown.output.contains("\u{1b}[K"), "\(shown.output)")
  }
}
