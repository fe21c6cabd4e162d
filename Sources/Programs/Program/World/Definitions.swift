// Reads device and scenario files for the commands.

import Documents
import Jobs
import SimulatedDevices

/// Loads the devices and faults of all files.
///
/// - Parameter word: The option that names them on the command line.
/// - Throws: ``CommandExit`` with all problems of the files.
func loadScenario(
  _ files: [String], of word: String = "--simulate"
) throws(CommandExit) -> ScenarioDefinition {
  var all: [ScenarioDefinition] = []
  var problems: [Problem] = []
  for file in files {
    do {
      all.append(try ScenarioFile.load(path: file))
    } catch {
      problems += error.problems(
        of: file, readAs: .scenario, by: "\(word) takes a device or scenario"
      )
    }
  }
  let scenario = ScenarioDefinition.joined(all)
  for (index, definition) in scenario.devices.enumerated()
  where scenario.devices[..<index].contains(where: { $0.address == definition.address }) {
    problems.append(Problem("\(definition.address) is the address of two devices"))
  }
  guard problems.isEmpty else { throw CommandExit(.data, problems) }
  return scenario
}
