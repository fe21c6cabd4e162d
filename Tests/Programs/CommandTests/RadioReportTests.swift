// `blerun doctor --radio`: the report of an adapter and a device, its figures, and what it must not have.

import Bluetooth
import Fixtures
import Foundation
import Testing

@testable import Program

@Suite("The report from the field", .blocking)
struct RadioReportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A device with something private in each place that may have it.
  private static let device = """
    name: Anna's Watch
    address: C0:FF:EE:0A:0B:0C
    advertisement:
      services: [heart-rate]
      manufacturer-data: { 0xffff: "c0 ff ee 0a 0b 0c" }
      service-data: { 5a110009-7e57-4c0d-9a00-c0ffee0a0b0c: "01" }
    services:
      - service: device-information
        characteristics:
          - { characteristic: serial-number-string, properties: [read], value: { utf8: "SN-4711-X" } }
          - { characteristic: system-id, properties: [read], value: { hex: "0c0b0a0000eeffc0" } }
      - service: heart-rate
        characteristics:
          - characteristic: heart-rate-measurement
            properties: [notify]
            counter: { format: u16, every: 500ms }
      - service: 5a110007-7e57-4c0d-9a00-c0ffee0a0b0c
        characteristics:
          - { characteristic: 5a110008-7e57-4c0d-9a00-c0ffee0a0b0c, properties: [read, notify], value: { u8: 1 } }

    """

  private func survey(_ text: String, _ arguments: String...) throws -> (
    run: RunningProgram.Ended, report: String
  ) {
    let (file, report) = (try folder.file("device.yaml", text), folder.path + "/report.txt")
    let run = try blerun(["doctor", "--radio", report, "--simulate", file] + arguments)
    return (run, (try? String(contentsOfFile: report, encoding: .utf8)) ?? "")
  }

  @Test("a report counts scan, connections, reads, values and ends")
  func figures() throws {
    let (run, report) = try survey(Self.device, "--connections", "3")
    #expect(run.status == 0, "\(run.errors)")
    let summary = run.lines
    #expect(summary.contains { $0.hasPrefix("scan") && $0.contains("1 devices") }, "\(summary)")
    #expect(summary.contains { $0.hasPrefix("connect     3 of 3, ") }, "\(summary)")
    #expect(summary.contains { $0.contains(#/^read +(\d+) of \1, /#) }, "\(summary)")
    #expect(summary.contains { $0.hasPrefix("subscribe   3 of 3, ") }, "\(summary)")
    #expect(summary.contains { $0.hasPrefix("disconnect  3 of 3, ") }, "\(summary)")
    #expect(
      summary.contains("MTU         517 3 times")
        && summary.contains("ends        requested 3 times"), "\(summary)")
    for line in summary { #expect(report.contains("  \(line)\n"), "\(line)") }
    let lines = report.split(separator: "\n").map(String.init)
    #expect(lines.first == "blerun radio report 1")
    #expect(lines.contains { $0.hasPrefix("  blerun      ") })
    #expect(lines.contains { $0.hasPrefix("  3  connect ") })
    #expect(
      lines.contains {
        $0.contains(" call ") && $0.hasSuffix("/org/bluez/hci0/dev_1 org.bluez.Device1.Connect()")
      })
    #expect(lines.contains { $0.contains("signal") && $0.contains("Connected: true") })
  }

  @Test("a report has no address, no name and no value, wherever the device shows them")
  func privacy() throws {
    let (run, report) = try survey(Self.device, "--connections", "2")
    #expect(run.status == 0, "\(run.errors)")
    let plain = report.lowercased().filter { $0.isLetter || $0.isNumber }
    for secret in ["c0ffee0a0b0c", "0c0b0aeeffc0", "anna", "watch", "sn4711x", "0a0b0c"] {
      #expect(!plain.contains(secret), "\(secret)")
    }
    #expect(report.contains("5a110007-…") && report.contains("180d"))
    // Nor are they on standard output.
    #expect(!run.output.contains("Anna") && !run.output.uppercased().contains("C0:FF:EE"))
  }

  @Test("failures are figures; a device that cannot be connected leaves a report, and status 75")
  func failures() throws {
    let dropping = try survey(
      Self.device + "faults: [{ on: read, nth: 2, do: lose-link }]\n", "--connections", "3"
    )
    #expect(dropping.run.status == 0, "\(dropping.run.errors)")
    #expect(dropping.run.output.contains("link-lost once"), "\(dropping.run.output)")
    #expect(dropping.run.output.contains("dropped ("), "\(dropping.run.output)")
    let none = try survey(
      Self.device + "faults: [{ on: connect, do: refuse-connection }]\n", "--connections", "2"
    )
    #expect(none.run.status == 75, "\(none.run.errors)")
    #expect(none.report.contains("connect     0 of 2, "), "\(none.report)")
  }

  @Test("without a bus there is no report, and the status is 69")
  func noBus() throws {
    let report = folder.path + "/none.txt"
    let run = try blerun(
      "doctor", "--radio", report, "-d", "HRM-1",
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]
    )
    #expect(run.status == 69, "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: report))
  }

  @Test(
    "options that do not go together are refused",
    arguments: [
      (["-d", "HRM-1"], "-d goes with --radio."),
      (["--connections", "3"], "--connections goes with --radio."),
      (["--radio", "r.txt", "--release"], "Give --release or --radio, not both."),
      (["--radio", "r.txt", "--connections", "0"], "--connections 0: expected 1 to 1000."),
    ]
  )
  func refused(arguments: [String], message: String) throws {
    let run = try blerun(["doctor"] + arguments)
    #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
  }
}
