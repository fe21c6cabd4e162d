// Reads a suite: variables, targets, and the runs of its tests.
//
// Operations are read by OperationReader.

import Bluetooth
import Documents

/// Reads a document, collecting every complaint.
struct SuiteReader {
  private let limits: MarkupLimits
  private let given: Variables
  private let names: AttributeNames
  let complaints = Complaints()
  private var operationCount = 0

  /// - Parameters:
  ///   - given: The variables of the command line. They override those of the suite; those of a
  ///     `run-test` override both.
  ///   - names: The names by which attributes are printed.
  init(limits: MarkupLimits, given: Variables, names: AttributeNames) {
    self.names = names
    self.limits = limits
    self.given = given
  }

  mutating func suite(_ root: Element) -> Suite {
    switch Suite.Kind(rawValue: root.name) {
    case .suite: return testSuite(root)
    case .macro: return macro(root)
    case nil:
      complaints.addUnknown(
        root.place,
        "",
        "unknown root element <\(root.name)>",
        root.name,
        among: ["test-suite", "macro"]
      )
      return Suite(kind: .suite, title: nil, targets: [], runs: [])
    }
  }

  private func reader(
    _ element: Element,
    _ variables: Variables,
    isUnused: Bool = false
  ) -> ElementReader {
    ElementReader(
      element,
      variables,
      isUnused: isUnused,
      limit: limits.attributeBytes,
      complaints: complaints
    )
  }

  // MARK: Suites

  private mutating func testSuite(_ root: Element) -> Suite {
    var variables = given
    for element in root.children where element.name == "set" {
      set(element, in: &variables, keeping: given.names)
    }
    var head = reader(root, variables)
    let title = head.text("description")
    head.finish(children: ["set", "target", "test", "run-test"])
    var targets: [SuiteTarget] = []
    for element in root.children where element.name == "target" {
      guard let target = target(element, variables) else { continue }
      if targets.contains(where: { $0.id == target.id }) {
        complaints.add(element.place, "target", "duplicate target '\(target.id)'")
      }
      targets.append(target)
    }
    let tests = named(root.children.filter { $0.name == "test" }, variables)
    let runs = root.children.filter { $0.name == "run-test" }.compactMap {
      run($0, tests, targets.map(\.id), variables)
    }
    readUnused(root, tests, targets.map(\.id), variables)
    if !root.children.contains(where: { $0.name == "run-test" }) {
      complaints.add(root.place, root.name, "no test is run", expected: "at least one <run-test>")
    }
    return Suite(kind: .suite, title: title, targets: targets, runs: runs, names: names)
  }

  /// Reads a `set`, whose value may contain earlier variables.
  private mutating func set(
    _ element: Element,
    in variables: inout Variables,
    keeping fixed: [String] = []
  ) {
    var reader = reader(element, variables)
    let name = reader.required("name", expected: "a name") { $0.isEmpty ? nil : $0 }
    let value = reader.required("value", expected: "a text") { $0 }
    reader.finish()
    guard let name, let value, !fixed.contains(name) else { return }
    variables[name] = value
  }

  private mutating func target(_ element: Element, _ variables: Variables) -> SuiteTarget? {
    var reader = reader(element, variables)
    let id = reader.required("id", expected: "a name") { $0.isEmpty ? nil : $0 }
    let name = reader.text("name")
    let address = reader.optional("address", expected: "an address such as C0:FF:EE:00:00:01") {
      BluetoothAddress($0)
    }
    reader.finish()
    return id.map { SuiteTarget(id: $0, name: name, address: address) }
  }

  /// The tests with their identifiers.
  private mutating func named(
    _ elements: [Element],
    _ variables: Variables
  ) -> [(id: String, element: Element)] {
    var tests: [(id: String, element: Element)] = []
    for element in elements {
      var reader = reader(element, variables, isUnused: true)
      let id = reader.required("id", expected: "a name") { $0.isEmpty ? nil : $0 }
      guard let id else { continue }
      if tests.contains(where: { $0.id == id }) {
        complaints.add(element.place, "test.id", "duplicate test '\(id)'")
      }
      tests.append((id, element))
    }
    return tests
  }

