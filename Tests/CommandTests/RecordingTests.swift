// `--record calls`, the messages before a failure, and `--report-on failure`, as a user has them.

import Fixtures
import Foundation
import Testing

@Suite("What explains a run", .blocking)
struct RecordingTests {
  private static let thermometer = ["--simulate", "Simulators/devices/thermometer.yaml"]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String]) throws -> RunningProgram.Ended {
    try RunningProgram(blerun: arguments).end()
  }

  private func record(
    _ chain: [String],
    _ options: String...,
    simulating device: String = "thermometer"
  ) throws -> RunningProgram.Ended {
    try run(
      ["run"] + chain + ["--output", "json", "--simulate", "Simulators/devices/\(device).yaml"]
        + options
    )
  }

  @Test("a failure has the call that failed, and BlueZ's answer; text output stays short")
  func failure() throws {
    let chain = ["-e", "write battery-level u8:1"]
    let ended = try record(chain)
    let failed = try #require(ended.lines.first { $0.contains(#""status":"failed","error""#) })
    #expect(failed.contains(#""member":"WriteValue","arguments":"(0x01, {})""#), "\(failed)")
    #expect(failed.contains(#""member":"Connect""#) && !failed.contains("GattDescriptor1"))
    let answer = #""kind":"error","number":6"#
    #expect(failed.contains(answer) && failed.contains("org.bluez.Error."), "\(failed)")
    #expect(!ended.output.contains(#""event":"bluez-message""#))
    #expect(try record(chain).output == ended.output)
    let text = try run(["run"] + chain + Self.thermometer)
    #expect(!text.output.contains("WriteValue") && text.status == 1, "\(text.output)")
  }

  @Test("recorded messages are events, in the journal as they were printed")
  func recorded() throws {
    let journal = folder.path + "/journal.sqlite"
    let chain = ["-e", "read battery-level; write battery-level u8:1"]
    let ended = try record(chain, "--record", "calls", "--journal", journal)
    let messages = ended.lines.filter { $0.contains(#""event":"bluez-message""#) }
    for kind in ["call", "reply", "error", "signal"] {
      #expect(messages.contains { $0.contains(#""kind":"\#(kind)""#) }, "\(kind)")
    }
    let documentation = try String(contentsOfFile: "docs/json.md", encoding: .utf8)
    let example = try #require(messages.first { $0.contains(#""member":"ReadValue""#) })
    #expect(documentation.contains(example), "\(example)")
    let exported = try blerun("history", "export", "1", "--journal", journal)
    #expect(exported.output == ended.output)
    #expect(try blerun("history", "check", "--journal", journal).status == 0)
    let verbose = try record(chain, "-v").errors
    #expect(verbose.contains("call 6 /org/bluez/hci0/dev_C0_FF_EE_00_00_01/service"))
  }

  @Test("the page of a recorded run has what the page of the run has")
  func pageOfRecord() throws {
    let (journal, page) = (folder.path + "/journal.sqlite", folder.path + "/stored.html")
    let chain = ["-e", "read battery-level; write battery-level u8:1"]
    let ended = try record(chain, "--record", "calls", "--journal", journal)
    #expect(ended.status == 1)
    let shown = try run(["history", "show", "1", "--journal", journal, "--report", page])
    #expect(shown.status == 0, "\(shown.errors)")
    let text = try String(contentsOfFile: page, encoding: .utf8)
    for part in [
      "Calls to BlueZ", "Signals of BlueZ", "Connection", "org.bluez.Error.NotSupported",
      "Before it: ", "-e:1:21",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    let lines = try run([
      "history", "show", "1", "--journal", journal, "--report", folder.path + "/a.jsonl",
    ])
    #expect(lines.status == 2, "\(lines.errors)")
  }

  @Test("what recording leaves out beyond its limit is counted, and reported once")
  func limit() throws {
    let chain = ["-e", "repeat 20 { read battery-level }"]
    let ended = try record(chain, "--record", "calls", "--record-limit", "4K")
    let stops = ended.lines.filter { $0.contains(#""event":"recording-stopped""#) }
    #expect(stops.count == 2, "\(ended.output.suffix(2_000))")
    #expect(stops.first?.hasSuffix(#""limit":4096,"leftOut":0}"#) == true)
    #expect(stops.last?.contains(#""leftOut":0"#) == false)
    #expect(ended.lines.last?.contains(#""event":"run-finished""#) == true)
    #expect(ended.errors.components(separatedBy: "no more messages of BlueZ").count == 2)
  }

  @Test("passkeys are in no record, and agent calls have no arguments")
  func secrets() throws {
    let ended = try RunningProgram(
      blerun: [
        "run", "docs/examples/lock.yaml", "--simulate", "Simulators/devices/lock.yaml", "--output",
        "json", "--record", "calls",
      ],
      environment: ["LOCK_PASSKEY": "042137"]
    ).end()
    #expect(ended.status == 0, "\(ended.errors)")
    let requests = ended.lines.filter { $0.contains(#""kind":"request""#) }
    #expect(!requests.isEmpty)
    #expect(requests.allSatisfy { $0.contains(#""arguments":"(secret)""#) }, "\(requests)")
    #expect(!ended.output.contains("42137"))
  }

  @Test("a batch and a suite have the messages of their own devices")
  func several() throws {
    let batch = try run([
      "batch", "docs/samples/batch/batch.yaml", "--simulate", "docs/samples/batch/sensors.yaml",
      "--record", "calls", "--output", "json",
    ])
    let messages = batch.lines.filter { $0.contains(#""event":"bluez-message""#) }
    let read = messages.filter {
      $0.contains(#""member":"Connect""#) && $0.contains(#""kind":"call""#)
    }
    #expect(!read.isEmpty)
    let devices = Set(read.compactMap { $0.firstMatch(of: #/"device":"([^"]*)"/#)?.1 })
    let objects = Set(read.compactMap { $0.firstMatch(of: #/"object":"([^"]*)"/#)?.1 })
    #expect(devices.count == objects.count && read.count >= devices.count)
    let suite = try run([
      "run", "docs/examples/nordic/heart-rate.xml", "--simulate",
      "Simulators/devices/heart-rate.yaml", "--record", "calls", "--output", "json",
    ])
    #expect(suite.lines.contains { $0.contains(#""event":"bluez-message""#) }, "\(suite.errors)")
  }

  @Test("a watch has the messages of each of its devices, up to the limit")
  func watch() throws {
    let journal = folder.path + "/watch.sqlite"
    let watched = [
      "watch", "-d", "HRM-1", "heart-rate-measurement", "-d", "Thermo-1", "battery-level",
      "--count",
      "2", "--simulate", "Simulators/devices/heart-rate.yaml", "--record", "calls",
    ]
    let ended = try run(watched + Self.thermometer + ["--output", "json", "--journal", journal])
    #expect(ended.status == 0, "\(ended.errors)")
    let messages = ended.lines.filter { $0.contains(#""event":"bluez-message""#) }
    for (device, address) in [("HRM-1", "00_02"), ("Thermo-1", "00_01")] {
      let own = messages.filter {
        $0.contains(#""device":"\#(device)""#) && $0.contains(#""member":"StartNotify""#)
      }
      #expect(own.count == 2, "the call and its reply: \(own)")
      #expect(own.allSatisfy { $0.contains("dev_C0_FF_EE_00_\(address)") })
    }
    let exported = try blerun("history", "export", "1", "--journal", journal)
    #expect(Set(messages).isSubset(of: Set(exported.lines)))
    let text = try run(watched + Self.thermometer + ["--record-limit", "4K"])
    #expect(text.lines.count == 2, "\(text.output)")
    #expect(text.errors.components(separatedBy: "no more messages of BlueZ").count == 2)
  }

  @Test("a slow step keeps its call, however many devices come and go meanwhile")
  func crowded() throws {
    let (devices, batch) = (folder.path + "/devices.yaml", folder.path + "/batch.yaml")
    let addresses = (0..<120).map { "C0:00:00:00:00:" + String($0 + 0x1_00, radix: 16).suffix(2) }
    let characteristic = "{ characteristic: 2A19, properties: [read] }"
    let service = "{ service: 180F, characteristics: [\(characteristic)] }"
    let simulated = addresses.enumerated().map { index, address in
      let faults = index == 0 ? ", faults: [{ fault: slow, on: read, by: 100s }]" : ""
      return "- { address: '\(address)', services: [\(service)]\(faults) }"
    }
    try "devices:\n\(simulated.joined(separator: "\n"))\n"
      .write(toFile: devices, atomically: true, encoding: .utf8)
    let wanted = addresses.map { "- { address: '\($0)' }" }.joined(separator: "\n")
    try "concurrency: 2\nsteps: [{ read: 2A19 }]\ndevices:\n\(wanted)\n"
      .write(toFile: batch, atomically: true, encoding: .utf8)
    let ended = try run(["batch", batch, "--simulate", devices, "--output", "json"])
    let failed = ended.lines.filter { $0.contains(#""status":"failed","error""#) }
    #expect(failed.count == 1 && ended.lines.count > 500, "\(failed)")
    #expect(failed.allSatisfy { $0.contains(#""member":"ReadValue","arguments":"({})""#) })
  }

  @Test("--report-on failure leaves no file of a run that succeeded")
  func reportOn() throws {
    let names = ["a.xml", "a.html", "a.jsonl", "a.txt"]
    let paths = names.map { "\(folder.path)/\($0)" }
    let reports = paths.flatMap { ["--report", $0] } + ["--report-on", "failure"]
    func files() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
    let good = try run(["run", "-e", "read battery-level"] + Self.thermometer + reports)
    #expect(good.status == 0, "\(good.errors)")
    #expect(try files() == [])
    let bad = try run(["run", "-e", "write battery-level u8:1"] + Self.thermometer + reports)
    #expect(bad.status == 1)
    #expect(try files() == names.sorted())
    for path in paths {
      #expect(try String(contentsOfFile: path, encoding: .utf8).contains("write"), "\(path)")
    }
    let again = try run(["run", "-e", "read battery-level"] + Self.thermometer + reports)
    #expect(again.status == 0)
    #expect(try files() == names.sorted(), "older reports stay")
  }

  @Test("a stream cannot wait for a failure")
  func reportOnPipe() throws {
    let pipe = folder.path + "/pipe.txt"
    #expect(mkfifo(pipe, 0o600) == 0)
    let ended = try run(
      ["run", "-e", "read battery-level", "--report-on", "failure", "--report", pipe]
        + Self.thermometer
    )
    #expect(ended.status == 2, "\(ended.errors)")
  }
}
