// Where a chain comes from, and what the command line changes in it.

import ArgumentParser
import Bluetooth
import Documents
import Glibc
import Jobs
import SimulatedDevices

/// The chain of a command: from a file, or from steps on the command line.
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

  /// The files: of a folder its chain files, in order of name; none where there are steps instead.
  ///
  /// - Throws: ``Ending`` for a folder without any, one that cannot be read, and where there is no chain
  ///   or more than one. validate() is no place for the last: it runs before unknown options are
  ///   reported, whose values look like files.
  func paths() throws(Ending) -> [String] {
    if let word = (steps + files).first, let file = files.first, Plan.verbs.contains(word),
      access(file, F_OK) != 0
    {
      let line = (steps + files).map { Quoting.quoted($0) }.joined(separator: " ")
      throw Ending(.usage, "\(file): no such file; steps are one argument after -e: -e '\(line)'")
    }
    guard files.isEmpty != steps.isEmpty else {
      let problem = files.isEmpty ? "no chain is given" : "two chains are given, by file and by -e"
      let expected = "a chain file, or steps with -e 'read battery-level'"
      throw Ending(.usage, "\(problem) (expected \(expected))")
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
  /// - Parameter file: Its file, `-` for standard input; nil for the steps of the command line.
  func plan(_ file: String?) throws(Ending) -> Plan {
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
      throw Ending(.data, file.map { error.problems(of: $0, readAs: .chain) } ?? error.problems)
    }
    plan.device = named.target(insteadOf: plan.device)
    if let timeout { plan.timeout = timeout }
    plan.allowedCommands = allowCommands ? .all : .none
    return plan
  }
}

extension Plan {
  /// The device that a chain is for: the one it names, or the only simulated one.
  func target(among simulated: ScenarioDefinition) throws(Ending) -> DeviceTarget {
    if let device { return device }
    if onlyScans { return .any }
    if let only = simulated.only { return only }
    throw Ending(.usage, "no device is named (expected -d DEVICE, or device: in a chain file)")
  }
}

extension ScenarioDefinition {
  /// The device, where there is one and no other.
  var only: DeviceTarget? {
    guard let device = devices.first, devices.count == 1 else { return nil }
    // The name as it is received: not every device advertises its own.
    let name = device.advertisements.lazy.compactMap { $0.name(of: device) }.first
    return name.map { .name($0) } ?? .address(device.address)
  }
}
