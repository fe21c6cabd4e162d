// A kind of step: its keys, its wording, and its behaviour when it runs.
//
// Readers, printers, the schema, the tables of the documentation and the checks of chains in Swift
// are derived from it. A member has a default if one answer is right for nearly all kinds.

import Bluetooth
import Documents

/// A kind of step; an instance is the payload of one step.
protocol StepKind: StepEntry {
  /// The keys shared with other kinds.
  static var common: [Key<Step>] { get }
  /// The number of leading keys that belong to the title.
  static var titleKeys: Int { get }
  /// Whether the step needs a connection to the device.
  static var needsLink: Bool { get }
  /// Whether the step runs before the implicit connect when it begins a chain. Scans do, because a
  /// connected device may not advertise.
  static var precedesLink: Bool { get }
  /// Whether the device is disconnected after the step.
  static var endsLink: Bool { get }

  var action: Step.Action { get }
  /// Whether the step reports many values, each on its own line of output.
  var isStream: Bool { get }
  /// The operation as a participle, for failures and waits: "reading battery-level".
  var participle: String { get }
  /// The participle, with the device if the step acts on the device as a whole.
  func participle(with device: String) -> String
  /// The operation and its target, without capture and expectations: `read battery-level`.
  var title: String { get }
  /// The title on the lines of single values, without the trigger.
  var valueTitle: String { get }
  /// Performs the step.
  ///
  /// - Parameter run: Receives the outcome as soon as it is known, so that a step that fails later
  ///   still reports it.
  func run(_ run: StepRun) async throws
  var blocks: [StepBlock] { get set }
  /// The maximum number of times that the inner steps run.
  var turns: Int { get }
  /// The key whose value names a variable of the inner steps; nil if there is none.
  static var bindingKey: String? { get }
  /// The variable that the inner steps can use; nil if there is none.
  var binding: String? { get }
  /// The fields that a captured value of the step may have, with the measures over many values.
  /// Empty for a value without fields, nil if the fields are unknown.
  var capturedFields: [String]? { get }
  var characteristic: CharacteristicSelector? { get }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] { get }
  /// The name of the attribute in output.
  var attribute: String? { get }
  /// The name of a second characteristic that the step writes, in output.
  var written: String? { get }
  /// An effect beyond the listed characteristics, as a continuation of "which": "pairs"; nil if
  /// there is none. A gateway limited to characteristics refuses such a step.
  var privilege: String? { get }
  /// The timeout of a step that does not set one.
  ///
  /// - Parameter usual: The default timeout of the chain.
  func limit(_ usual: Duration) -> Duration
}

struct StepBlock: Hashable, Sendable {
  enum Role: Hashable, Sendable {
    /// The steps run each time the enclosing step runs.
    case certain
    /// The steps run if the condition holds.
    case conditional
    /// The steps run if the condition does not hold.
    case otherwise
    /// The steps run last, even if the others failed.
    case finally
  }

  let role: Role
  var steps: [Step]
}

extension StepKind {
  static var common: [Key<Step>] { [] }
  static var titleKeys: Int { 1 }
  static var needsLink: Bool { true }
  static var precedesLink: Bool { false }
  static var endsLink: Bool { false }
  static var bindingKey: String? { nil }
  var isStream: Bool { false }
  var binding: String? { nil }

  var title: String { title(keys: Self.titleKeys) }
  var valueTitle: String { title }
  func participle(with device: String) -> String { participle }
  var blocks: [StepBlock] {
    get { [] }
    set {}
  }
  var turns: Int { 1 }
  var capturedFields: [String]? { subjects.map(\.capturedFields) ?? [] }
  var characteristic: CharacteristicSelector? { characteristics.first }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] { [] }
  var attribute: String? { characteristic?.description }
  var written: String? { nil }
  /// A step that uses the connection without naming a characteristic counts as privileged, unless
  /// its kind says otherwise.
  var privilege: String? {
    Self.needsLink && characteristics.isEmpty ? "runs '\(Self.verb)'" : nil
  }
  func limit(_ usual: Duration) -> Duration { usual }

  var characteristics: [CharacteristicSelector] {
    Self.keys.flatMap { $0.operations.characteristics(self) }
  }

  /// The verb and the first `keys` keys, in the one-line form.
  func title(keys: Int) -> String {
    ([Self.verb] + words(Array(Self.keys.prefix(keys)))).joined(separator: " ")
  }

  /// The one-line form, without inner steps and shared keys.
  var line: String { title(keys: Self.keys.count) }

  /// The keys shared with other kinds and those of every step. A kind with its own key `name`
  /// (`scan`) does not get the shared `name`.
  static var sharedKeys: [Key<Step>] {
    let named: [Key<Step>] = keys.contains { $0.name == "name" } ? [] : [.name]
    let tried: [Key<Step>] = needsLink ? [.attempts, .backoff] : []
    return named + common + tried + [hasInnerSteps ? .onInnerFailure : .onFailure]
  }

  static var descriptions: [KeyDescription] {
    keys.map { $0.description } + sharedKeys.map(\.description)
  }

  static func steps(_ node: Node, _ reader: inout StepReader) -> [Step] {
    kindSteps(node, &reader)
  }

  /// Reads the step of a mapping; returns no steps if it has errors.
  static func kindSteps(_ node: Node, _ reader: inout StepReader) -> [Step] {
    var step = step(node, &reader)
    step?.source = node.place
    step?.sourceText = reader.form == .line ? reader.text : nil
    reader.capture(step, node)
    return step.map { [$0] } ?? []
  }

  private static func step(_ node: Node, _ reader: inout StepReader) -> Step? {
    if let problem = problemOfMappingBelowVerb(in: node, reader) {
      reader.complain(node.value(of: verb) ?? node, problem)
      reader.captureUnread(node)
      return nil
    }
    var mapping = MappingReader(node)
    defer { reader.problems += mapping.finish() }
    if let key = bindingKey, let name = node.value(of: key)?.text {
      reader.scope.capture(name, fields: [], nil)
    }
    if keys.first?.name != verb, let node = mapping.optional(verb), !node.isNull {
      reader.complain(node, Problem(found: node.shown, expected: "no value"))
    }
    // The payload of the mapping replaces this placeholder of the same kind.
    var step = Step(Self().action)
    let payload = readKeys(from: &mapping, &reader) { mapping, reader in
      let subjects = reader.subjects
      for shared in sharedKeys {
        reader.subjects = subjects
        _ = shared.read(from: &mapping, into: &step, &reader)
      }
      return step.timeout
    }
    if mapping.has("backoff"), !mapping.has("attempts"), let node = mapping["backoff"] {
      reader.complain(node, Problem("'backoff' is only valid with 'attempts'"))
    }
    guard let payload else { return nil }
    step.action = payload.action
    return step
  }
}
