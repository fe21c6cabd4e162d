// `blerun check`: is a file right?

import ArgumentParser
import Bluetooth
import Documents
import Jobs
import NordicSuites
import SimulatedDevices

/// Reads files of chains and of simulated devices, and says everything that is wrong with them.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check chain and device files; nothing is touched.",
    discussion: """
      Says file, line, column and key of everything that is wrong, and ends with 65. Files of \
      simulated devices and scenarios are told by their keys. Those given with --simulate are also \
      searched for what the chains name.
      """
  )

  @Argument(
    help:
      "Files of chains, simulated devices or scenarios (YAML or JSON), nRF Connect suites (XML)."
  )
  var files: [String] = []

  @OptionGroup var suites: SuiteOptions

  @Option(
    name: [.customShort("e"), .customLong("steps")],
    help: ArgumentHelp("Steps to check, as run takes them.", valueName: "steps")
  )
  var steps: [String] = []

  @Option(
    help: ArgumentHelp("A simulated device, or a scenario; repeat it for more.", valueName: "file")
  )
  var simulate: [String] = []

  @OptionGroup var variables: VariableOptions

  func validate() throws {
    if files.isEmpty, steps.isEmpty, simulate.isEmpty {
      throw ValidationError("Name a file, or steps with -e.")
    }
  }

  func run() throws {
    var complaints: [String] = []
    var good: [(name: String, plan: Plan)] = []
    var notes: [String] = []
    let xml = files.filter { Suite.isMeant(at: $0) }
    for file in xml {
      do throws(Ending) {
        let suite = try suites.suite(at: file)
        let tests = suite.runs.count == 1 ? "1 test" : "\(suite.runs.count) tests"
        notes.append("\(file): \(tests), \(suite.operationCount) operations, ok")
      } catch {
        complaints += error.messages
      }
    }
    let batches = files.filter { Batch.isMeant(at: $0) }
    for file in batches {
      do {
        let batch = try Batch.load(path: file, with: variables.bindings)
        notes.append("\(file): \(batch.extent), ok")
      } catch {
        complaints += error.problems.map(\.description)
      }
    }
    let files = files.filter { !xml.contains($0) && !batches.contains($0) }
    let worlds = files.filter { ScenarioFile.isMeant(at: $0) }
    for file in worlds {
      do { _ = try ScenarioFile.load(path: file) } catch {
        complaints += error.problems.map(\.description)
      }
    }
    let chains = files.filter { !worlds.contains($0) }
    let sources = chains.map { ($0, false) } + steps.map { ($0, true) }
    for (text, isLine) in sources {
      do {
        let bindings = variables.bindings
        let plan =
          isLine
          ? try Plan.parse(line: text, with: bindings) : try Plan.load(path: text, with: bindings)
        good.append((isLine ? "-e" : text, plan))
      } catch {
        complaints += error.problems.map(\.description)
      }
    }
    var definitions: [DeviceDefinition] = []
    do {
      definitions = try loadScenario(simulate).devices
    } catch {
      complaints += error.messages
    }
    if !definitions.isEmpty {
      for (name, plan) in good {
        complaints += Self.missing(plan, definitions).map { "\(name): \($0)" }
      }
    }
    guard complaints.isEmpty else { throw Ending(wrongFiles: complaints) }
    let output = StandardOutput()
    for (name, plan) in good {
      let count = plan.writtenStepCount
      output.line("\(name): \(count) \(count == 1 ? "step" : "steps"), ok")
    }
    for note in notes { output.line(note) }
    for file in worlds + simulate { output.line("\(file): ok") }
    if let failure = output.failure { throw Ending(.output, "\(failure)") }
  }

  /// What a chain names that no simulated device has.
  private static func missing(_ plan: Plan, _ definitions: [DeviceDefinition]) -> [String] {
    let services = definitions.flatMap { AttributeTable($0).services }
    var named: [CharacteristicSelector] = []
    func collect(_ steps: [Step]) {
      for step in steps {
        for selector in step.characteristics where !named.contains(selector) {
          named.append(selector)
        }
        collect(step.innerSteps)
      }
    }
    collect(plan.steps)
    return named.compactMap { selector in
      let isThere = services.contains { service in
        (selector.service ?? service.uuid) == service.uuid
          && service.characteristics.contains { characteristic in
            selector.handle.map { $0 == characteristic.handle }
              ?? (selector.characteristic == characteristic.uuid)
          }
      }
      return isThere ? nil : "no simulated device has \(selector)"
    }
  }
}
