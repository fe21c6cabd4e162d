// `blerun read`, `write`, `watch`, and descriptors in `inspect`, on simulated devices:
// what standard output has and what standard error, and the exit status.

import Fixtures
import Testing

@Suite("Attribute commands", .blocking)
struct AttributeCommandTests {
  let echo = "Simulators/devices/echo.yaml"
  let value = "6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40"

  @Test("read prints the value and nothing else")
  func read() throws {
    let run = try blerun(["read", "battery-level", "--simulate", "Simulators/devices/battery.yaml"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == "100 %\n")
    let descriptor = try blerun("read", value + "/2901", "--descriptor", "--simulate", echo)
    #expect(descriptor.output == "Echo\n")
  }

  @Test("an exchange accepts an answer that arrives before or after the write response")
  func exchange() throws {
    let control = "6e5d0003-1b1a-4e1c-8f6b-0b6c1d2e3f40"
    let answers = "6e5d0004-1b1a-4e1c-8f6b-0b6c1d2e3f40"
    let run = try blerun([
      "run", "-e",
      "exchange \(value) utf8:hello format utf8; "
        + "exchange \(control) u8:2 u8:7 answer \(answers) where hex = 0207", "--simulate", echo,
      "--output", "json",
    ]
    )
    #expect(run.status == 0, "\(run.output)")
    let ends = run.lines.filter { $0.contains("step-finished") && $0.contains("exchange") }
    #expect(ends.count == 2)
    #expect(ends[0].contains(#""value":"hello","hex":"68656c6c6f","answered":"#))
    #expect(ends[1].contains(#""hex":"0207","answered":"#))
    let times = ends.map { line in
      line.split(separator: "\":").suffix(2).map { Double($0.prefix { !",}".contains($0) }) ?? -1 }
    }
    #expect(times[0][1] <= times[0][0], "\(ends[0])")
    #expect(times[1][1] > times[1][0], "\(ends[1])")
  }

  @Test("a refused read prints to standard error and exits with the status of its class")
  func refused() throws {
    let run = try blerun("read", "6e5d0003-1b1a-4e1c-8f6b-0b6c1d2e3f40", "--simulate", echo)
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("does not permit reading this attribute"))
  }

