// One kind of step: everything about it before it runs.
//
// Readers, printers, the schema, the tables of the documentation and the checks of chains in Swift
// are derived from it. What a step does when it runs is in ChainRun+Steps.

import Bluetooth
import Documents

/// The description of one kind of step, and the payload that it reads.
protocol StepKind: Described {
  static var verb: StepVerb { get }
  /// What it does, as a continuation of "the step …".
  static var documentation: String { get }
  /// The keys that it shares with other kinds.
  static var common: [StepKey] { get }
  /// How many of the first keys belong to the title.
  static var titleKeys: Int { get }
  /// Whether it needs a connection to the device.
  static var needsLink: Bool { get }

  var action: Step.Action { get }
  /// "reading battery-level": the operation, for failures.
  var doing: String { get }
  /// The operation and its target, without capture and expectations: `read battery-level`.
  var title: String { get }
  /// Its inner steps.
  var blocks: [StepBlock] { get set }
  /// The fields that its value may have, and the measures over many values.
  var fields: [String] { get }
  /// Its characteristic.
  var characteristic: CharacteristicSelector? { get }
  /// The name of its attribute in output.
  var attribute: String? { get }
  /// Its timeout where the step does not set one.
  ///
  /// - Parameter usual: The default timeout of the chain.
  func limit(_ usual: Duration) -> Duration
}

/// A block of inner steps.
struct StepBlock: Hashable, Sendable {
  enum Role: Hashable, Sendable {
    /// They run whenever the step runs.
    case certain
    /// They may run.
    case conditional
    /// They run last, whatever the outcome of the others.
    case finally
  }

  let role: Role
  var steps: [Step]
}

extension StepKind {
  static var common: [StepKey] { [] }
  static var titleKeys: Int { 1 }
  static var needsLink: Bool { true }

  var title: String {
    ([Self.verb.rawValue] + words(Self.keys.prefix(Self.titleKeys))).joined(separator: " ")
  }
  var blocks: [StepBlock] {
    get { [] }
    set {}
  }
  var fields: [String] { subjects.map { $0.fields + $0.measures } ?? [] }
  var characteristic: CharacteristicSelector? { characteristics.first }
  var attribute: String? { characteristic?.description }
  func limit(_ usual: Duration) -> Duration { usual }

  /// All its characteristics.
  var characteristics: [CharacteristicSelector] { Self.keys.flatMap { $0.characteristics(self) } }

  /// The one-line form, without inner steps and shared keys.
  var line: String {
    ([Self.verb.rawValue] + words(Self.keys)).joined(separator: " ")
  }

  /// All keys, including the shared ones.
  static var descriptions: [KeyDescription] { keys.map(\.description) + common.map(\.description) }

  /// Whether the verb may be used without keys.
  static var mayBeBare: Bool { !keys.contains(where: \.description.isRequired) }

  /// Reads a step.
  static func step(_ node: Node, _ reader: inout StepReader) -> Step? {
    var mapping = MappingReader(node)
    defer { reader.problems += mapping.finish() }
    let verb = Self.verb.rawValue
    if keys.first?.name != verb, let node = mapping.optional(verb), !node.isNull {
      reader.complain(node, Complaint(found: node.shown, expected: "no value"))
    }
    var step = Step(.connect)
    let payload = take(from: &mapping, &reader) { mapping, reader in
      let subjects = reader.subjects
      for key in common {
        reader.subjects = subjects
        key.take(from: &mapping, into: &step, &reader)
      }
      return step.timeout
    }
    guard let payload else { return nil }
    step.action = payload.action
    return step
  }
}

/// A key that several kinds of steps share.
enum StepKey: CaseIterable {
  case `as`, expect, timeout

  var description: KeyDescription { key.description }

  /// Reads the key into a step.
  func take(from mapping: inout MappingReader, into step: inout Step, _ reader: inout StepReader) {
    _ = key.take(from: &mapping, into: &step, &reader)
  }

  /// Its description as a key of the step itself.
  var key: Key<Step> {
    switch self {
    case .as: Self.captureKey
    case .expect: Self.expectationsKey
    case .timeout: Self.timeoutKey
    }
  }

  private static let captureKey = Key<Step>(
    "as",
    \.capture,
    .variableName,
    documentation: "the name under which later steps use the value"
  )
  private static let expectationsKey = Key<Step>(
    "expect",
    \.expectations,
    .expectations,
    default: [],
    .comparisons(after: "expect"),
    documentation: "what the value must be"
  )
  private static let timeoutKey = Key<Step>(
    "timeout",
    \.timeout,
    .duration,
    .option("within"),
    documentation: "the timeout of the step; by default the `timeout` of the chain"
  )
}
