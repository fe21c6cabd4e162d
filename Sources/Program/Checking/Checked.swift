// What checking has found so far.

import Bluetooth
import Documents
import Jobs
import NordicSuites
import SimulatedDevices

/// What is wrong and what is right with files, in the order in which they were given.
struct Checked {
  /// Everything that is wrong.
  private(set) var diagnostics: [Diagnostic] = []
  /// What is right, one file a line.
  private(set) var praise: [String] = []
  private var chains: [(file: String, plan: Plan)] = []

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
      take(path, suite) { "\(counted($0.runs.count, "test")), \($0.operationCount) operations, ok" }
    case .batch:
      let batch = Result { () throws(DocumentErrors) in
        try Batch.load(path: path, with: bindings, names: names)
      }
      take(path, batch) { "\($0.extent), ok" }
    case .scenario:
      let world = Result { () throws(DocumentErrors) in try ScenarioFile.load(path: path) }
      take(path, world) { _ in "ok" }
    case .chain, .unknown:
      let plan = Result { () throws(DocumentErrors) in
        try Plan(file: path, with: bindings, names: names)
      }
      take(path, plan)
    case .names:
      let own = Result { () throws(DocumentErrors) in try NamesFile(path) }
      take(path, own) { file in
        let (names, keys) = (file.names.entries.count, file.keys.count)
        let parts = [
          names == 0 && keys > 0 ? nil : counted(names, "name"),
          keys == 0 ? nil : counted(keys, "key"), "ok",
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
      }
    }
  }

  /// Reads steps as they stand on one line.
  mutating func read(line: String) {
    let plan = Result { () throws(DocumentErrors) in
      try Plan.parse(line: line, with: bindings, names: names, includesFiles: true)
    }
    take(Plan.lineName, plan, line: line)
  }

  /// Looks on simulated devices, where any are given, for what the chains name.
  mutating func look(in files: [String]) {
    let devices: [DeviceDefinition]
    do {
      devices = try loadScenario(files).devices
    } catch {
      diagnostics += error.diagnostics
      return
    }
    praise += files.map { "\($0): ok" }
    guard !devices.isEmpty else { return }
    let services = devices.flatMap { AttributeTable($0).services }
    let seen = devices.map { Advertisement($0) }
    for (file, plan) in chains {
      if let target = plan.device, !seen.contains(where: { target.matches($0) }) {
        let message = "no simulated device matches \(target)\(target.others(among: seen))"
        take(DocumentProblem(Plan.placeOfDevice(in: file), path: "device", message))
      }
      for (selector, step) in plan.attributes(missingIn: services) {
        let place = step.source ?? Place(file: file)
        take(DocumentProblem(place, path: "", "no simulated device has \(selector)"), in: step)
      }
      for (problem, remedy, step) in plan.operations(refusedBy: services) {
        let message = remedy.map { "\(problem); \($0)" } ?? problem
        take(DocumentProblem(step.source ?? Place(file: file), path: "", message), in: step)
      }
    }
  }

  /// Keeps a chain: simulated devices are searched for what it names.
  ///
  /// - Parameter line: Its text in the one-line form.
  private mutating func take(
    _ name: String,
    _ plan: Result<Plan, DocumentErrors>,
    line: String? = nil
  ) {
    if let plan = try? plan.get() { chains.append((name, plan)) }
    take(name, plan, line: line) { "\(counted($0.writtenStepCount, "step")), ok" }
  }

  /// Keeps an error about a step that was read.
  private mutating func take(_ problem: DocumentProblem, in step: Step? = nil) {
    diagnostics += DocumentErrors([problem]).diagnostics(about: step?.sourceText)
  }

  /// Keeps the line about a valid file, or everything that is wrong with it.
  private mutating func take<Contents>(
    _ name: String,
    _ contents: Result<Contents, DocumentErrors>,
    line: String? = nil,
    _ praised: (Contents) -> String
  ) {
    switch contents {
    case .success(let contents): praise.append("\(name): \(praised(contents))")
    case .failure(let errors): diagnostics += errors.diagnostics(about: line)
    }
  }
}
