// A run as programs read it: exact lines, and the page that documents them.

import Bluetooth
import Documents
import Fixtures
import Glibc
import Signals
import Testing

@testable import Jobs

@Suite("The JSON lines report")
struct JSONLinesTests {
  let bench = RunBench()

  /// The run whose lines docs/json.md and docs/output.md show.
  func documentedRun() throws {
    bench.device.answer("read battery-level", .value([72], after: .microseconds(7_500)))
    bench.device.answer(
      "write alert-level",
      .failure(
        DeviceFailure(
          code: .notPermitted, class: .definite, operation: "writing alert-level",
          device: "'Thermo-1'",
          bluez: BlueZAnswer(name: "org.bluez.Error.NotPermitted", text: "Write not permitted"),
          meaning: "the device does not allow this write",
          hint: "look at the characteristic's properties: blerun inspect"
        ),
        after: .milliseconds(30)
      )
    )
    bench.device.notify("temperature-measurement", [(.seconds(2), [4, 0x6e, 1, 0, 0xff, 2])])
    var plan = try Plan.parse(
      line: """
        read battery-level; notify temperature-measurement until 1x as t
        log "{t.celsius} degrees"; write alert-level u8:1
        """
    )
    plan.name = "Read the thermometer"
    plan.device = .name("Thermo-1")
    bench.run(plan)
  }

  @Test("the lines in the documentation are those of a real run, complete and in order")
  func pages() throws {
    try documentedRun()
    let page = try text(of: "docs/json.md")
    let shown = page.split(separator: "\n").filter { $0.hasPrefix("{") }.map(String.init)
    #expect(shown == bench.json())
    let blocks = try self.text(of: "docs/output.md")
      .split(separator: "```\n", omittingEmptySubsequences: false)
    let text = blocks.first { $0.hasPrefix("-  connect") }
    #expect(text?.split(separator: "\n").map(String.init) == bench.text())
  }

