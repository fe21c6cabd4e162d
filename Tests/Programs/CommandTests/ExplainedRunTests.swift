// The messages before a failure, `--verbose`, and `--report-on failure`, as a user has them: in both streams,
// and in the files of a run.

import Fixtures
import Foundation
import Testing

@Suite("Explanations of a run", .blocking)
struct ExplainedRunTests {
  private static let thermometer = ["--simulate", "Simulators/devices/thermometer.yaml"]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String]) throws -> RunningProgram.Ended {
    try blerun(arguments)
  }

  private func runAsJSON(_ chain: [String], _ options: String...) throws -> RunningProgram.Ended {
    try run(["run"] + chain + ["--output", "json"] + Self.thermometer + options)
  }

  @Test("a failure carries the failed call and the answer from BlueZ; text output stays short")
  func failure() throws {
    let chain = ["-e", "write alert-level hex:010203"]
    let ended = try runAsJSON(chain)
    let failed = try #require(ended.lines.first { $0.contains(#""status":"failed","error""#) })
    #expect(failed.contains(#""member":"WriteValue","arguments":"(0x010203, {"#), "\(failed)")
    #expect(failed.contains(#""member":"Connect""#) && !failed.contains("GattDescriptor1"))
    let answer = #""kind":"error","number":6"#
    #expect(failed.contains(answer) && failed.contains("org.bluez.Error."), "\(failed)")
    #expect(try runAsJSON(chain).output == ended.output)
    let text = try run(["run"] + chain + Self.thermometer)
    #expect(!text.output.contains("WriteValue") && text.status == 1, "\(text.output)")
  }

  @Test("the journal has a failure as printed, and --verbose prints each call")
  func recorded() throws {
    let journal = folder.path + "/journal.sqlite"
    let chain = ["-e", "read battery-level; write battery-level u8:1"]
    let ended = try runAsJSON(chain, "--journal", journal)
    #expect(ended.output.contains(#""messages":["#))
    let exported = try blerun("history", "export", "1", "--journal", journal)
    #expect(exported.output == ended.output)
    let verbose = try runAsJSON(chain, "-v").errors
    #expect(verbose.contains("call 6 /org/bluez/hci0/dev_C0_FF_EE_00_00_01/service"))
  }

  @Test("the page of a recorded run shows what the page of the live run shows")
  func pageOfRecord() throws {
    let (journal, page) = (folder.path + "/journal.sqlite", folder.path + "/stored.html")
    let chain = ["-e", "read battery-level; write alert-level hex:0011223344"]
    let ended = try runAsJSON(chain, "--journal", journal)
    #expect(ended.status == 1)
    let shown = try run(["history", "show", "1", "--journal", journal, "--report", page])
    #expect(shown.status == 0, "\(shown.errors)")
    let text = try String(contentsOfFile: page, encoding: .utf8)
    for part in [
      "Connection", "org.bluez.Error.InvalidArguments", "Before it: ", "-e:1:21",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    let lines = try run([
      "history", "show", "1", "--journal", journal, "--report", folder.path + "/a.jsonl",
    ])
    #expect(lines.status == 2, "\(lines.errors)")
  }

  @Test("no message contains a passkey: agent calls are recorded without arguments")
  func secrets() throws {
    let ended = try blerun(
      [
        "run", "docs/examples/lock.yaml", "--simulate", "Simulators/devices/lock.yaml", "-v",
      ],
      environment: ["LOCK_PASSKEY": "042137"]
    )
    #expect(ended.status == 0, "\(ended.errors)")
    let requests = ended.errors.split(separator: "\n").filter { $0.contains(" request ") }
    #expect(!requests.isEmpty)
    #expect(requests.allSatisfy { $0.hasSuffix("(secret)") }, "\(requests)")
    #expect(!ended.errors.contains("42137") && !ended.output.contains("42137"))
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

  @Test("--report-on failure leaves no file after a successful run")
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

  @Test("--report-on failure is rejected for a report written to a pipe")
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
