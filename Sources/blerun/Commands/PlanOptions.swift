// Where a chain comes from, and what the command line changes in it.

import ArgumentParser
import Bluetooth
import Documents
import Jobs
import SimulatedDevices

/// The chain of a command: from a file, or from steps on the command line.
struct PlanOptions: ParsableArguments {
  @Argument(help: "The chain file (YAML or JSON), or an nRF Connect suite or macro (XML).")
  var file: String?

  @Option(
    name: [.customShort("e"), .customLong("steps")],
    help: ArgumentHelp(
      "Steps instead of a file: 'read battery-level; sleep 1s'.",
      valueName: "steps"
    )
  )
  var steps: [String] = []

  @OptionGroup var named: DeviceOptions

  @Option(help: "Default timeout per step: 10s, 500ms.")
  var timeout: DurationArgument?

  @OptionGroup var variables: VariableOptions

  func validate() throws {
    if file != nil, !steps.isEmpty {
      throw ValidationError("Give a chain file or steps with -e, not both.")
    }
    if file == nil, steps.isEmpty {
      throw ValidationError("Give a chain file, or steps with -e 'read battery-level'.")
    }
  }

  /// Reads the chain.
  ///
  /// - Throws: ``Ending`` with everything that is wrong with it.
  func plan() throws(Ending) -> Plan {
    do {
      var plan =
        if let file { try Plan(file: file, with: variables.bindings) } else {
          try Plan.parse(
            line: steps.joined(separator: "\n"),
            with: variables.bindings,
            includesFiles: true
          )
        }
      plan.device = named.target(insteadOf: plan.device)
      if let timeout { plan.timeout = timeout.duration }
      return plan
    } catch {
      throw Ending(wrongFiles: error.problems.map(\.description))
    }
  }

  /// The device that a chain is for: the one it names, or the only simulated one.
  ///
  /// - Throws: ``Ending`` when none is named.
  static func target(
    of plan: Plan,
    among simulated: ScenarioDefinition
  ) throws(Ending) -> DeviceTarget {
    if let device = plan.device { return device }
    if plan.onlyScans { return .any }
    guard let only = simulated.devices.first, simulated.devices.count == 1 else {
      throw Ending(.usage, "no device is named (expected -d DEVICE, or device: in the file)")
    }
    return only.name.map { .name($0) } ?? .address(only.address)
  }
}
