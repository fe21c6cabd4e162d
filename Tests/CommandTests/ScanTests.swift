// `blerun scan` on simulated devices, as a user sees it.

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

  @Test("filters leave out what does not fit, and nothing found is no failure")
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

  @Test("followed, each change is a line with its time, and a simulated scan repeats")
  func follows() throws {
    let run = try scan("--follow", "--for", "3s", "--output", "json")
    #expect(run.lines.count > 4)
    #expect(run.lines.allSatisfy { $0.hasPrefix(#"{"v":1,"event":"device","offset":"#) })
    #expect(try scan("--follow", "--for", "3s", "--output", "json").output == run.output)
  }

  @Test("listening only is refused with a reason where bluetoothd has no monitors")
  func passive() throws {
    let run = try scan("--passive")
    #expect(run.status == 1)
    #expect(run.errors.contains("does not scan passively"))
  }
}
