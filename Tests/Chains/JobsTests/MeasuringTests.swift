// The step that measures the link: in files, on one line, and in a run.

import Bluetooth
import Documents
import Signals
import Testing

@testable import Jobs

@Suite("Measuring the link")
struct MeasuringTests {
  let bench = RunBench()

  init() {
    bench.device.answer("rssi", .value([UInt8(bitPattern: -50), 4]))
  }

  @Test(
    "a step prints the line that it was parsed from",
    arguments: ["rssi", "rssi as link expect rssi > -80 expect txPower in 0..10 within 3s"]
  )
  func roundTrip(line: String) throws {
    let plan = try Plan.parse(line: line)
    #expect(plan.steps.map(\.description) == [line])
  }

  @Test("a file may give the step as one word, or with expectations, a name and a limit")
  func file() throws {
    try bench.run(
      file: """
        steps:
          - rssi
          - rssi:
            as: link
            expect: { rssi: { above: -80 } }
            timeout: 2s
          - when: { link.rssi: { below: 0 } }
            steps: [{ log: "{link.rssi} dBm" }]
        """
    )
    #expect(bench.ending?.status == .ok)
    #expect(
      bench.story == [
        "run", "connect connect…", "connect connect ok", "1 rssi…", "1 -50 dBm, 4 dBm TX power",
        "1 rssi ok", "2 rssi…", "2 -50 dBm, 4 dBm TX power", "2 rssi ok", "3 when…", "3.1 log…",
        "3.1 log ok", "3 when ok", "disconnect disconnect…", "disconnect disconnect ok", "run ok",
      ]
    )
  }

  @Test(
    "connection parameters are reported in ms and connection events, and can be expected"
  )
  func timing() throws {
    let line = "connection-parameters as link expect interval in 7.5..50 expect latency = 0"
    #expect(try Plan.parse(line: line).steps.map(\.description) == [line])
    try bench.run(
      file: """
        steps:
          - connection-parameters
          - connection-parameters:
            as: link
            expect: { interval: { max: 50 }, supervisionTimeout: 420 }
          - log: "{link.interval} ms"
        """
    )
    #expect(bench.ending?.status == .ok)
    #expect(bench.text().contains("1  connection-parameters  30.00 ms, latency 0, 420 ms timeout"))
    let value = #""value":{"interval":30.0,"latency":0,"supervisionTimeout":420}"#
    #expect(bench.json().count { $0.contains(value) && !$0.contains("hex") } == 4)
    try bench.run("connection-parameters expect interval < 20")
    #expect(bench.ending?.failure?.code == .expectationNotMet)
  }

  @Test("an unexpected RSSI fails the step and is reported")
  func expectation() throws {
    try bench.run("rssi expect rssi > -40")
    #expect(bench.ending?.failure?.code == .expectationNotMet)
    #expect(
      bench.ending?.failure?.message
        == "measuring the RSSI: expected rssi > -40, got -50 dBm"
    )
    #expect(!bench.device.isConnected)
  }

  @Test("TX power is omitted if the controller does not report it")
  func withoutPower() throws {
    bench.device.answer("rssi", .value([UInt8(bitPattern: -61)]))
    try bench.run("rssi")
    #expect(bench.text().contains("1  rssi  -61 dBm"))
    #expect(bench.json().contains { $0.hasSuffix(#""operation":"rssi","value":{"rssi":-61}}"#) })
  }

  @Test("the JSON lines have RSSI and TX power and no bytes")
  func json() throws {
    try bench.run("rssi")
    let lines = bench.json().filter { $0.contains(#""step":"1""#) && $0.contains("value") }
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.contains(#""value":{"rssi":-50,"txPower":4}"#) })
    #expect(!lines.contains { $0.contains("hex") })
  }
}
