// A test suite as it is to be run: known whole before anything happens.
//
// A pure value, with its variables filled in. It is read from XML, printed by a dry run, and run by
// SuiteRunner.

public import Bluetooth
public import Documents

/// Tests on one device or several, in the order in which they run.
public struct Suite: Hashable, Sendable {
  /// Where a suite comes from.
  public enum Kind: String, Hashable, Sendable {
    case suite = "test-suite"
    /// Operations recorded in the application: they have no targets, and run on the one device.
    case macro
  }

  public let kind: Kind
  /// What it is called: the description of a suite, the name of a macro.
  public let title: String?
  public let targets: [SuiteTarget]
  /// The tests, one for each `run-test`, in order.
  public let runs: [SuiteTest]

  public init(kind: Kind, title: String?, targets: [SuiteTarget], runs: [SuiteTest]) {
    self.kind = kind
    self.title = title
    self.targets = targets
    self.runs = runs
  }

  /// How many operations there are in all runs.
  public var operationCount: Int { runs.reduce(0) { $0 + $1.operations.count } }
}

/// A device of a suite.
public struct SuiteTarget: Hashable, Sendable {
  public let id: String
  /// What people call it.
  public let name: String?
  /// Nil until a `scan-for` binds the target, or the command line does.
  public let address: BluetoothAddress?

  public init(id: String, name: String?, address: BluetoothAddress?) {
    self.id = id
    self.name = name
    self.address = address
  }
}

/// One run of a test.
public struct SuiteTest: Hashable, Sendable {
  /// The identifier of the test.
  public let id: String
  /// What the test is called: its description, else its identifier.
  public let title: String
  /// What this run of it is called, if anything.
  public let run: String?
  /// The target of operations that name none.
  public let target: String?
  public let operations: [Operation]
  /// The place of the test.
  public let place: Place

  public init(
    id: String,
    title: String,
    run: String?,
    target: String?,
    operations: [Operation],
    place: Place
  ) {
    self.id = id
    self.title = title
    self.run = run
    self.target = target
    self.operations = operations
    self.place = place
  }

  /// The title, and what this run of the test is called.
  public var name: String { title + (run.map { ", \($0)" } ?? "") }
}
