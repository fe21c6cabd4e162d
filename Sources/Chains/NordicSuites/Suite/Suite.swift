// A test suite with its variables filled in.
//
// A pure value. It is read from XML, printed by a dry run, and run by SuiteRunner.

public import Bluetooth

/// Tests on one or several devices, in the order in which they run.
public struct Suite: Hashable, Sendable {
  /// The kinds of file.
  public enum Kind: String, Hashable, Sendable {
    case suite = "test-suite"
    /// Operations recorded in the app: they have no targets, and run on one device.
    case macro
  }

  public let kind: Kind
  /// The description of the suite, or the name of the macro.
  public let title: String?
  public let targets: [SuiteTarget]
  /// The tests, one for each `run-test`, in order.
  public let runs: [SuiteTest]
  /// The printed names of UUIDs.
  let names: AttributeNames
  /// The variables that the file uses or sets.
  public private(set) var variables: [String] = []

  init(
    kind: Kind, title: String?, targets: [SuiteTarget], runs: [SuiteTest], names: AttributeNames
  ) {
    self.kind = kind
    self.title = title
    self.targets = targets
    self.runs = runs
    self.names = names
  }

  /// Returns the suite with the variables of its file.
  func with(variables: [String]) -> Self {
    var new = self
    new.variables = variables
    return new
  }

  /// The number of operations in all runs.
  public var operationCount: Int { runs.reduce(0) { $0 + $1.operations.count } }
}

/// A device of a suite.
public struct SuiteTarget: Hashable, Sendable {
  public let id: String
  /// The name, if the suite has one.
  let name: String?
  /// The address; nil for a target that a `scan-for` or the command line binds.
  public let address: BluetoothAddress?
}

/// One run of a test.
public struct SuiteTest: Hashable, Sendable {
  /// The identifier of the test.
  public let id: String
  /// The description of the test, or else its identifier.
  public let title: String
  /// The description of this run of the test, if it has one.
  let run: String?
  /// The target of operations that name none.
  let target: String?
  let operations: [Operation]

  /// The title, with the description of this run.
  var name: String { title + (run.map { ", \($0)" } ?? "") }
}
