// Whole reports on standard output: --output junit and tap. Nothing else is there, also where a signal
// ends the run.

import Fixtures
import Foundation
import FoundationXML
import Testing

@Suite("Reports on standard output", .blocking)
struct PrintedReportTests {
  private static let world = ["--simulate", "Simulators/devices/thermometer.yaml"]
  private static let steps = "read battery-level; read battery-level expect percent > 90"

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String]) throws -> RunningProgram.Ended {
    try blerun(arguments + Self.world)
  }

  @Test(
    "a run prints only the report, as in a file, and exits as it would without it",
    arguments: [("junit", "xml"), ("tap", "tap")]
  )
  func chain(_ form: String, _ ending: String) throws {
    let file = "\(folder.path)/a.\(ending)"
    let words = ["run", "-e", Self.steps, "--output", form, "--report", file]
    let ended = try run(words)
    #expect(ended.status == 1)
    #expect(ended.output == (try folder.text("a.\(ending)")))
    #expect(ended.output.contains("expected percent &gt; 90") == (form == "junit"))
    if form == "junit" { #expect(XMLParser(data: Data(ended.output.utf8)).parse()) }
    if form == "tap" { #expect(ended.output.hasPrefix("TAP version 14\n")) }
  }

  @Test("a batch prints one report of its devices; a schedule prints that of its last round")
  func batch() throws {
    let batch = try folder.file(
      "batch.yaml",
      """
      devices: [Thermo-1, Nobody]
      steps: [ { read: battery-level } ]
      timeout: 2s
      every: 1m
      """
    )
    let file = folder.path + "/a.tap"
    let words = ["batch", batch, "--runs", "2", "--output", "tap", "--report", file]
    let ended = try run(words)
    #expect(ended.status == 75)
    #expect(ended.output == (try folder.text("a.tap")))
    let heads = ended.lines.filter { $0.hasPrefix("TAP version") || $0.hasPrefix("1..") }
    #expect(heads == ["TAP version 14", "1..2"])
    #expect(ended.lines.contains { $0.hasPrefix("ok 1 - Thermo-1") })
    #expect(ended.lines.contains { $0.hasPrefix("not ok 2 - Nobody") })
  }

  @Test("a signal ends the run, and the report has the steps that began")
  func interrupted() throws {
    let lines = folder.path + "/a.jsonl"
    try FileManager.default.createSymbolicLink(atPath: lines, withDestinationPath: "/dev/stdout")
    let running = try RunningProgram(
      blerun: ["run", "-e", "read battery-level; sleep 1h", "--output", "junit", "--real-time"]
        + ["--report", lines] + Self.world
    )
    try running.waitForOutput("\"operation\":\"sleep\"")
    running.send(SIGTERM)
    let ended = running.end()
    #expect(ended.status == 143)
    let start = try #require(ended.output.range(of: "<?xml")).lowerBound
    let report = String(ended.output[start...])
    #expect(XMLParser(data: Data(report.utf8)).parse())
    #expect(report.contains("name=\"2  sleep 1h\"") && report.contains("SIGTERM"))
  }

  @Test("a failed write to standard output is reported and ends with status 74")
  func full() throws {
    let simulated = Self.world.joined(separator: " ")
    let ended = try shell("\"$0\" run -e 'sleep 1s' --output tap \(simulated) > /dev/full")
    #expect(ended.status == 74)
    #expect(ended.errors.contains("standard output could not be written"))
  }
}
