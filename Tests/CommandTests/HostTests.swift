// What the commands tell that bluetoothd does not: names of companies, and no traces.

import Fixtures
import Foundation
import Testing

@Suite("Beside bluetoothd", .blocking)
struct HostTests {
  let heartRate = "Simulators/devices/heart-rate.yaml"

  @Test("a trace of simulated devices is refused, with what to use instead")
  func simulatedTrace() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("trace-\(ProcessInfo.processInfo.globallyUniqueString)").path
    let run = try blerun("run", "--simulate", heartRate, "-e", "rssi", "--trace", file)
    #expect(run.status == 2)
    #expect(run.errors.contains("--trace records controllers"))
    #expect(run.errors.contains("--bus-log"))
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test("a scan names the company behind manufacturer data")
  func companies() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("company-\(ProcessInfo.processInfo.globallyUniqueString).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    try """
    name: Beacon
    address: C0:FF:EE:00:00:09
    advertisement: { manufacturer-data: { 0x0059: "01 02", 0xffff: "03" } }
    services: []
    """.write(to: file, atomically: true, encoding: .utf8)
    let text = try blerun("scan", "--simulate", file.path)
    #expect(text.status == 0, "\(text.errors)")
    #expect(
      text.lines.contains { $0.contains("0x0059:0102 (Nordic Semiconductor ASA)") },
      "\(text.output)"
    )
    let json = try blerun("scan", "--simulate", file.path, "--output", "json")
    #expect(
      json.output.contains(
        #"{"company":89,"companyName":"Nordic Semiconductor ASA","hex":"0102"}"#
      )
    )
    #expect(json.output.contains(#"{"company":65535,"companyName":null,"hex":"03"}"#))
  }
}
