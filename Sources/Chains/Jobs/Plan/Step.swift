// One step of a chain: its action, its capture, its expectations.
//
// The kinds of steps are in `Kinds`.

public import Bluetooth
public import Documents

/// One step of a chain.
///
/// Equality ignores where a step was written.
public struct Step: Hashable, Sendable {
  /// The effect of a failed step on the run.
  public enum AfterFailure: String, Hashable, Sendable, CaseIterable {
    /// The run ends.
    case stop
    /// The run continues, and fails at its end.
    case `continue`
    /// The run continues, and the failure becomes a warning, unless its cause is this host.
    case warn
  }

  /// The operation, with its parameters.
  public var action: Action
  /// The name of the step in output; nil for its title.
  public var name: String?
  /// The name under which later steps use the value.
  public var capture: String?
  /// The required result: a value, or a failure.
  public var expected: Expected
  /// The timeout of each attempt; nil for that of the chain.
  public var timeout: Duration?
  /// The retries after a transient failure. They do not reconnect the device.
  public var retry = RetryRule()
  /// The effect of a failure on the run.
  public var onFailure = AfterFailure.stop
  private var origin = Uncompared<(place: Place?, text: String?)>((nil, nil))

  /// Creates a step from an action; each kind also has a function on ``Step``, such as `Step.read`.
  ///
  /// ```swift
  /// let step = Step(.read(ReadStep("battery-level")), capture: "battery", timeout: .seconds(5))
  /// ```
  public init(
    _ action: Action, capture: String? = nil, expectations: [Expectation] = [],
    timeout: Duration? = nil
  ) {
    self.action = action
    self.capture = capture
    expected = .values(expectations)
    self.timeout = timeout
  }
}

extension Step {
  /// The place of the step, for failures: file, line and column of a chain file or of the one-line
  /// form; `#fileID` and `#line` of Swift code. Nil for a Swift step outside a `Plan { … }`
  /// builder.
  public var source: Place? {
    get { origin.value.place }
    set { origin.value.place = newValue }
  }

  /// The file that contains the step; nil for the one-line form.
  package var sourceFile: String? { sourceText == nil ? source?.file : nil }

  /// The complete one-line form that contains the step; nil for files and Swift.
  package var sourceText: String? {
    get { origin.value.text }
    set { origin.value.text = newValue }
  }
}

extension Step {
  /// The conditions on the value; empty if the step is expected to fail. Setting them makes the
  /// step one that must succeed.
  public var expectations: [Expectation] {
    get { expected.expectations }
    set { expected = .values(newValue) }
  }

  var kind: any StepKind { action.kind }

  /// The verb of the step, such as `read` or `notify`.
  public var operation: String { type(of: kind).verb }

  public var characteristic: CharacteristicSelector? { kind.characteristic }

  /// All characteristics of the step itself, including that of its trigger.
  ///
  /// ```swift
  /// let used = Set(plan.steps.flatMap(\.characteristics))
  /// ```
  public var characteristics: [CharacteristicSelector] { kind.characteristics }

  /// The characteristics that the step accesses, each with its operation.
  package var operations: [(CharacteristicSelector, CharacteristicOperation)] { kind.operations }

  /// The name of the attribute in output.
  public var attribute: String? { kind.attribute }

  /// The operation as a participle for failures: "reading battery-level".
  var participle: String { kind.participle }

  /// An effect beyond the listed characteristics, as a continuation of "which": "pairs"; nil if
  /// there is none. A gateway limited to characteristics refuses such a step.
  package var privilege: String? { kind.privilege }

  public var innerSteps: [Step] { kind.blocks.flatMap(\.steps) }

  /// The step and all steps nested in it.
  fileprivate var all: [Step] { [self] + innerSteps.flatMap(\.all) }

  /// Applies a change to the step and to all steps nested in it.
  func changed<Failure: Error>(
    _ change: (inout Step) throws(Failure) -> Void
  ) throws(Failure) -> Step {
    var step = self
    try change(&step)
    var kind = step.kind
    var blocks = kind.blocks
    guard !blocks.isEmpty else { return step }
    for index in blocks.indices {
      blocks[index].steps = try blocks[index].steps.map { inner throws(Failure) in
        try inner.changed(change)
      }
    }
    kind.blocks = blocks
    step.action = kind.action
    return step
  }
}

/// A value that equality and hashing ignore.
struct Uncompared<Value: Sendable>: Hashable, Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }

  static func == (a: Self, b: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

extension Plan {
  /// The steps as written, and all steps nested in them.
  package var allSteps: [Step] { steps.flatMap(\.all) }
}

extension Step: CustomStringConvertible {
  /// The step in the one-line form, without inner steps.
  public var description: String {
    ([kind.line] + Self.printedKeys.flatMap { $0.operations.words(self) }).joined(separator: " ")
  }

  /// The operation and its target: `read battery-level`, `write alert-level u8:1`.
  ///
  /// ```swift
  /// print(try Step.read("battery-level").within(.seconds(5)).title)  // read battery-level
  /// ```
  public var title: String { kind.title }
}
