// A scan as a step: read, written, run.

import Bluetooth
import Documents
import Jobs
import Signals
import Testing

@Suite("A scan in a chain")
struct ScanStepTests {
  private func run(
    _ line: String, _ found: [Advertisement]
  ) throws -> (ending: RunEnding?, calls: [String]) {
    let loop = VirtualTimeLoop()
    let scripted = ScriptedDevice(on: loop)
    scripted.found = found
    let plan = try Plan.parse(line: line)
    let runner = ChainRunner(
      plan: plan,
      service: scripted,
      identity: RunIdentity(seed: 0, plan: plan)
    )
    let outcome = runner.ending().map { Optional($0) }.firstOrDefault(nil, within: .seconds(60))
    return (outcome.value ?? nil, scripted.calls)
  }

  @Test("a chain with nothing but scans does not connect, and counts the devices found")
  func counts() throws {
    let found: [Advertisement] = [
      .of(1, "Thermo-1"), .of(2, "Thermo-2"), .of(1, "Thermo-1", rssi: -70),
    ]
    let run = try run("scan for 3s expect count = 2", found)
    #expect(run.ending?.status == .ok)
    #expect(run.calls == ["scan"])
  }

  @Test("a count that does not meet its expectation ends the chain")
  func unmet() throws {
    let run = try run("scan for 3s name Thermo-* expect count >= 2", [.of(1, "Thermo-1")])
    #expect(run.ending?.failure?.code == .expectationNotMet)
  }

  @Test("leading scans run before the implied connect")
  func order() throws {
    let run = try run("scan for 3s; read battery-level", [])
    #expect(
      run.calls.map { $0.split(separator: " ")[0] } == ["scan", "connect", "read", "disconnect"]
    )
  }

  @Test("the one-line form prints as it was parsed")
  func roundTrip() throws {
    let text =
      "scan for 5s name \"T *\" address C0:FF:EE:00:00:01 service battery rssi -70 "
      + "manufacturer 0x004c:0215 service-data google-eddystone:00 passive as near expect count >= 1"
    let plan = try Plan.parse(line: text)
    #expect(plan.steps.map(\.description) == [text])
  }

  @Test("a file and a line give the same step")
  func file() throws {
    let file = try Plan.parse(
      """
      keep: true
      fresh: true
      wait-for-adapter: 10s
      steps:
        - scan: 5s
          name: "T*"
          rssi: -70
          manufacturer: "0x004c:0215"
          expect: { count: { min: 1 } }
      """,
      file: "chain.yaml"
    )
    let line = try Plan.parse(
      line: "scan for 5s name T* rssi -70 manufacturer 0x004c:0215 expect count >= 1"
    )
    #expect(file.steps == line.steps)
    #expect(file.link.isKept)
    #expect(file.link.isFresh)
    #expect(file.link.adapterWait == .seconds(10))
  }

  @Test("a chain with keep does not end the connection")
  func keeps() throws {
    let loop = VirtualTimeLoop()
    let scripted = ScriptedDevice(on: loop)
    var plan = try Plan.parse(line: "read battery-level")
    plan.link.isKept = true
    let runner = ChainRunner(
      plan: plan, service: scripted, identity: RunIdentity(seed: 0, plan: plan)
    )
    _ = runner.ending().map { Optional($0) }.firstOrDefault(nil, within: .seconds(60))
    #expect(scripted.calls == ["connect", "read battery-level"])
    #expect(scripted.isConnected)
    #expect(!plan.lines.contains { $0.contains("disconnect") })
  }

  @Test("in JSON, an out-of-range advertised value is null, with its bytes and the reason")
  func outOfRange() {
    let data = (service: BluetoothUUID(short: 0xfcd2), data: [0x40, 1, 200, 2, 0xca, 9] as [UInt8])
    let json = JSONValue(Advertisement.of(1, "Attic", serviceData: [data])).text
    let members =
      #""hex":"4001c802ca09","format":"bthome-2","value":{"battery":null,"temperature":25.06},"#
      + #""problem":"battery, byte 2: 200 is not in 0 to 100""#
    #expect(json.contains(members), "\(json)")
  }
}
