// docs/ci.md: its commands print what it says, and the jobs of its workflows succeed.

import Documents
import Fixtures
import Foundation
import Testing

@Suite("docs/ci.md", .blocking)
final class ContinuousIntegrationPageTests {
  /// Steps that only a machine of its own can do.
  private static let leftOut = ["Packages", "Build"]

  private let page: Example
  private let folder: TemporaryFolder
  private var devices: RunningProgram?

  init() throws {
    page = try Example(in: "docs/ci.md")
    folder = try TemporaryFolder()
    for file in page.files() { _ = try folder.file(file.name, file.text) }
    let python = try Example(in: "docs/testing.md").blocks("python")[0]
    _ = try folder.file("test_thermometer.py", python)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/blerun-bin", withIntermediateDirectories: true
    )
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/blerun-bin/blerun", withDestinationPath: binaryPath
    )
  }

  deinit {
    devices?.send(SIGTERM)
    _ = devices?.end()
  }

  /// The environment of a job: blerun on the PATH, and nothing of the user's.
  private func environment(_ more: [String: String] = [:]) -> [String: String] {
    let python = TestingPageTests.python.flatMap { $0.contains("/") ? $0 : nil }
      .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
    let paths = ["\(folder.path)/blerun-bin", python, ProcessInfo.processInfo.environment["PATH"]]
    let own = [
      "PATH": paths.compactMap(\.self).joined(separator: ":"),
      "XDG_STATE_HOME": folder.path, "GITHUB_PATH": folder.path + "/github-path",
      "BLERUN_VERSION": "0", "PYTHONDONTWRITEBYTECODE": "1",
    ]
    return ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(more) { $1 }
  }

  private func run(_ line: String, _ more: [String: String] = [:]) throws -> RunningProgram.Ended {
    try RunningProgram(
      ["sh", "-ec", line], in: folder.path, environment: environment(more), limit: .seconds(300)
    ).end()
  }

  @Test("every command prints exactly what the page shows")
  func commands() throws {
    let commands = page.commands
    #expect(commands.count >= 11)
    for command in commands {
      let printed = try run(command.line).output
      let shown = command.output.map { $0 + "\n" }.joined()
      #expect(printed == shown, "\(command.line)")
    }
  }

  /// A workflow of the page, as its service reads it.
  private func workflow(_ name: String) throws -> JSON {
    let file = try #require(page.files().first { $0.name == name })
    return JSON(try Document.parse(file.text, file: name))
  }

  @Test("the GitHub job with simulated devices succeeds and leaves the reports that it keeps")
  func github() throws {
    let job = try workflow("github.yaml")["jobs"]?["simulated"]
    let steps = try #require(job?["steps"]?.list)
    let count = try runSteps(steps, [:])
    #expect(count >= 4)
    for report in ["battery.xml", "battery.html", "hall-1.xml", "hall-20.xml"] {
      #expect(FileManager.default.fileExists(atPath: "\(folder.path)/reports/\(report)"))
    }
    let path = try String(contentsOfFile: folder.path + "/github-path", encoding: .utf8)
    #expect(path.hasSuffix("/blerun-bin\n"))
  }

  @Test("the GitHub job on a bench succeeds with a device on a bus")
  func onBench() throws {
    let job = try workflow("github-bench.yaml")["jobs"]?["bench"]
    let steps = try #require(job?["steps"]?.list)
    let count = try runSteps(steps, try startBench())
    #expect(count == 3)
  }

  /// Runs the steps of a job of GitHub's; says how many there were.
  private func runSteps(_ steps: [JSON], _ more: [String: String]) throws -> Int {
    var count = 0
    for step in steps {
      let name = step["name"]?.texts.first ?? ""
      #expect((step["run"] == nil) != (step["uses"] == nil), "\(name)")
      guard let lines = step["run"]?.texts.first, !Self.leftOut.contains(name) else { continue }
      if lines.contains("pytest"), !Self.hasPython { continue }
      count += 1
      let ended = try run(lines, more)
      #expect(ended.status == 0, "\(name): \(ended.output) \(ended.errors)")
    }
    return count
  }

  private static let hasPython =
    TestingPageTests.python != nil && SteeredSimulationTests.has("busctl")

  /// A device that programs find as they find a real one.
  private func startBench() throws -> [String: String] {
    let simulation = try RunningProgram(
      blerun: ["simulate", folder.path + "/thermometer.yaml"], limit: .seconds(600)
    )
    devices = simulation
    let address = try simulation.waitForText(after: "DBUS_SYSTEM_BUS_ADDRESS=")
    let runtime = folder.path + "/runtime"
    mkdir(runtime, 0o700)
    return ["DBUS_SYSTEM_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": runtime]
  }

  @Test("the GitLab jobs succeed, with simulated devices and on a bench")
  func gitlab() throws {
    let (files, real) = (try workflow("gitlab.yaml"), try workflow("gitlab-retry.yaml"))
    let simulated = try #require(files["simulated"])
    let bench = try #require(real["on-the-bench"])
    for (job, more) in [(simulated, [:]), (bench, try startBench())] {
      let lines = (job["before_script"]?.texts ?? []) + (job["script"]?.texts ?? [])
      let own = lines.filter { !$0.hasPrefix("apt-get ") }
      #expect(own.count >= 2)
      let ended = try run(own.joined(separator: "\n"), more)
      #expect(ended.status == 0, "\(ended.output) \(ended.errors)")
    }
    for report in ["battery.xml", "battery.csv", "run.sqlite"] {
      #expect(FileManager.default.fileExists(atPath: "\(folder.path)/reports/\(report)"))
    }
  }
}
