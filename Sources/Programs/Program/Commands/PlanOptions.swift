// The options for the chain of a command: its file or its steps, and changes to it.

import ArgumentParser
import Bluetooth
import Documents
import Glibc
import Jobs
import SimulatedDevices

/// The options for a chain from files or from steps on the command line.
struct PlanOptions: ParsableArguments {
  @Argument(
    help: """
      Chain files (YAML or JSON), folders with *.yaml and *.yml files, or - for standard input; or \
      one nRF Connect suite or macro (XML).
      """,
    completion: .file()
  )
  var files: [String] = []

  @Option(
    name: [.customShort("e"), .long],
    help: .value("steps", "Steps instead of a file: 'read battery-level; sleep 1s'."),
    completion: .list(Plan.verbs)
  )
  var steps: [String] = []

  @OptionGroup var named: DeviceOptions

  @Option(time: "Default timeout per step: 10s, 500ms.")
  var timeout: Duration?

  @Flag(help: "Let the chain run the programs of its command steps.")
  var allowCommands = false

  @OptionGroup var variables: VariableOptions
  @OptionGroup var naming: NamesOptions

  /// Returns the files: those given, or the chain files of a folder sorted by name; none for steps.
  ///
  /// - Throws: ``CommandExit`` if a folder has no chain files or cannot be read, or if there is no chain or more than
  ///   one. The last is not checked in validate(), which runs before unknown options are reported: their
  ///   values would look like files.
  func paths() throws(CommandExit) -> [String] {
    if let word = (steps + files).first, let file = files.first, Plan.verbs.contains(word),
      access(file, F_OK) != 0
    {
      let line = (steps + files).map { Quoting.quoted($0) }.joined(separator: " ")
      throw CommandExit(
        .usage, "\(file): no such file; steps are one argument after -e: -e '\(line)'")
    }
    guard files.isEmpty != steps.isEmpty else {
      let problem = files.isEmpty ? "no chain is given" : "two chains are given, by file and by -e"
      let expected = "a chain file, or steps with -e 'read battery-level'"
      throw CommandExit(.usage, "\(problem) (expected \(expected))")
    }
    var paths: [String] = []
    for file in files {
      guard let names = try ChainFolder.names(in: file) else {
        paths.append(file)
        continue
      }
      let folder = file.hasSuffix("/") ? file : file + "/"
      paths += names.map { folder + $0 }
    }
    return paths
  }

  /// Reads a chain.
  ///
  /// - Parameter file: The file of the chain, `-` for standard input; nil for the steps on the command line.
  func plan(_ file: String?) throws(CommandExit) -> Plan {
    let (bindings, names) = (variables.bindings, try naming.names())
    let line = steps.joined(separator: "\n")
    var plan: Plan
    do {
      plan =
        switch file {
        case nil: try Plan.parse(line: line, with: bindings, names: names, includesFiles: true)
        case "-"?:
          try Plan.parse(TextFile.read("/dev/stdin"), file: "-", with: bindings, names: names)
        case let file?: try Plan(file: file, with: bindings, names: names)
        }
    } catch {
      throw CommandExit(
        .data, file.map { error.problems(of: $0, readAs: .chain) } ?? error.problems)
    }
    plan.device = named.target(insteadOf: plan.device)
    if let timeout { plan.timeout = timeout }
    plan.allowedCommands = allowCommands ? .all : .none
    return plan
  }
}

extension Plan {
  /// Returns the device of a chain: the one that it names, or the only simulated one.
  func target(among simulated: ScenarioDefinition) throws(CommandExit) -> DeviceTarget {
    if let device { return device }
    if onlyScans { return .any }
    if let only = simulated.only { return only }
    throw CommandExit(.usage, "no device is named (expected -d DEVICE, or device: in a chain file)")
  }
}

extension ScenarioDefinition {
  /// The only device; nil if there are none or several.
  var only: DeviceTarget? {
    guard let device = devices.first, devices.count == 1 else { return nil }
    // The name as it is advertised, which may differ from the device's.
    let name = device.advertisements.lazy.compactMap { $0.name(of: device) }.first
    return name.map { .name($0) } ?? .address(device.address)
  }
}
