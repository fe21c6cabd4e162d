// One step of a chain: its action, its capture, its expectations.

public import Bluetooth
public import Documents

/// One step of a chain.
///
/// Steps are equal when they do the same, wherever they were written.
public struct Step: Hashable, Sendable {
  /// What the run does after the step has failed.
  public enum AfterFailure: String, Hashable, Sendable, CaseIterable {
    /// It ends.
    case stop
    /// It goes on, and fails at its end.
    case `continue`
    /// It goes on, and the failure is a warning, unless this host is the reason.
    case warn
  }

  /// What the step does.
  public var action: Action
  /// What people call the step; nil without a name.
  public var name: String?
  /// The name under which later steps use the value.
  public var capture: String?
  /// What it must end with: a value, or a failure.
  public var expected: Expected
  /// The timeout of the step, of each try; nil for that of the chain.
  public var timeout: Duration?
  /// How often the step is tried when it fails transiently. The connection is not made again.
  public var retry = RetryRule()
  /// What the run does after the step has failed.
  public var onFailure = AfterFailure.stop
  private var origin = Uncompared<(place: Place?, text: String?)>((nil, nil))

  /// A step; ``Step`` has a function for each kind, with the words of chain files.
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
  /// Where it was written, for failures: file, line and column of a chain file or of the one-line
  /// form, `#fileID` and `#line` of Swift code; nil for a step outside braces.
  public var source: Place? {
    get { origin.value.place }
    set { origin.value.place = newValue }
  }

  /// The file that it was written in; nil for the one-line form.
  package var sourceFile: String? { sourceText == nil ? source?.file : nil }

  /// The complete text of the one-line form in which it was written; nil elsewhere.
  package var sourceText: String? {
    get { origin.value.text }
    set { origin.value.text = newValue }
  }
}

extension Step {
  /// What the value must be; empty where the step must fail. Setting it makes the step one that must
  /// succeed.
  public var expectations: [Expectation] {
    get { expected.expectations }
    set { expected = .values(newValue) }
  }

  var kind: any StepKind { action.kind }

  /// The verb of the step: `read`, `notify`.
  public var operation: String { type(of: kind).verb }

  /// The characteristic of the step.
  public var characteristic: CharacteristicSelector? { kind.characteristic }

  /// All characteristics of the step itself, including that of its trigger.
  ///
  /// ```swift
  /// let used = Set(plan.steps.flatMap(\.characteristics))
  /// ```
  public var characteristics: [CharacteristicSelector] { kind.characteristics }

  /// What it does with characteristics.
  package var operations: [(CharacteristicSelector, CharacteristicOperation)] { kind.operations }

  /// The name of its attribute in output.
  public var attribute: String? { kind.attribute }

  /// "reading battery-level": the operation, for failures.
  var doing: String { kind.doing }

  /// What it does besides using its characteristics, after "which": "pairs"; nil for nothing. A
  /// gateway that is limited to characteristics refuses it.
  package var privilege: String? { kind.privilege }

  /// The inner steps.
  public var innerSteps: [Step] { kind.blocks.flatMap(\.steps) }

  /// The step, and all steps inside it.
  fileprivate var all: [Step] { [self] + innerSteps.flatMap(\.all) }

  /// The step with a change to it and to all steps inside it.
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

/// What is kept beside a value and takes no part in comparing it.
struct Uncompared<Value: Sendable>: Hashable, Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }

  static func == (a: Self, b: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

extension Plan {
  /// The steps as written, and all steps inside them.
  package var allSteps: [Step] { steps.flatMap(\.all) }
}

extension Step: CustomStringConvertible {
  /// The step in the one-line form, without inner steps.
  public var description: String {
    ([kind.line] + Self.printedKeys.flatMap { $0.traits.words(self) }).joined(separator: " ")
  }

  /// The operation and its target: `read battery-level`, `write alert-level u8:1`.
  ///
  /// ```swift
  /// print(try Step.read("battery-level").within(.seconds(5)).title)  // read battery-level
  /// ```
  public var title: String { kind.title }
}
