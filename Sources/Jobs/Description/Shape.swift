// The shape of a value: how it is read, printed, checked and described.

import Bluetooth
import Documents

/// How a word of the one-line form becomes a node.
enum WordKind: Sendable {
  /// A text.
  case text
  /// A text in which a doubled brace is a literal brace.
  case template
  /// A text without substituted variables.
  case constant
  /// A text that may be a number.
  case number
  /// `yes`, `no`, or another value of the shape.
  case truth
  /// `env:NAME`: a key and its value. Error messages do not repeat it.
  case reference
}

/// The properties of a shape that do not depend on a value.
struct ShapeDescription: Sendable {
  /// What is valid in a file.
  let file: @Sendable (PlanLimits) -> String
  /// The same in the one-line form.
  let line: @Sendable (PlanLimits) -> String
  private let makeSchema: @Sendable () -> JSONValue
  var word = WordKind.text
  /// Whether it may use captured values.
  var isLive = false
  /// Whether it names parts of the step's value, so that the other keys are read first.
  var looksAtValue = false
  /// Whether null is valid and means the same as a missing key.
  var mayBeNull = false
  /// The valid words, where there are few.
  var choices: [String] = []

  init(
    file: @escaping @Sendable (PlanLimits) -> String,
    line: @escaping @Sendable (PlanLimits) -> String,
    schema: @autoclosure @escaping @Sendable () -> JSONValue,
    word: WordKind = .text,
    looksAtValue: Bool = false
  ) {
    self.file = file
    self.line = line
    makeSchema = schema
    self.word = word
    self.looksAtValue = looksAtValue
  }

  /// The values as a JSON Schema. It is made on each call: a run that reads chains needs none.
  var schema: JSONValue { makeSchema() }

  func expected(_ reader: StepReader) -> String {
    switch reader.form {
    case .file: file(reader.limits)
    case .line: line(reader.limits)
    }
  }
}

/// The shape of a `Value`.
struct Shape<Value: Sendable>: Sendable {
  var description: ShapeDescription
  /// Returns nil for an invalid value; the caller then reports what was expected, unless `read`
  /// added an error.
  let read: @Sendable (Node, inout StepReader) -> Value?
  /// Its words in the one-line form: one text for each use of its option.
  let words: @Sendable (Value) -> [String]
  /// The error in a value that was not read from a file or a line.
  var check: @Sendable (Value, PlanLimits) -> Problem? = { _, _ in nil }
  /// The captured values that it uses.
  var mentions: @Sendable (Value) -> [VariablePath] = { _ in [] }
  /// Replaces captured values; nil where it cannot use any.
  var fill: (@Sendable (Value, Filling) throws(Problem) -> Value)?
  var characteristics: @Sendable (Value) -> [CharacteristicSelector] = { _ in [] }

  init(
    _ expected: String,
    line: String? = nil,
    schema: @autoclosure @escaping @Sendable () -> JSONValue,
    word: WordKind = .text,
    words: @escaping @Sendable (Value) -> [String] = { _ in [] },
    read: @escaping @Sendable (Node, inout StepReader) -> Value?
  ) {
    description = ShapeDescription(
      file: { _ in expected },
      line: { _ in line ?? expected },
      schema: schema(),
      word: word
    )
    self.read = read
    self.words = words
  }

  init(
    _ description: ShapeDescription,
    words: @escaping @Sendable (Value) -> [String] = { _ in [] },
    read: @escaping @Sendable (Node, inout StepReader) -> Value?
  ) {
    self.description = description
    self.read = read
    self.words = words
  }

  /// The same shape for an optional value.
  var optional: Shape<Value?> {
    var shape = Shape<Value?>(description) { value in
      value.map(words) ?? []
    } read: { node, reader in
      read(node, &reader).map { .some($0) }
    }
    shape.check = { value, limits in value.flatMap { check($0, limits) } }
    shape.mentions = { $0.map(mentions) ?? [] }
    shape.characteristics = { $0.map(characteristics) ?? [] }
    if let fill {
      shape.fill = { value, filling throws(Problem) in
        guard let value else { return nil }
        return try fill(value, filling)
      }
    }
    return shape
  }

  /// The same shape, where null means the same as a missing key.
  var orNull: Self {
    var shape = self
    shape.description.mayBeNull = true
    return shape
  }
}