  private mutating func run(
    _ element: Element,
    _ tests: [(id: String, element: Element)],
    _ targets: [String],
    _ variables: Variables
  ) -> SuiteTest? {
    var own = variables
    for child in element.children where child.name == "set" { set(child, in: &own) }
    var reader = reader(element, own)
    let ref = reader.required("ref", expected: "the id of a test") { $0 }
    let title = reader.text("description")
    guard let ref, let test = tests.first(where: { $0.id == ref }) else {
      if let ref { reader.complainOfWord("ref", ref, among: tests.map(\.id)) }
      reader.finish(children: ["set"])
      return nil
    }
    reader.finish(children: ["set"])
    return self.test(test.element, run: title, targets, own)
  }

  /// Reads the tests that no `run-test` names, only to complain about them.
  private mutating func readUnused(
    _ root: Element,
    _ tests: [(id: String, element: Element)],
    _ targets: [String],
    _ variables: Variables
  ) {
    let used = root.children.filter { $0.name == "run-test" }.compactMap {
      $0.attribute("ref").flatMap { try? variables.filled($0.value, limit: 8_192) }
    }
    for (id, element) in tests where !used.contains(id) {
      _ = test(element, run: nil, targets, variables, isUnused: true)
    }
  }

  private mutating func test(
    _ element: Element,
    run: String?,
    _ targets: [String],
    _ variables: Variables,
    isUnused: Bool = false
  ) -> SuiteTest? {
    operationCount += element.children.count
    guard operationCount <= limits.operations else {
      complaints.add(
        element.place,
        "test",
        "the runs have more than \(limits.operations) operations"
      )
      return nil
    }
    var reader = reader(element, variables, isUnused: isUnused)
    let id = reader.text("id") ?? ""
    let title = reader.text("description")
    let target = reader.text("target")
    if let target, !targets.contains(target) {
      reader.complainOfWord("target", target, among: targets)
    }
    reader.finish(children: OperationName.ofTests)
    if element.children.isEmpty {
      complaints.add(element.place, "test", "the test is empty", expected: "an operation")
    }
    let operations = OperationReader(
      variables,
      isUnused: isUnused,
      targets: targets,
      names: names,
      limit: limits.attributeBytes,
      complaints: complaints
    )
    let read = operations.operations(element.children)
    return SuiteTest(
      id: id,
      title: title ?? id,
      run: run,
      target: target,
      operations: read,
      place: element.place
    )
  }

  // MARK: Macros

  /// Reads a macro as one test on one device, which is connected first.
  private mutating func macro(_ root: Element) -> Suite {
    var reader = reader(root, given)
    let name = reader.required("name", expected: "a name") { $0 }
    _ = reader.text("icon")
    reader.finish(children: OperationName.ofMacros)
    if root.children.isEmpty {
      complaints.add(root.place, "macro", "the macro is empty", expected: "an operation")
    }
    let operations = OperationReader(
      given,
      isMacro: true,
      targets: [],
      names: names,
      limit: limits.attributeBytes,
      complaints: complaints
    )
    let read = operations.operations(root.children)
    let connecting = [
      ("connect", Operation.Action.connect), ("discover-services", .discoverServices),
    ]
    .map { Operation(name: $0.0, title: $0.0, place: root.place, action: $0.1) }
    let test = SuiteTest(
      id: name ?? "macro",
      title: name ?? "macro",
      run: nil,
      target: Suite.device,
      operations: connecting + read,
      place: root.place
    )
    let device = SuiteTarget(id: Suite.device, name: nil, address: nil)
    return Suite(kind: .macro, title: name, targets: [device], runs: [test], names: names)
  }
}

extension Suite {
  /// The target of a macro: the device that the command line names.
  static let device = "device"
}
