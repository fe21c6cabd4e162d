// The shape of a value: how it is read, printed, checked and described.

import Bluetooth
import Documents

/// How a word of the one-line form becomes a node.
enum WordKind: Sendable {
  /// A text.
  case text
  /// A text in which a brace that begins no variable is there twice.
  case template
  /// A text in which nothing came in the place of a variable.
  case constant
  /// What may be a number.
  case number
  /// `yes`, `no`, or what else the shape takes.
  case truth
  /// `env:NAME`: a key and its value. It is not repeated in complaints.
  case reference
}

/// What is known of a shape without a value.
struct ShapeDescription: Sendable {
  /// What should stand there, in a file.
  let file: @Sendable (PlanLimits) -> String
  /// The same on one line.
  let line: @Sendable (PlanLimits) -> String
  let schema: JSONValue
  var word = WordKind.text
  /// Whether captured values may stand in it.
  var isLive = false
  /// Whether it names parts of the step's value, so that the other keys are read before.
  var looksAtValue = false
  /// Whether nothing may stand there, which means the same as no key.
  var mayBeNull = false
  /// The words that it takes, where they are few.
  var choices: [String] = []

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
  /// nil where it is none; unless a complaint was made, that is about what was expected.
  let read: @Sendable (Node, inout StepReader) -> Value?
  /// Its words in the one-line form: a text for each time that its option stands there.
  let words: @Sendable (Value) -> [String]
  /// What is wrong with a value that was not read.
  var check: @Sendable (Value, PlanLimits) -> Complaint? = { _, _ in nil }
  /// The captured values that it names.
  var mentions: @Sendable (Value) -> [VariablePath] = { _ in [] }
  /// Puts captured values in it; nil where none can stand.
  var fill: (@Sendable (Value, Filling) throws(Unfilled) -> Value)?
  var characteristics: @Sendable (Value) -> [CharacteristicSelector] = { _ in [] }

  init(
    _ expected: String,
    line: String? = nil,
    schema: JSONValue,
    word: WordKind = .text,
    words: @escaping @Sendable (Value) -> [String],
    read: @escaping @Sendable (Node, inout StepReader) -> Value?
  ) {
    description = ShapeDescription(
      file: { _ in expected },
      line: { _ in line ?? expected },
      schema: schema,
      word: word
    )
    self.read = read
    self.words = words
  }

  init(
    _ description: ShapeDescription,
    words: @escaping @Sendable (Value) -> [String],
    read: @escaping @Sendable (Node, inout StepReader) -> Value?
  ) {
    self.description = description
    self.read = read
    self.words = words
  }

  /// The same, where nothing may be.
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
      shape.fill = { value, filling throws(Unfilled) in
        guard let value else { return nil }
        return try fill(value, filling)
      }
    }
    return shape
  }

  /// The same, where null means what the key means when it is not there.
  var orNull: Self {
    var shape = self
    shape.description.mayBeNull = true
    return shape
  }
}
