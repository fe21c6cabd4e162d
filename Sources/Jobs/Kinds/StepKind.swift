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
  /// The same on the lines of its values, without what makes the device send them.
  var valueTitle: String { get }
  /// Its inner steps.
  var blocks: [StepBlock] { get set }
  /// The key whose value names a variable of the inner steps; nil without one.
  static var bindingKey: String? { get }
  /// The variable that its inner steps have; nil without one.
  var binding: String? { get }
  /// The fields that its value may have, and the measures over many values; nil where they are unknown.
  var fields: [String]? { get }
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
    /// They run where the conditional ones do not.
    case otherwise
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
  static var bindingKey: String? { nil }
  var binding: String? { nil }

  var title: String { title(keys: Self.titleKeys) }
  var valueTitle: String { title }
  var blocks: [StepBlock] {
    get { [] }
    set {}
  }
  var fields: [String]? { subjects.map(\.capturedFields) ?? [] }
  var characteristic: CharacteristicSelector? { characteristics.first }
  var attribute: String? { characteristic?.description }
  func limit(_ usual: Duration) -> Duration { usual }

  /// All its characteristics.
  var characteristics: [CharacteristicSelector] {
    Self.keys.flatMap { $0.characteristics(self) }
  }

  /// The verb and the first keys.
  func title(keys: Int) -> String {
    ([Self.verb.rawValue] + words(Array(Self.keys.prefix(keys)))).joined(separator: " ")
  }

  /// The one-line form, without inner steps and shared keys.
  var line: String {
    ([Self.verb.rawValue] + words(Self.keys)).joined(separator: " ")
  }

  /// The keys that it shares with other kinds: its own, and those of every step. A step has no name
  /// where its kind has a key of that name.
  static var sharedKeys: [StepKey] {
    let named: [StepKey] = keys.contains { $0.name == "name" } ? [] : [.name]
    let tried: [StepKey] = needsLink ? [.attempts, .backoff] : []
    return named + common + tried + [.onFailure]
  }

  /// Whether the values of a key may use captured values.
  static func isLive(_ name: String) -> Bool {
    descriptions.contains { $0.name == name && $0.shape.isLive }
  }

  /// All keys, including the shared ones.
  static var descriptions: [KeyDescription] {
    keys.map { $0.description } + sharedKeys.map { $0.description }
  }

  /// Whether the verb may be used without keys.
  static var mayBeBare: Bool { !keys.contains(where: \.description.isRequired) }

  /// Reads a step.
  static func step(_ node: Node, _ reader: inout StepReader) -> Step? {
    var mapping = MappingReader(node)
    defer { reader.problems += mapping.finish() }
    let verb = Self.verb.rawValue
    if let key = bindingKey, let name = node.value(of: key)?.text {
      reader.scope.capture(name, fields: [], nil)
    }
    if keys.first?.name != verb, let node = mapping.optional(verb), !node.isNull {
      reader.complain(node, Complaint(found: node.shown, expected: "no value"))
    }
    var step = Step(.connect)
    let payload = take(from: &mapping, &reader) { mapping, reader in
      let subjects = reader.subjects
      for key in sharedKeys {
        reader.subjects = subjects
        key.take(from: &mapping, into: &step, &reader)
      }
      return step.timeout
    }
    if mapping.has("backoff"), !mapping.has("attempts"), let node = mapping["backoff"] {
      reader.complain(node, Complaint("'backoff' is only valid with 'attempts'"))
    }
    guard let payload else { return nil }
    step.action = payload.action
    return step
  }
}

/// A key that several kinds of steps share.
enum StepKey {
  case name
  case `as`, expect, timeout
  /// `expect` of a step without a value, which can only fail.
  case expectFailure
  case attempts, backoff, onFailure

  /// Those whose words a step has in the one-line form.
  static let printed: [StepKey] = [.name, .as, .expect, .timeout, .attempts, .backoff, .onFailure]

  var description: KeyDescription { key.description }

  /// Reads the key into a step.
  func take(from mapping: inout MappingReader, into step: inout Step, _ reader: inout StepReader) {
    _ = key.take(from: &mapping, into: &step, &reader)
  }

  /// Its description as a key of the step itself.
  var key: Key<Step> {
    switch self {
    case .name: Self.nameKey
    case .attempts: Self.attemptsKey
    case .backoff: Self.backoffKey
    case .onFailure: Self.onFailureKey
    case .as: Self.captureKey
    case .expect: Self.expectedKey
    case .expectFailure: Self.failureKey
    case .timeout: Self.timeoutKey
    }
  }

  private static let nameKey = Key<Step>(
    "name",
    \.name,
    .text("a text"),
    documentation: "the name of the step, for people"
  )
  private static let attemptsKey = Key<Step>(
    "attempts",
    \.retry.attempts,
    .attempts,
    default: 1,
    documentation:
      "how often the step is tried while it fails transiently; a lost connection is not made again"
  )
  private static let backoffKey = Key<Step>(
    "backoff",
    \.retry.backoff,
    .pause("500ms"),
    default: RetryRule().backoff,
    documentation: "the wait before the second try; it doubles for each further one"
  )
  private static let onFailureKey = Key<Step>(
    "on-failure",
    \.onFailure,
    .choice("continue: the run goes on, and fails at its end."),
    default: .stop,
    documentation: "what happens after the step has failed"
  )
  private static let captureKey = Key<Step>(
    "as",
    \.capture,
    .variableName,
    documentation: "the name under which later steps use the value"
  )
  private static let expectedKey = Key<Step>(
    "expect",
    \.expected,
    .expected,
    default: .values([]),
    .comparisons(after: "expect"),
    documentation: "what the value must be; or `error`: what the step must fail with"
  )
  private static let failureKey = Key<Step>(
    "expect",
    \.expected,
    .expectedFailure,
    default: .values([]),
    .comparisons(after: "expect"),
    documentation: "`error`: what the step must fail with"
  )
  private static let timeoutKey = Key<Step>(
    "timeout",
    \.timeout,
    .duration,
    .option("within"),
    documentation: "the timeout of the step; by default the `timeout` of the chain"
  )
}
