// `blerun scan` on simulated devices, as a user sees it: lines on standard output, and exit statuses.

import Fixtures
import Testing

@Suite("blerun scan", .blocking)
struct ScanTests {
  let devices = [
    "--simulate", "Simulators/devices/heart-rate.yaml",
    "--simulate", "Simulators/devices/thermometer.yaml",
  ]

  private func scan(_ arguments: String...) throws -> RunningProgram.Ended {
    try blerun(["scan"] + devices + arguments)
  }

  @Test("filters omit devices that do not match, and finding none is not a failure")
  func filters() throws {
    let byName = try scan("--name", "Thermo*")
    #expect(byName.lines.count == 1)
    #expect(byName.output.contains("Thermo"))
    #expect(try scan("--service", "heart-rate").lines.count == 1)
    #expect(try scan("--rssi", "20").lines.isEmpty)
    #expect(try scan("--rssi", "-120").lines.count == 2)
    let nobody = try scan("--name", "Nobody", "--manufacturer", "0xfffe", "--service-data", "feaa")
    #expect(nobody.status == 0)
    #expect(nobody.output.isEmpty)
  }

  @Test("scan --follow prints a timed line for each change, and a simulated scan repeats exactly")
  func follows() throws {
    let run = try scan("--follow", "--for", "3s", "--output", "json")
    #expect(run.lines.count > 4)
    #expect(run.lines.allSatisfy { $0.hasPrefix(#"{"v":1,"event":"device","offset":"#) })
    #expect(try scan("--follow", "--for", "3s", "--output", "json").output == run.output)
  }

  @Test("passive scanning is refused with the reason if bluetoothd has no monitors")
  func passive() throws {
    let run = try scan("--passive")
    #expect(run.status == 1)
    #expect(run.errors.contains("does not scan passively"))
  }

  @Test("a scan names the company behind manufacturer data")
  func companies() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file(
      "beacon.yaml",
      """
      name: Beacon
      address: C0:FF:EE:00:00:09
      advertisement: { manufacturer-data: { 0x0059: "01 02", 0xffff: "03" } }
      """
    )
    let text = try blerun("scan", "--simulate", file)
    #expect(text.output.contains("0x0059:0102 (Nordic Semiconductor ASA)"), "\(text.output)")
    let json = try blerun("scan", "--simulate", file, "--output", "json")
    for data in [
      #"{"company":89,"companyName":"Nordic Semiconductor ASA","hex":"0102"}"#,
      #"{"company":65535,"companyName":null,"hex":"03"}"#,
    ] { #expect(json.output.contains(data), "\(json.output)") }
  }
}