  @Test("write prints nothing on success and the reason on failure")
  func write() throws {
    let run = try blerun("write", value, "u8:1", "utf8:x", "--request", "--simulate", echo)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.isEmpty)
    let long = "hex:" + String(repeating: "00", count: 300)
    let refused = try blerun("write", value, long, "--command", "--simulate", echo)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("300 bytes, a command carries at most 244"))
    let acquired = try blerun("write", value, "u8:1", "--acquire", "--simulate", echo)
    #expect(acquired.status == 0, "\(acquired.errors)")
    let behind = try blerun("write", value, "u8:1", "--offset", "400", "--simulate", echo)
    #expect(behind.status == 1)
    #expect(behind.errors.contains("the offset lies beyond the end of the value"))
  }

  @Test("watch prints the current value at once, says what it watches, and ends after --for")
  func watchFor() throws {
    let run = try blerun([
      "watch", value, "--acquire", "--resume", "--for", "500ms", "--simulate", echo,
    ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines.count == 1 && run.lines.first?.contains(value) == true, "\(run.output)")
    #expect(run.errors.contains("watching \(value); Ctrl-C ends it"), "\(run.errors)")
  }

  @Test("inspect gives up early on a protected value and continues with the others")
  func inspectProtected() throws {
    let lock = "Simulators/devices/lock.yaml"
    let folder = try TemporaryFolder()
    let older = try folder.scenario(ofDevice: lock, bluez: "5.66")
    let run = try blerun("inspect", "--simulate", older)
    #expect(run.status == 0, "\(run.errors)")
    let told = "(no answer came within 5 s; it may want the device to be paired)"
    #expect(run.lines.count { $0.hasSuffix(told) } == 1)
    #expect(run.lines.contains { $0.contains("battery-level") && $0.hasSuffix("64 %") })
    // From 5.82 on the read is never answered, and the device reads nothing else meanwhile.
    let newer = try blerun("inspect", "--simulate", lock)
    #expect(newer.status == 0 && newer.lines.contains { $0.hasSuffix(told) }, "\(newer.output)")
    #expect(newer.lines.contains { $0.contains("battery-level") && $0.contains("(not read, ") })
    let quick = try blerun([
      "inspect", "--simulate", older, "--read-timeout", "1ms",
    ])
    #expect(quick.status == 0)
    #expect(quick.lines.count { $0.contains("(no answer came within 1 ms") } == 2)
    #expect(quick.lines.contains { $0.contains("battery-level") && $0.contains("(not read, ") })
    let json = try blerun([
      "inspect", "--simulate", older, "--read-timeout", "1ms", "--output", "json",
    ])
    #expect(json.lines.contains { $0.contains(#""error":{"code":"not-read""#) })
  }

  @Test(
    "inspect fails with the fault that ended the connection",
    arguments: ["bus-closed", "adapter-off, for: 1h", "daemon-crash, for: 1h", "link-lost"]
  )
  func inspectEnded(fault: String) throws {
    let folder = try TemporaryFolder()
    let scenario = try folder.file(
      "scenario.yaml",
      """
      scenario: Ends
      host: { bluez: "5.66" }
      devices:
        - name: Ends-1
          address: C0:FF:EE:00:00:21
          services:
            - service: battery
              characteristics:
                - { characteristic: battery-level, properties: [read], value: { u8: 1 } }
            - service: device-information
              characteristics:
                - { characteristic: model-number-string, properties: [read], value: { utf8: A } }
                - { characteristic: serial-number-string, properties: [read], value: { utf8: B } }
      faults: [ { fault: \(fault), after: read, nth: 1 } ]
      """
    )
    let run = try blerun("inspect", "--simulate", scenario)
    #expect([69, 75].contains(run.status), "\(run.output) \(run.errors)")
    #expect(run.lines.contains { $0.hasPrefix("battery  ") })
    #expect(!run.lines.contains { $0.contains("serial-number-string") })
  }

  @Test("inspect prints the same reason for an invalid value as read does")
  func inspectInvalid() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file(
      "device.yaml",
      """
      name: Odd-1
      address: C0:FF:EE:00:00:22
      services:
        - service: fff0
          characteristics:
            - { characteristic: battery-level, properties: [read], value: { hex: "" } }
            - { characteristic: heart-rate-measurement, properties: [read], value: { hex: "01" } }
            - { characteristic: manufacturer-name-string, properties: [read], value: { hex: c328 } }
            - { characteristic: csc-measurement, properties: [read], value: { hex: "00" } }
            - { characteristic: fff1, properties: [read], value: { hex: "" } }
            - { characteristic: fff2, properties: [read], value: { hex: "01" } }
      """
    )
    let values = [
      ("no bytes (percent, byte 0: expected 1 byte, found 0)", true),
      ("bytes 01 (bpm, byte 1: expected 2 bytes, found 0)", true),
      ("bytes c328 (text, byte 0: invalid UTF-8)", true), ("(no fields)", false),
      ("(empty)", false), ("01", false),
    ]
    let inspect = ["inspect", "--simulate", try folder.scenario(ofDevice: file, bluez: "5.66")]
    let lines = try blerun(inspect).lines.filter { $0.contains("  read  ") }
    #expect(lines.count == values.count)
    for (line, value) in zip(lines, values) { #expect(line.hasSuffix("  read  \(value.0)")) }
    let json = try blerun(inspect + ["--output", "json"]).lines.filter {
      $0.contains(#""event":"characteristic""#) && $0.contains(#""hex":"#)
    }
    #expect(json.map { $0.contains(#""problem":""#) } == values.map(\.1))
  }

  @Test("inspect prints descriptor values, and no values with --no-values")
  func inspect() throws {
    let run = try blerun("inspect", "--simulate", echo)
    #expect(run.lines.contains { $0.contains("User Description") && $0.hasSuffix("  Echo") })
    let bare = try blerun("inspect", "--simulate", echo, "--no-values")
    #expect(bare.lines.contains { $0.contains("User Description") && !$0.contains("Echo") })
  }
}
