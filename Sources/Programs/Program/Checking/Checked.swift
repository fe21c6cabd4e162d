// The results of `blerun check`: problems, warnings and valid files.

import Bluetooth
import Documents
import Jobs
import NordicSuites
import SimulatedDevices

/// The problems and the valid files found so far, in the order in which the files were given.
struct Checked {
  private(set) var problems: [Problem] = []
  /// Contents that are valid but probably not intended.
  private(set) var warnings: [Problem] = []
  /// The lines about valid files, one for each.
  private(set) var confirmations: [String] = []
  private var chains: [(file: String, plan: Plan)] = []
  /// The suites that could be read.
  private var readSuites: [(file: String, suite: Suite)] = []
  /// Whether a suite could not be read, which may use any variable.
  private var lacksSuites = false

  private let bindings: Bindings
  private let names: AttributeNames
  private let suites: SuiteOptions

  init(_ bindings: Bindings, _ names: AttributeNames, _ suites: SuiteOptions) {
    self.bindings = bindings
    self.names = names
    self.suites = suites
  }

  /// Reads a file of any kind.
  mutating func read(_ path: String) {
    switch FileKind(of: path) {
    case .suite:
      let suite = Result { () throws(DocumentErrors) in
        try Suite.load(path: path, variables: suites.pairs)
      }
      if case .success(let suite) = suite {
        readSuites.append((path, suite))
      } else {
        lacksSuites = true
      }
      add(path, suite) { "\(counted($0.runs.count, "test")), \($0.operationCount) operations, ok" }
    case .batch:
      let batch = Result { () throws(DocumentErrors) in
        try Batch.load(path: path, with: bindings, names: names)
      }
      add(path, batch) { "\($0.extent), ok" }
    case .scenario:
      let world = Result { () throws(DocumentErrors) in try ScenarioFile.load(path: path) }
      add(path, world) { _ in "ok" }
      warnings += ScenarioFile.warnings(path: path)
    case .chain, .unknown:
      let plan = Result { () throws(DocumentErrors) in
        try Plan(file: path, with: bindings, names: names)
      }
      add(path, plan)
    case .names:
      let own = Result { () throws(DocumentErrors) in try NamesFile(path) }
      add(path, own) { file in
        let (names, keys) = (file.names.entries.count, file.keys.count)
        let described = file.names.descriptions.count
        let parts = [
          names == 0 && keys + described > 0 ? nil : counted(names, "name"),
          described == 0 ? nil : counted(described, "description"),
          keys == 0 ? nil : counted(keys, "key"), "ok",
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
      }
    }
  }

  /// Reads the steps of a chain in the one-line form.
  mutating func read(line: String) {
    let plan = Result { () throws(DocumentErrors) in
      try Plan.parse(line: line, with: bindings, names: names, includesFiles: true)
    }
    add(Plan.lineName, plan)
  }

  /// Looks for variables of the command line that no suite uses.
  mutating func checkVariables() {
    guard !lacksSuites else { return }
    let only = readSuites.count == 1 ? readSuites[0].file : nil
    problems += suites.unused(by: readSuites.flatMap(\.suite.variables), in: only)
  }

  /// Searches the simulated devices, if any are given, for the attributes that the chains name.
  mutating func checkAttributes(on files: [String]) {
    let devices: [DeviceDefinition]
    do {
      devices = try loadScenario(files).devices
    } catch {
      problems += error.problems
      return
    }
    confirmations += files.map { "\($0): ok" }
    warnings += files.flatMap { ScenarioFile.warnings(path: $0) }
    guard !devices.isEmpty else { return }
    let services = devices.flatMap { AttributeTable($0).services }
    let seen = devices.map { Advertisement($0) }
    for (file, plan) in chains {
      if let target = plan.device, !seen.contains(where: { target.matches($0) }) {
        let message = "no simulated device matches \(target)\(target.others(among: seen))"
        problems.append(Problem(message, at: Plan.placeOfDevice(in: file), path: "device"))
      }
      for (selector, step) in plan.attributes(missingIn: services) {
        problems.append(Problem("no simulated device has \(selector)").at(step, of: file))
      }
      for (problem, remedy, step) in plan.operations(refusedBy: services) {
        let message = remedy.map { "\(problem); \($0)" } ?? problem
        problems.append(Problem(message).at(step, of: file))
      }
    }
  }

  /// Records a chain, whose attributes are later searched for on simulated devices.
  private mutating func add(_ name: String, _ plan: Result<Plan, DocumentErrors>) {
    if let plan = try? plan.get() {
      chains.append((name, plan))
      warnings += plan.warningsAboutNames(in: name)
    }
    add(name, plan) { "\(counted($0.writtenStepCount, "step")), ok" }
  }

  /// Records the line about a valid file, or all of its problems.
  private mutating func add<Contents>(
    _ name: String, _ contents: Result<Contents, DocumentErrors>,
    _ confirmation: (Contents) -> String
  ) {
    switch contents {
    case .success(let contents): confirmations.append("\(name): \(confirmation(contents))")
    case .failure(let errors): problems += errors.problems
    }
  }
}

extension Problem {
  /// Returns the problem at a step of a chain that was read.
  fileprivate func at(_ step: Step, of file: String) -> Problem {
    at(step.source ?? Place(file: file)).quoting(step.sourceText)
  }
}

extension Advertisement {
  /// Creates the advertisement of a simulated device that has never been connected.
  fileprivate init(_ definition: DeviceDefinition) {
    let advertisements = definition.advertisements
    let name = advertisements.contains(where: \.includesName) ? definition.name : nil
    let services = advertisements.flatMap(\.services)
    self.init(
      address: definition.address, addressType: definition.addressType, name: name,
      alias: name ?? definition.address.description.replacing(":", with: "-"),
      rssi: definition.advertisement.rssi, txPower: definition.advertisement.txPower,
      services: services, advertisedServices: services, manufacturerData: [], serviceData: [],
      isConnected: false, isPaired: false, adapter: ""
    )
  }
}
