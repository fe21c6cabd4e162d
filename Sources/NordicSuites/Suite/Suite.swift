// A test suite as it runs, with its variables filled in.
//
// A pure value. It is read from XML, printed by a dry run, and run by SuiteRunner.

public import Bluetooth
public import Documents

/// Tests on one or several devices, in the order in which they run.
public struct Suite: Hashable, Sendable {
  /// The kinds of file.
  public enum Kind: String, Hashable, Sendable {
    case suite = "test-suite"
    /// Operations recorded in the app: they have no targets, and run on one device.
    case macro
  }

  public let kind: Kind
  /// The description of a suite, or the name of a macro.
  public let title: String?
  public let targets: [SuiteTarget]
  /// The tests, one for each `run-test`, in order.
  public let runs: [SuiteTest]
  /// The names by which the attributes of devices are printed.
  public let names: AttributeNames

  public init(
    kind: Kind,
    title: String?,
    targets: [SuiteTarget],
    runs: [SuiteTest],
    names: AttributeNames = .assigned
  ) {
    self.names = names
    self.kind = kind
    self.title = title
    self.targets = targets
    self.runs = runs
  }

  /// The number of operations in all runs.
  public var operationCount: Int { runs.reduce(0) { $0 + $1.operations.count } }
}

/// A device of a suite.
public struct SuiteTarget: Hashable, Sendable {
  public let id: String
  /// The name, if the suite has one.
  public let name: String?
  /// Nil for a target that a `scan-for` or the command line binds.
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
  /// The description of the test, else its identifier.
  public let title: String
  /// The description of this run of the test, if it has one.
  public let run: String?
  /// The target of operations that name none.
  public let target: String?
  public let operations: [Operation]
  /// The place of the test in the file.
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

  /// The title, with the description of this run.
  public var name: String { title + (run.map { ", \($0)" } ?? "") }
}