  @Test(
    "the result of connecting lists the candidate devices and is parsed back"
  )
  func candidates() throws {
    let addresses: [UInt64] = [0xc0ff_ee00_0005, 0xc0ff_ee00_0006]
    bench.device.candidates = addresses.enumerated().map { index, number in
      DeviceCandidate(
        address: BluetoothAddress(number: number), name: index == 0 ? "Lamp" : nil,
        rssi: index == 0 ? -40 : nil
      )
    }
    try bench.run(file: "steps: [connect]")
    let line = try #require(bench.json().first { $0.contains(#""link":"made""#) })
    #expect(
      line.contains(
        #""candidates":[{"address":"C0:FF:EE:00:00:05","name":"Lamp","rssi":-40},"#
          + #"{"address":"C0:FF:EE:00:00:06","name":null,"rssi":null}]"#
      ),
      "\(line)"
    )
    #expect(try text(of: "docs/json.md").contains("`candidates`"))
    var reader = EventLines()
    guard case .step(.finished(let result))? = try reader.event(in: line)?.change else {
      Issue.record("no result of a step: \(line)")
      return
    }
    #expect(result.outcome == .linked(.made, candidates: bench.device.candidates))
  }

  @Test("further attempts are numbered; the first is not")
  func attempts() throws {
    bench.device.answer(
      "connect",
      .failure(DeviceFailure.scripted(.notFound, .passing)),
      .value([])
    )
    try bench.run(file: "retry: { attempts: 2, backoff: 1s }\nsteps: [{ sleep: 1s }]")
    let lines = bench.json()
    #expect(!lines[2].contains("attempt"))
    #expect(
      lines[3].hasPrefix(
        #"{"v":1,"event":"step-started","time":"2000-01-01T00:00:01.000000Z","offset":1.000000,"#
      )
    )
    #expect(
      lines[3].hasSuffix(
        #""device":"Thermo-1","attempt":2,"step":"connect","operation":"connect"}"#
      )
    )
  }

  @Test("a chain without a name and a failure without a BlueZ answer print null")
  func nulls() throws {
    try bench.run("read battery-level expect percent > 90")
    let lines = bench.json()
    #expect(lines[0].hasSuffix(#""seed":0,"chain":null,"steps":1}"#))
    let hint =
      #""hint":"check the device, or what the chain expects of it","#
      + #""place":{"file":"-e","line":1,"column":1},"#
      + #""expected":"percent > 90","got":"72 %","octets":"48"}}"#
    #expect(
      lines[5].hasSuffix(
        #""step":"1","operation":"read","attribute":"battery-level","status":"failed","#
          + #""value":{"percent":72},"hex":"48","error":{"code":"expectation-not-met","#
          + #""class":"definite","message":"reading battery-level: expected percent > 90, "#
          + #"got 72 % (bytes 48)","what":"reading battery-level","#
          + #""why":"expected percent > 90, got 72 % (bytes 48)","where":"-e:1:1","bluez":null,"#
          + hint
      )
    )
  }

  @Test(
    "the operation and the reason are parsed from their keys, or from an older message",
    arguments: [
      (#""message":"a: b: c","#, "a", "b: c"),
      (#""message":"a: b: c","what":"a: b","why":"c","#, "a: b", "c"),
      (#""message":"no parts","#, "running the chain", "no parts"),
    ]
  )
  func failures(members: String, what: String, why: String) throws {
    let json = #"{"code":"failed","class":"definite",\#(members)"bluez":null,"hint":"ask","#
    let place = #""place":{"file":"-e","line":1,"column":1}}"#
    let failure = try #require(RunFailure(json: try JSONValue(parsing: json + place)))
    #expect((failure.what, failure.why) == (what, why))
    #expect(failure.hint == "ask" && failure.source == Place(file: "-e", line: 1, column: 1))
    #expect(failure.json["where"] == .string("-e:1:1"))
    #expect(RunFailure(json: failure.json)?.json == failure.json)
  }

  @Test("two runs with the same seed are identical; a run with another seed differs")
  func repeats() throws {
    try documentedRun()
    let second = JSONLinesTests()
    try second.documentedRun()
    #expect(second.bench.json() == bench.json())
    let plan = try Plan.parse(line: "sleep 1s")
    #expect(RunIdentity(seed: 1, plan: plan) != RunIdentity(seed: 0, plan: plan))
    #expect(
      RunIdentity(seed: 1, plan: try Plan.parse(line: "sleep 2s"))
        != RunIdentity(seed: 1, plan: plan)
    )
    #expect(RunIdentity(seed: 7, plan: plan).description.count == 16)
  }

  @Test(
    "values are printed as native JSON types",
    arguments: [
      (DecodedValue.integer(-3), "-3"), (.real(36.6, decimals: 1), "36.6"),
      (.real(.nan, decimals: 1), "null"), (.real(.infinity, decimals: 1), "null"),
      (.boolean(true), "true"), (.octets([1, 255]), #""01ff""#),
      (.list([.integer(1), .text("x")]), #"[1,"x"]"#),
      (
        .fields([.init("bpm", .integer(72), unit: "bpm"), .init("contact", .boolean(false))]),
        #"{"bpm":72,"contact":false}"#
      ),
      (.text("a\"b\\c\n\t\r\u{1}\u{7f}\u{2028}é😀"), #""a\"b\\c\n\t\r\u0001\u007f\u2028é😀""#),
    ]
  )
  func values(value: DecodedValue, json: String) {
    #expect(JSONValue(value).text == json)
  }

  @Test(
    "times are printed as RFC 3339 in UTC",
    arguments: [
      (Duration.zero, "1970-01-01T00:00:00.000000Z"),
      (.seconds(946_684_800), "2000-01-01T00:00:00.000000Z"),
      (.seconds(951_782_399) + .microseconds(999_999), "2000-02-28T23:59:59.999999Z"),
      (.seconds(951_782_400), "2000-02-29T00:00:00.000000Z"),
      (.seconds(951_868_800), "2000-03-01T00:00:00.000000Z"),
      (.seconds(4_107_542_400), "2100-03-01T00:00:00.000000Z"),
      (.seconds(1_735_689_599), "2024-12-31T23:59:59.000000Z"),
      (.seconds(1_000_000_000) + .nanoseconds(1_999), "2001-09-09T01:46:40.000001Z"),
      (.microseconds(-1), "1969-12-31T23:59:59.999999Z"),
      (.seconds(-62_135_596_800), "0001-01-01T00:00:00.000000Z"),
    ]
  )
  func times(time: Duration, text: String) {
    #expect(Timestamp.text(time) == text)
  }

  /// A file of the project.
  private func text(of path: String) throws -> String {
    try TextFile.read(projectFolder + "/" + path, limit: 1 << 20)
  }
}
