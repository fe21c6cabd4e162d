// docs/samples: each project is run as its reader runs it. The one in Swift is built in Tests/Consumer.

import Documents
import Fixtures
import Foundation
import Testing

@Suite("docs/samples", .blocking)
struct SampleTests {
  private let folder: TemporaryFolder

  /// A copy of the samples, so that nothing is written beside them.
  init() throws {
    folder = try TemporaryFolder()
    for name in ["batch", "pytest", "github"] {
      try FileManager.default.copyItem(
        atPath: "\(packageFolder)/docs/samples/\(name)",
        toPath: "\(folder.path)/\(name)"
      )
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/blerun",
      withDestinationPath: binaryPath
    )
  }

  /// Runs a line of a shell with blerun, and the tests' Python, on the PATH.
  private func run(_ line: String, in name: String = "") throws -> RunningProgram.Ended {
    let python = TestingPageTests.python.flatMap { $0.contains("/") ? $0 : nil }
      .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
    let paths = [folder.path, python, ProcessInfo.processInfo.environment["PATH"]]
    let own = [
      "PATH": paths.compactMap(\.self).joined(separator: ":"), "XDG_STATE_HOME": folder.path,
      "GITHUB_PATH": folder.path + "/github-path", "PYTHONDONTWRITEBYTECODE": "1",
    ]
    return try RunningProgram(
      ["sh", "-ec", line],
      in: folder.path + "/" + name,
      environment: ProcessInfo.processInfo.environment.merging(own) { $1 },
      limit: .seconds(60)
    ).end()
  }

  private func hasFile(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.path + "/" + name)
  }

  @Test("the batch reports the sensor with the empty battery, and exits as blerun does")
  func batch() throws {
    let ended = try run("./nightly.sh --simulate sensors.yaml", in: "batch")
    #expect(ended.status == 1, "\(ended.output) \(ended.errors)")
    #expect(ended.output.hasPrefix("Some sensors need attention:\n"))
    #expect(ended.output.contains("Soil-2"))
    #expect(hasFile("batch/reports/nightly.html") && hasFile("batch/reports/nightly.csv"))
  }

  @Test("the batch prints nothing when all is well, and what to do when sensors are out of range")
  func quietBatch() throws {
    let change = "sed -i 's/value: { u8: 7 }/value: { u8: 70 }/' sensors.yaml"
    let ended = try run("\(change); ./nightly.sh --simulate sensors.yaml", in: "batch")
    #expect(ended.status == 0, "\(ended.output) \(ended.errors)")
    #expect(ended.output.isEmpty)
    let away = try run(
      "sed -i 's/name: Soil-2/name: Other/' sensors.yaml; ./nightly.sh --simulate sensors.yaml",
      in: "batch"
    )
    #expect(away.status == 75, "\(away.output) \(away.errors)")
    #expect(away.output.hasPrefix("Some sensors were out of range"))
  }

  private static let hasPython =
    TestingPageTests.python != nil && SteeredSimulationTests.has("busctl")

  @Test(
    "the tests in Python pass against the simulated sensor",
    .enabled(if: hasPython, "needs a Python with bleak and pytest, and busctl (systemd)")
  )
  func python() throws {
    let line = "blerun simulate sensor.yaml --control -- python3 -m pytest -p no:cacheprovider"
    let ended = try run(line, in: "pytest")
    #expect(ended.status == 0, "\(ended.output) \(ended.errors)")
    #expect(ended.output.contains("3 passed"))
  }

  @Test("the steps of the workflow go well")
  func workflow() throws {
    let name = "github/.github/workflows/bluetooth.yaml"
    let text = try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
    let job = JSON(try Document.parse(text, file: name))["jobs"]?["simulated"]
    // Only a machine of its own can do these; the package in Swift is built in Tests/Consumer.
    let leftOut = ["Packages", "Build", "Swift"] + (Self.hasPython ? [] : ["Python"])
    var count = 0
    for step in try #require(job?["steps"]?.list) {
      let name = step["name"]?.texts.first ?? ""
      guard let lines = step["run"]?.texts.first, !leftOut.contains(name) else { continue }
      count += 1
      let ended = try run("mkdir -p reports; " + lines)
      #expect(ended.status == 0, "\(name): \(ended.output) \(ended.errors)")
    }
    #expect(count >= 2)
    #expect(hasFile("reports/nightly.html"))
  }
}
