// The reader of a suite: its variables, its targets, and the runs of its tests.
//
// OperationReader reads the operations.

import Bluetooth
import Documents

/// Reads a document, and collects all problems.
struct SuiteReader {
  private typealias Tests = [(id: String, element: Element)]

  /// The context, with the variables of the command line. They override those of the suite; those of a
  /// `run-test` override both.
  let context: ReadingContext
  private var operationCount = 0

  init(_ context: ReadingContext) { self.context = context }

  private var problems: CollectedProblems { context.problems }

  mutating func suite(_ root: Element) -> Suite {
    switch Suite.Kind(rawValue: root.name) {
    case .suite: return testSuite(root)
    case .macro: return macro(root)
    case nil:
      let message = "unknown root element <\(root.name)>"
      let known = ["test-suite", "macro"]
      problems.add(.unknown(message, root.name, among: known), at: root.place, "")
      return Suite(kind: .suite, title: nil, targets: [], runs: [], names: context.names)
    }
  }

  // MARK: Suites

  private mutating func testSuite(_ root: Element) -> Suite {
    func children(_ name: String) -> [Element] { root.children.filter { $0.name == name } }
    var own = context
    for element in children("set") {
      set(element, in: &own, keeping: context.variables.names)
    }
    var head = ElementReader(root, own)
    let title = head.text("description")
    head.finish(children: ["set", "target", "test", "run-test"])
    var targets: [SuiteTarget] = []
    for target in children("target") {
      guard let read = self.target(target, own) else { continue }
      if targets.contains(where: { $0.id == read.id }) {
        problems.add(target.place, "target", "duplicate target '\(read.id)'")
      }
      targets.append(read)
    }
    own.isUnused = true
    let tests = named(children("test"), own)
    own.isUnused = false
    let runs = children("run-test").compactMap { run($0, tests, targets.map(\.id), own) }
    readUnused(children("run-test"), tests, targets.map(\.id), own)
    if children("run-test").isEmpty {
      problems.add(root.place, root.name, "no test is run", expected: "at least one <run-test>")
    }
    return Suite(kind: .suite, title: title, targets: targets, runs: runs, names: context.names)
  }

  /// Reads a `set`, whose value may contain earlier variables.
  private func set(
    _ element: Element, in context: inout ReadingContext, keeping fixed: [String] = []
  ) {
    var reader = ElementReader(element, context)
    let name = reader.required("name", expected: "a name") { $0.isEmpty ? nil : $0 }
    let value = reader.required("value", expected: "a text") { $0 }
    reader.finish()
    guard let name, let value, !fixed.contains(name) else { return }
    context.variables[name] = value
  }

  private func target(_ element: Element, _ context: ReadingContext) -> SuiteTarget? {
    var reader = ElementReader(element, context)
    let id = reader.required("id", expected: "a name") { $0.isEmpty ? nil : $0 }
    let name = reader.text("name")
    let address = reader.optional("address", expected: BluetoothAddress.expected) {
      BluetoothAddress($0)
    }
    reader.finish()
    return id.map { SuiteTarget(id: $0, name: name, address: address) }
  }

  /// Returns the tests by their identifiers.
  private func named(_ elements: [Element], _ context: ReadingContext) -> Tests {
    var tests: Tests = []
    for element in elements {
      var reader = ElementReader(element, context)
      let id = reader.required("id", expected: "a name") { $0.isEmpty ? nil : $0 }
      guard let id else { continue }
      if tests.contains(where: { $0.id == id }) {
        problems.add(element.place, "test.id", "duplicate test '\(id)'")
      }
      tests.append((id, element))
    }
    return tests
  }

  private mutating func run(
    _ element: Element, _ tests: Tests, _ targets: [String], _ context: ReadingContext
  ) -> SuiteTest? {
    var own = context
    for child in element.children where child.name == "set" { set(child, in: &own) }
    var reader = ElementReader(element, own)
    let ref = reader.required("ref", expected: "the id of a test") { $0 }
    let title = reader.text("description")
    let test = tests.first { $0.id == ref }
    if let ref, test == nil { reader.addUnknownWord("ref", ref, among: tests.map(\.id)) }
    reader.finish(children: ["set"])
    return test.flatMap { self.test($0.element, run: title, targets, own) }
  }

  /// Reads the tests that no `run-test` names, only to report their problems.
  private mutating func readUnused(
    _ runs: [Element], _ tests: Tests, _ targets: [String], _ context: ReadingContext
  ) {
    let used = runs.compactMap {
      $0.attribute("ref").flatMap { try? context.variables.filled($0.value, limit: 8_192) }
    }
    var unused = context
    unused.isUnused = true
    for (id, element) in tests where !used.contains(id) {
      _ = test(element, run: nil, targets, unused)
    }
  }

  private mutating func test(
    _ element: Element, run: String?, _ targets: [String], _ context: ReadingContext
  ) -> SuiteTest? {
    operationCount += element.children.count
    let most = context.limits.operations
    guard operationCount <= most else {
      problems.add(element.place, "test", "the runs have more than \(most) operations")
      return nil
    }
    var reader = ElementReader(element, context)
    let id = reader.text("id") ?? ""
    let title = reader.text("description")
    let target = reader.word("target", among: targets)
    reader.finish(children: OperationKind.names.ofTests)
    if element.children.isEmpty {
      problems.add(element.place, "test", "the test is empty", expected: "an operation")
    }
    let operations = OperationReader(context: context, isMacro: false, targets: targets)
    return SuiteTest(
      id: id, title: title ?? id, run: run, target: target,
      operations: operations.operations(element.children)
    )
  }

  // MARK: Macros

  /// Reads a macro as one test on one device, which is connected first.
  private func macro(_ root: Element) -> Suite {
    var reader = ElementReader(root, context)
    let name = reader.required("name", expected: "a name") { $0 }
    _ = reader.text("icon")
    reader.finish(children: OperationKind.names.ofMacros)
    if root.children.isEmpty {
      problems.add(root.place, "macro", "the macro is empty", expected: "an operation")
    }
    let read = OperationReader(context: context, isMacro: true, targets: [])
      .operations(root.children)
    let connecting: [(String, Operation.DeviceAction)] = [
      ("connect", .connect), ("discover-services", .discoverServices),
    ]
    let before = connecting.map { name, action in
      Operation(name: name, title: name, place: root.place, action: .device(action))
    }
    // The command line binds this target.
    let device = SuiteTarget(id: "device", name: nil, address: nil)
    let test = SuiteTest(
      id: name ?? "macro", title: name ?? "macro", run: nil, target: device.id,
      operations: before + read
    )
    return Suite(kind: .macro, title: name, targets: [device], runs: [test], names: context.names)
  }
}
