// A key of a mapping: its name, its shape, its one-line form, and where its value is stored.

import Bluetooth
import Documents

/// How the value of a key is written in the one-line form.
enum LineForm: Sendable {
  /// The word after the verb.
  case target
  /// The word after the one that names the key.
  case option(String)
  /// The same, any number of times.
  case repeated(String)
  /// A word without a value.
  case flag(String)
  /// One of a few words, without the name of the key.
  case bare([String], what: String)
  /// Words with a format before a colon: `u8:1`.
  case parts
  /// The keys of the mapping are options of the step.
  case members([KeyDescription])
  /// Steps in braces, after a word if there is one.
  case steps(after: String?)
  /// One `write` in braces after a word.
  case write(after: String, [KeyDescription])
  /// Inputs in braces; each begins with one of its keys.
  case inputs([KeyDescription])
  /// A comparison after a word, any number of times.
  case comparisons(after: String)
  /// Comparisons with `and` between them.
  case condition
  /// A name and its value after a word, any number of times: `with level=2`.
  case binding(after: String)
  /// A count, a silence or a comparison after a word, any number of times.
  case stop(after: String)
}

/// The properties of a key that do not depend on its value: for the one-line form, the schema, the
/// documentation.
struct KeyDescription: Sendable {
  let name: String
  /// One line that continues "`name`:".
  let documentation: String
  let shape: ShapeDescription
  let form: LineForm
  let isRequired: Bool

  /// The word of the one-line form that names the key; nil without one.
  var word: String? {
    switch form {
    case .option(let word), .repeated(let word), .flag(let word), .write(let word, _),
      .comparisons(let word), .stop(let word), .binding(let word):
      word
    case .steps(let word): word
    case .target, .bare, .parts, .members, .inputs, .condition: nil
    }
  }
}

/// A key of a mapping that becomes an `Owner`.
struct Key<Owner: Sendable>: Sendable {
  let description: KeyDescription
  private let read: @Sendable (Node, inout Owner, inout StepReader) -> Bool
  /// Its words in the one-line form; empty for the default value.
  let words: @Sendable (Owner) -> [String]
  let mentions: @Sendable (Owner) -> [VariablePath]
  let characteristics: @Sendable (Owner) -> [CharacteristicSelector]
  private let check: @Sendable (Owner, PlanLimits) -> Problem?
  private let filling: @Sendable (inout Owner, Filling) throws(Problem) -> Void
  /// Whether its value is not the default.
  let isGiven: @Sendable (Owner) -> Bool

  var name: String { description.name }
  var shape: ShapeDescription { description.shape }
}

extension Key {
  /// - Parameters:
  ///   - path: Where the value is stored.
  ///   - initial: The default, with which the key may be null; nil for a required key.
  ///   - form: Nil for an option with the same name.
  init<Value: Equatable & Sendable>(
    _ name: String,
    _ path: any WritableKeyPath<Owner, Value> & Sendable,
    _ shape: Shape<Value>,
    default initial: Value? = nil,
    _ form: LineForm? = nil,
    documentation: String
  ) {
    let form = form ?? .option(name)
    description = KeyDescription(
      name: name,
      documentation: documentation,
      shape: shape.description,
      form: form,
      isRequired: initial == nil
    )
    read = { node, owner, reader in
      guard let value = reader.read(node, shape) else { return false }
      owner[keyPath: path] = value
      return true
    }
    words = { owner in
      let value = owner[keyPath: path]
      return value == initial ? [] : shape.words(value).map { form.written($0) }
    }
    mentions = { shape.mentions($0[keyPath: path]) }
    characteristics = { shape.characteristics($0[keyPath: path]) }
    check = { owner, limits in
      let value = owner[keyPath: path]
      return value == initial ? nil : shape.check(value, limits)
    }
    filling = { owner, filling throws(Problem) in
      guard let fill = shape.fill else { return }
      owner[keyPath: path] = try fill(owner[keyPath: path], filling)
    }
    isGiven = { $0[keyPath: path] != initial }
  }

  /// A key whose default is nil.
  init<Value: Equatable & Sendable>(
    _ name: String,
    _ path: any WritableKeyPath<Owner, Value?> & Sendable,
    _ shape: Shape<Value>,
    _ form: LineForm? = nil,
    documentation: String
  ) {
    self.init(name, path, shape.optional, default: .some(nil), form, documentation: documentation)
  }

  /// A key whose value is read elsewhere.
  init(readElsewhere description: KeyDescription) {
    self.description = description
    read = { _, _, _ in true }
    words = { _ in [] }
    mentions = { _ in [] }
    characteristics = { _ in [] }
    check = { _, _ in nil }
    filling = { _, _ throws(Problem) in }
    isGiven = { _ in false }
  }

  /// The same key of a value that the owner is a part of.
  func of<Whole>(_ path: any WritableKeyPath<Whole, Owner> & Sendable) -> Key<Whole> {
    Key<Whole>(
      description: description,
      read: { node, whole, reader in read(node, &whole[keyPath: path], &reader) },
      words: { words($0[keyPath: path]) },
      mentions: { mentions($0[keyPath: path]) },
      characteristics: { characteristics($0[keyPath: path]) },
      check: { check($0[keyPath: path], $1) },
      filling: { whole, filling throws(Problem) in
        try self.filling(&whole[keyPath: path], filling)
      },
      isGiven: { isGiven($0[keyPath: path]) }
    )
  }

  /// Reads the key, if it is present.
  ///
  /// - Returns: Whether the value is usable.
  func take(
    from mapping: inout MappingReader,
    into owner: inout Owner,
    _ reader: inout StepReader
  ) -> Bool {
    guard description.isRequired else {
      if let node = mapping.optional(name), !(node.isNull && shape.mayBeNull) {
        _ = read(node, &owner, &reader)
      }
      return true
    }
    let expected = shape.expected(reader)
    guard let node = mapping.required(name, expected: expected) else { return false }
    return read(node, &owner, &reader)
  }

  func complaint(_ owner: Owner, _ limits: PlanLimits) -> Problem? { check(owner, limits) }

  func fill(_ owner: inout Owner, _ filling: Filling) throws(Problem) {
    try self.filling(&owner, filling)
  }
}

extension LineForm {
  /// The words of one value.
  fileprivate func written(_ value: String) -> String {
    switch self {
    case .option(let word), .repeated(let word), .comparisons(let word), .stop(let word),
      .binding(let word):
      "\(word) \(value)"
    case .flag(let word): word
    case .write(let word, _): "\(word) { write \(value) }"
    case .target, .bare, .parts, .members, .condition, .steps: value
    case .inputs: "{ \(value) }"
    }
  }
}
