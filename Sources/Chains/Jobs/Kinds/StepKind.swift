// One kind of step: its keys, its words, and what it does when it runs.
//
// Readers, printers, the schema, the tables of the documentation and the checks of chains in Swift
// are derived from it. A member has a default where one answer is right for nearly all kinds.

import Bluetooth
import Documents

/// A kind of step; a value is the payload of a step of this kind.
protocol StepKind: StepEntry {
  /// The keys that it shares with other kinds.
  static var common: [Key<Step>] { get }
  /// How many of the first keys belong to the title.
  static var titleKeys: Int { get }
  /// Whether it needs a connection to the device.
  static var needsLink: Bool { get }
  /// Whether it stays before the implicit connect at the beginning of a chain: a connected device may
  /// not advertise.
  static var precedesLink: Bool { get }
  /// Whether nothing is connected after it.
  static var endsLink: Bool { get }
  /// Whether its result repeats what follows the verb.
  static var resultRepeatsTitle: Bool { get }

  var action: Step.Action { get }
  /// "reading battery-level": the operation, for failures.
  var doing: String { get }
  /// The same, with the device where it is about that.
  func doing(with device: String) -> String
  /// The operation and its target, without capture and expectations: `read battery-level`.
  var title: String { get }
  /// The same on the lines of its values, without what makes the device send them.
  var valueTitle: String { get }
  /// Does it.
  ///
  /// - Parameter run: Gets the outcome as soon as it is known, so that a step that fails later has
  ///   one, too.
  func run(_ run: StepRun) async throws
  var blocks: [StepBlock] { get set }
  /// How often they run at most.
  var turns: Int { get }
  /// The key whose value names a variable of the inner steps; nil without one.
  static var bindingKey: String? { get }
  /// The variable that its inner steps have; nil without one.
  var binding: String? { get }
  /// The fields that its value may have, and the measures over many values; nil where they are unknown.
  var fields: [String]? { get }
  var characteristic: CharacteristicSelector? { get }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] { get }
  /// The name of its attribute in output.
  var attribute: String? { get }
  /// The name of the characteristic that it writes besides, in output.
  var written: String? { get }
  /// What it does besides using its characteristics, after "which": "pairs"; nil for nothing. A
  /// gateway that is limited to characteristics refuses it.
  var privilege: String? { get }
  /// Its timeout where the step does not set one.
  ///
  /// - Parameter usual: The default timeout of the chain.
  func limit(_ usual: Duration) -> Duration
}

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
  static var common: [Key<Step>] { [] }
  static var titleKeys: Int { 1 }
  static var needsLink: Bool { true }
  static var precedesLink: Bool { false }
  static var endsLink: Bool { false }
  static var resultRepeatsTitle: Bool { false }
  static var bindingKey: String? { nil }
  var binding: String? { nil }

  var title: String { title(keys: Self.titleKeys) }
  var valueTitle: String { title }
  func doing(with device: String) -> String { doing }
  var blocks: [StepBlock] {
    get { [] }
    set {}
  }
  var turns: Int { 1 }
  var fields: [String]? { subjects.map(\.capturedFields) ?? [] }
  var characteristic: CharacteristicSelector? { characteristics.first }
  var operations: [(CharacteristicSelector, CharacteristicOperation)] { [] }
  var attribute: String? { characteristic?.description }
  var written: String? { nil }
  /// A kind that does something with the device, and names no characteristic for it, is refused
  /// unless it decides otherwise.
  var privilege: String? {
    Self.needsLink && characteristics.isEmpty ? "runs '\(Self.verb)'" : nil
  }
  func limit(_ usual: Duration) -> Duration { usual }

  var characteristics: [CharacteristicSelector] {
    Self.keys.flatMap { $0.traits.characteristics(self) }
  }

  /// The verb and the first keys.
  func title(keys: Int) -> String {
    ([Self.verb] + words(Array(Self.keys.prefix(keys)))).joined(separator: " ")
  }

  /// The one-line form, without inner steps and shared keys.
  var line: String { title(keys: Self.keys.count) }

  /// The keys that it shares with other kinds: its own, and those of every step. A step has no name
  /// where its kind has a key of that name.
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

  /// The step of a mapping with the keys of the kind; none after an error.
  static func kindSteps(_ node: Node, _ reader: inout StepReader) -> [Step] {
    var step = step(node, &reader)
    step?.source = node.place
    step?.sourceText = reader.form == .line ? reader.text : nil
    reader.capture(step, node)
    return step.map { [$0] } ?? []
  }

  private static func step(_ node: Node, _ reader: inout StepReader) -> Step? {
    var mapping = MappingReader(node)
    defer { reader.problems += mapping.finish() }
    if let key = bindingKey, let name = node.value(of: key)?.text {
      reader.scope.capture(name, fields: [], nil)
    }
    if keys.first?.name != verb, let node = mapping.optional(verb), !node.isNull {
      reader.complain(node, Problem(found: node.shown, expected: "no value"))
    }
    var step = Step(.connect)
    let payload = take(from: &mapping, &reader) { mapping, reader in
      let subjects = reader.subjects
      for shared in sharedKeys {
        reader.subjects = subjects
        _ = shared.take(from: &mapping, into: &step, &reader)
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
