// `blerun check`: validates a file without running it.

import ArgumentParser
import Jobs

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check files of chains, batches, suites, names and devices; nothing is touched.",
    discussion: """
      Reports each problem with its file, line, column and key, and ends with 65 if there is \
      one. Files of simulated devices and scenarios are recognized by their keys. The devices of \
      --simulate are also searched for the characteristics that the chains name.
      """
  )

  @Argument(
    help:
      "Files of chains, batches, names, simulated devices or scenarios (YAML or JSON), nRF Connect suites (XML).",
    completion: .file()
  )
  var files: [String] = []

  @OptionGroup var suites: SuiteOptions

  @Option(
    name: [.customShort("e"), .long], help: .value("steps", "Steps to check, as for run -e."),
    completion: .list(Plan.verbs)
  )
  var steps: [String] = []

  @Option(file: "A simulated device, or a scenario; repeat it for more.")
  var simulate: [String] = []

  @OptionGroup var variables: VariableOptions
  @OptionGroup var naming: NamesOptions

  func validate() throws {
    if files.isEmpty, steps.isEmpty, simulate.isEmpty {
      throw ValidationError("Name a file, or steps with -e.")
    }
  }

  /// Checks the files and returns the result, without printing it.
  func checked() throws -> Checked {
    var checked = Checked(variables.bindings, try naming.names(), suites)
    for file in files { checked.read(file) }
    for line in steps { checked.read(line: line) }
    checked.checkVariables()
    checked.checkAttributes(on: simulate)
    return checked
  }

  func run() throws {
    let checked = try checked()
    for warning in checked.warnings { StandardError.notice("warning: \(warning)") }
    guard checked.problems.isEmpty else { throw CommandExit(.data, checked.problems) }
    try StandardOutput.show(checked.confirmations)
  }
}
