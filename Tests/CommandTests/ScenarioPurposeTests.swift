// Each shipped scenario does what it is for: the command in its header shows it, and shows nothing
// of it without the faults.

import Fixtures
import Foundation
import Testing

@Suite("What scenarios are for", .blocking)
struct ScenarioPurposeTests {
  static let scenarios = ScenarioHeader.all(in: ScenarioTests.folder)

  @Test("each states what it is for, with a command that shows it")
  func stated() {
    #expect(Self.scenarios.count > 20)
    for scenario in Self.scenarios {
      #expect(!scenario.purpose.isEmpty && !scenario.shown.isEmpty, "\(scenario.name)")
    }
  }

  @Test("the command shows it, and nothing of it without the faults", arguments: scenarios)
  func shows(_ scenario: ScenarioHeader) throws {
    let folder = try TemporaryFolder()
    let calm = try folder.file("calm.yaml", scenario.withoutFaults(in: ScenarioTests.folder))
    for shown in scenario.shown {
      let stormy = "Simulators/scenarios/\(scenario.name).yaml"
      let text = try play(shown.arguments, stormy, folder)
      #expect(shown.isFound(in: text), "\(shown.text): \(text)")
      let calmText = try play(shown.arguments, calm, folder)
      #expect(!shown.isFound(in: calmText), "without faults, \(shown.text): \(calmText)")
    }
  }

  /// What a run prints, and then the traffic on its bus.
  private func play(
    _ arguments: String,
    _ scenario: String,
    _ folder: TemporaryFolder
  ) throws -> String {
    let log = "\(folder.path)/bus.log"
    let command =
      "exec '\(binaryPath)' run --simulate '\(scenario)' --bus-log '\(log)' \(arguments)"
    let run = try RunningProgram(["sh", "-c", command], in: packageFolder).end()
    let traffic = try String(contentsOfFile: log, encoding: .utf8)
    return "\(run.output)\n\(run.errors)\n\(traffic)"
  }
}
