// Runs read back from their JSON lines, as a resumed batch and a fleet read them.

import Bluetooth
import Documents
import Testing

@testable import Jobs

@Suite("Runs read back from their lines")
struct ReadBackTests {
  private let bench = RunBench()

  /// The events that the lines of the run have.
  private func readBack() throws -> [RunEvent] {
    var reader = EventLines()
    return try bench.json().compactMap { try reader.event(in: $0) }
  }

  @Test("the results of services, exchanges and polls are those of the run")
  func outcomes() throws {
    bench.device.offered = [0x180f, 0xff00].map { number in
      GATTService(
        uuid: BluetoothUUID(short: number), handle: 10, isPrimary: true, includes: [],
        characteristics: []
      )
    }
    bench.device.notify("battery-level", [(.seconds(1), [72])])
    try bench.run(
      file: """
        steps:
          - services
          - { exchange: alert-level, value: { u8: 1 }, answer: battery-level }
          - { poll: battery-level, every: 1s, until: { count: 2 } }
        """
    )
    #expect(bench.ending?.status == .ok, "\(bench.text())")
    let texts = [bench.events, try readBack()].map { events in
      RunCollector.runs(of: events)[0].steps.map { $0.outcome.map { TextReport.text($0) } }
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0].contains("2 services: battery, ff00"), "\(texts[0])")
  }
}
