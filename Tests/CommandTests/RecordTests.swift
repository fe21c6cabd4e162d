// `blerun record`: what it writes is the device.

import Fixtures
import Foundation
import Testing

@Suite("blerun record", .blocking)
struct RecordTests {
  private let uart = "Simulators/devices/uart.yaml"

  /// A command and a value that is refused, for echo.yaml: what a control point does.
  private static let control = """
    steps:
      - exchange: 6e5d0003-1b1a-4e1c-8f6b-0b6c1d2e3f40
        value: [{ u8: 2 }, { u8: 7 }]
        answer: 6e5d0004-1b1a-4e1c-8f6b-0b6c1d2e3f40
        where: { hex: "0207" }
      - write: 6e5d0003-1b1a-4e1c-8f6b-0b6c1d2e3f40
        value: { u8: 9 }
        expect: { error: refused }
      - read: 6e5d0004-1b1a-4e1c-8f6b-0b6c1d2e3f40
    """

  /// The values and errors of a chain, in their order, without times.
  private func values(_ device: String, in folder: TemporaryFolder) throws -> [String] {
    let run = try blerun(
      "run",
      "chain.yaml",
      "--simulate",
      device,
      "--output",
      "json",
      in: folder.path
    )
    let values = run.lines.compactMap { line -> String? in
      let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      guard let event, ["value", "step-finished"].contains(event["event"] as? String) else {
        return nil
      }
      let error = event["error"] as? [String: Any]
      return "\(event["step"] ?? "") \(event["hex"] ?? "-") \(error?["code"] ?? "-")"
    }
    #expect(values.count > 1, "\(run.output)\(run.errors)")
    return values
  }

  @Test(
    "a chain gives the same values and errors on a device and on its recording",
    arguments: [
      ("echo", control), ("heart-rate", "steps: [read: body-sensor-location, read: battery-level]"),
      ("battery", "steps: [read-descriptor: battery-level/2904, mtu]"),
      (
        "thermometer",
        "steps: [read: temperature-type, { write: alert-level, value: { u8: 1 } }, read: alert-level]"
      ),
    ]
  )
  func repeats(_ name: String, _ chain: String) throws {
    let folder = try TemporaryFolder()
    try Data(chain.utf8).write(to: URL(fileURLWithPath: folder.path + "/chain.yaml"))
    let device = "\(packageFolder)/Simulators/devices/\(name).yaml"
    let run = try blerun(
      "record",
      "--simulate",
      device,
      "--while",
      "chain.yaml",
      "-o",
      "recorded.yaml",
      in: folder.path
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(try values("recorded.yaml", in: folder) == values(device, in: folder))
  }

  @Test("with a passkey, what is protected is recorded with its value and its protection")
  func protected() throws {
    let run = try blerun(
      "record",
      "--simulate",
      "Simulators/devices/lock.yaml",
      "--pair",
      "--passkey-env",
      "LOCK",
      environment: ["LOCK": "042137"]
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.contains("value: { hex: \"01\" }\n        security: encrypted"),
      "\(run.output)"
    )
    #expect(!run.output.contains("042137"))
  }

  @Test("a file that exists is not replaced, and nothing is touched")
  func exists() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/mine.yaml"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
    let run = try blerun("record", "--simulate", uart, "-o", file)
    #expect(run.status == 2)
    #expect(run.errors == "blerun: \(file) exists already: name another file, or remove it\n")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
  }

  @Test("a device that accepts no connections is recorded without one")
  func beacon() throws {
    let run = try blerun("record", "--simulate", "Simulators/devices/beacon.yaml", "--no-connect")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("changes: this is the first of"))
    #expect(run.output.contains("# Not learned: its services: it was not connected."))
  }

  @Test("Ctrl-C keeps what was recorded, and ends with the status of the signal")
  func interrupted() throws {
    let folder = try TemporaryFolder()
    let run = try RunningProgram(
      blerun: [
        "record", "--simulate", "\(packageFolder)/Simulators/devices/heart-rate.yaml",
        "--real-time",
        "--scan", "100ms", "--for", "1h", "-o", "recorded.yaml", "--verbose",
      ],
      in: folder.path
    )
    try run.waitForErrors("StartNotify")
    run.send(SIGINT)
    let ended = run.end()
    #expect(ended.status == 130, "\(ended.errors)")
    let text = try String(contentsOfFile: folder.path + "/recorded.yaml", encoding: .utf8)
    #expect(text.contains("characteristic: body-sensor-location"), "\(text)")
    #expect(text.contains("the recording was interrupted"))
    let check = try blerun("check", folder.path + "/recorded.yaml")
    #expect(check.status == 0, "\(check.errors)")
  }

  @Test("a file that is neither a trace nor a cache is refused with what would be one")
  func other() throws {
    let run = try blerun("record", "--from", "README.md")
    #expect(run.status == 65)
    #expect(run.errors.hasPrefix("blerun: README.md: it is neither a btsnoop trace nor"))
  }
}
