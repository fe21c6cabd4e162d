// `blerun run` with several chain files, as a user sees it: one stream and one exit status of all of them.

import Fixtures
import Foundation
import Testing

@Suite("blerun run with several files", .blocking)
struct SeveralFilesTests {
  private static let device = "\(projectFolder)/Simulators/devices/thermometer.yaml"

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try write("b-fails.yaml", "name: Too much\n", "expect: { percent: { min: 100 } }")
    try write("a-reads.yaml", "name: Level\n", "as: level")
    try write("c-reads.yml", "", "as: level")
    _ = try folder.file("ignored.txt", "steps: [ { raed: x } ]")
    _ = try folder.file(".hidden.yaml", "steps: [ { raed: x } ]")
  }

  private func write(_ name: String, _ head: String, _ key: String) throws {
    _ = try folder.file(name, "\(head)steps:\n  - read: battery-level\n    \(key)\n")
  }

  private func run(_ arguments: [String]) throws -> RunningProgram.Ended {
    try blerun(["run", "--simulate", Self.device] + arguments, in: folder.path)
  }

  @Test("the files of a folder run in order of their names, and the summary has places")
  func text() throws {
    let run = try run(["."])
    #expect(run.status == 1, "\(run.errors)")
    #expect(
      run.lines.filter { $0.hasPrefix("./") } == [
        "./a-reads.yaml", "./b-fails.yaml", "./c-reads.yml",
      ]
    )
    #expect(
      run.lines.suffix(2) == [
        "2 passed, 1 failed",
        "  failed   ./b-fails.yaml:3:5  Too much  step 1: reading battery-level: expected "
          + "percent >= 100, got 87 % (bytes 57)",
      ]
    )
  }

  @Test("with --fail-fast nothing is run after the first failure")
  func failFast() throws {
    let run = try run(["b-fails.yaml", "a-reads.yaml", "c-reads.yml", "--fail-fast"])
    #expect(run.status == 1)
    #expect(run.lines.contains("0 passed, 1 failed, 2 not run"))
    #expect(run.lines.suffix(2) == ["  not run  a-reads.yaml", "  not run  c-reads.yml"])
  }

  @Test("--filter selects files by part of their path or name")
  func filter() throws {
    let byName = try run([".", "--filter", "LEVEL"])
    #expect(byName.status == 0)
    #expect(byName.lines.last == "1 passed")
    let byPath = try run([".", "--filter", "reads"])
    #expect(byPath.lines.last == "2 passed")
    #expect(try run([".", "--filter", "nothing"]).status == 2)
  }

  @Test("JSON is one stream: each run names its file, and the last object is the summary")
  func json() throws {
    let run = try run([".", "--output", "json"])
    let started = run.lines.filter { $0.contains(#""event":"run-started""#) }
    #expect(started.count == 3)
    #expect(started.first?.contains(#""file":"./a-reads.yaml","chain":"Level""#) == true)
    #expect(
      run.lines.last == #"{"v":1,"event":"files-finished","status":"failed","exitStatus":1,"#
        + #""passed":2,"failed":1,"notRun":0}"#
    )
  }

  @Test("JUnit and TAP have a suite for each file, also for those that did not run")
  func reports() throws {
    let reports = ["--output", "junit", "--report", "all.tap"]
    let run = try run(["b-fails.yaml", "a-reads.yaml", "--fail-fast"] + reports)
    #expect(run.status == 1)
    #expect(run.output.contains(#"<testsuite name="b-fails.yaml" tests="3" failures="1""#))
    #expect(run.output.contains(#"<testsuite name="a-reads.yaml" tests="1""#))
    #expect(run.output.contains("<skipped message=\"not run\"/>"))
    let tap = try String(contentsOfFile: folder.path + "/all.tap", encoding: .utf8)
    #expect(tap.contains("not ok 1 - b-fails.yaml"))
    #expect(tap.contains("ok 2 - a-reads.yaml # SKIP not run"))
  }

  @Test("all files are parsed before the first one begins")
  func checked() throws {
    _ = try folder.file("wrong.yaml", "steps: [ { raed: x } ]")
    let run = try run(["a-reads.yaml", "wrong.yaml", "missing.yaml"])
    #expect(run.status == 65)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("wrong.yaml:1:12"))
    #expect(run.errors.contains("missing.yaml"))
  }

  @Test("a folder with one file behaves like that file")
  func single() throws {
    let alone = try TemporaryFolder()
    _ = try alone.file("only.yaml", "steps: [ { read: battery-level } ]")
    let ofFolder = try run([alone.path])
    let ofFile = try run(["\(alone.path)/only.yaml"])
    #expect(ofFolder.output == ofFile.output)
    #expect(ofFile.lines.last == "ok: 1 step in 3.195 s")
  }

  @Test("a folder without chains, or one bus log for several files, is a usage error")
  func usage() throws {
    let empty = try TemporaryFolder()
    #expect(try run([empty.path]).status == 2)
    #expect(try run([".", "--bus-log", "log.txt"]).status == 2)
  }
}
