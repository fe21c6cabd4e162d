// A key of a mapping: its name, shape, one-line form, and the property that stores its value.
//
// The type of the value is described in Shape.swift.

import Bluetooth
import Documents

/// The spelling of a key and its value in the one-line form.
enum LineForm: Sendable {
  /// The word after the verb.
  case target
  /// A word that names the key, then the value.
  case option(String)
  /// A word that names the key, then the value; may be repeated.
  case repeated(String)
  /// A word without a value.
  case flag(String)
  /// One of a few words, without the name of the key.
  case bare([String], what: String)
  /// Words with a format before a colon: `u8:1`.
  case parts
  /// A mapping whose keys become options of the step.
  case members([KeyDescription])
  /// Steps in braces, after a word if there is one.
  case steps(after: String?)
  /// A `write` in braces, after a word.
  case write(after: String, [KeyDescription])
  /// Inputs in braces; each begins with one of its keys.
  case inputs([KeyDescription])
  /// A comparison after a word; may be repeated.
  case comparisons(after: String)
  /// Comparisons joined by `and`, or a calculation in parentheses.
  case condition
  /// A calculation in parentheses, or a word without them.
  case calculation
  /// A name and its value after a word, `with level=2`; may be repeated.
  case binding(after: String)
  /// A count, a silence or a comparison after a word; may be repeated.
  case stop(after: String)
}

/// The properties of a key that do not depend on its value, for the one-line form, the schema and
/// the documentation.
struct KeyDescription: Sendable {
  let name: String
  /// One line that continues "`name`:".
  let documentation: String
  let shape: ShapeDescription
  var form = LineForm.target
  var isRequired = false

  /// The word that names the key in the one-line form; nil if there is none.
  var word: String? {
    switch form {
    case .option(let word), .repeated(let word), .flag(let word), .write(let word, _),
      .comparisons(let word), .stop(let word), .binding(let word):
      word
    case .steps(let word): word
    case .target, .bare, .parts, .members, .inputs, .condition, .calculation: nil
    }
  }
}

/// A key of a mapping that is read into an `Owner`.
struct Key<Owner: Sendable>: Sendable {
  let description: KeyDescription
  private let readValue: @Sendable (Node, inout Owner, inout StepReader) -> Bool
  /// Functions of the value; they return nothing for a default value.
  let operations: ValueOperations<Owner>
  /// Whether the value differs from the default.
  let isGiven: @Sendable (Owner) -> Bool

  var name: String { description.name }
  var shape: ShapeDescription { description.shape }
}

extension Key {
  /// - Parameters:
  ///   - path: The property that stores the value.
  ///   - initial: The default; nil for a required key.
  ///   - form: The spelling in the one-line form; nil for an option with the name of the key.
  ///   - documentation: One line that continues "`name`:".
  init<Value: Equatable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Owner, Value> & Sendable, _ shape: Shape<Value>,
    default initial: Value? = nil, line form: LineForm? = nil, _ documentation: String
  ) {
    self.init(name, shape, isRequired: initial == nil, form, documentation) { owner in
      let value = owner[keyPath: path]
      return value == initial ? nil : value
    } set: {
      $0[keyPath: path] = $1
    }
  }

  /// Creates an optional key, whose default is nil.
  init<Value: Equatable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Owner, Value?> & Sendable, _ shape: Shape<Value>,
    line form: LineForm? = nil, _ documentation: String
  ) {
    self.init(name, shape, isRequired: false, form, documentation) {
      $0[keyPath: path]
    } set: {
      $0[keyPath: path] = $1
    }
  }

  /// - Parameter get: Returns the value; nil if it is the default.
  private init<Value>(
    _ name: String, _ shape: Shape<Value>, isRequired: Bool, _ form: LineForm?,
    _ documentation: String, get: @escaping @Sendable (Owner) -> Value?,
    set: @escaping @Sendable (inout Owner, Value) -> Void
  ) {
    let form = form ?? .option(name)
    description = KeyDescription(
      name: name, documentation: documentation, shape: shape.description, form: form,
      isRequired: isRequired
    )
    readValue = { node, owner, reader in
      guard let value = reader.read(node, shape) else { return false }
      set(&owner, value)
      return true
    }
    var operations = shape.operations
    operations.words = { shape.operations.words($0).map { form.written($0) } }
    self.operations = operations.of(get, set)
    isGiven = { get($0) != nil }
  }

  /// Creates a key that is only described here; other code reads its value.
  init(readElsewhere description: KeyDescription) {
    self.description = description
    readValue = { _, _, _ in true }
    operations = ValueOperations()
    isGiven = { _ in false }
  }

  /// The key for a value that contains the owner at `path`.
  func of<Whole>(_ path: any WritableKeyPath<Whole, Owner> & Sendable) -> Key<Whole> {
    Key<Whole>(
      description: description,
      readValue: { node, whole, reader in readValue(node, &whole[keyPath: path], &reader) },
      operations: operations.of({ $0[keyPath: path] }, { $0[keyPath: path] = $1 }),
      isGiven: { isGiven($0[keyPath: path]) }
    )
  }

  /// Reads the key if it is present.
  ///
  /// - Returns: Whether the mapping is still usable: false for a required key that is missing or
  ///   invalid.
  func read(
    from mapping: inout MappingReader, into owner: inout Owner, _ reader: inout StepReader
  ) -> Bool {
    guard description.isRequired else {
      if let node = mapping.optional(name), !(node.isNull && shape.mayBeNull) {
        _ = readValue(node, &owner, &reader)
      }
      return true
    }
    let expected = shape.expected(reader)
    guard let node = mapping.required(name, expected: expected) else { return false }
    return readValue(node, &owner, &reader)
  }
}

extension LineForm {
  fileprivate func written(_ value: String) -> String {
    switch self {
    case .option(let word), .repeated(let word), .comparisons(let word), .stop(let word),
      .binding(let word):
      "\(word) \(value)"
    case .flag(let word): word
    case .write(let word, _): "\(word) { write \(value) }"
    case .target, .bare, .parts, .members, .condition, .calculation, .steps: value
    case .inputs: "{ \(value) }"
    }
  }
}
