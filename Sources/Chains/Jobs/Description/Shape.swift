// The shape of a value of a chain: how it is read, printed, checked and described.
//
// Not that of Documents, which device files use: what is valid depends on limits and on the form of a chain, and a value
// is also written on one line, made in Swift, and filled in with captured values. Rules across keys are those of Documents.

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
  var file: @Sendable (PlanLimits) -> String
  /// The same in the one-line form.
  var line: @Sendable (PlanLimits) -> String
  private let makeSchema: @Sendable () -> JSONValue
  let word: WordKind
  /// Whether it may use captured values.
  var isLive = false
  /// Whether it names parts of the step's value, so that the other keys are read first.
  var looksAtValue = false
  /// Whether null is valid and means the same as a missing key.
  var mayBeNull = false
  /// The valid words, where there are few.
  var choices: [String] = []

  init(
    _ expected: String, line: String? = nil,
    schema: @autoclosure @escaping @Sendable () -> JSONValue, word: WordKind = .text
  ) {
    file = { _ in expected }
    self.line = { _ in line ?? expected }
    makeSchema = schema
    self.word = word
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

/// What is asked of a value of a chain besides reading it.
struct Traits<Value: Sendable>: Sendable {
  /// Its words in the one-line form: one text for each use of its option.
  var words: @Sendable (Value) -> [String] = { _ in [] }
  /// The error in a value that was not read from a file or a line.
  var complaint: @Sendable (Value, PlanLimits) -> Problem? = { _, _ in nil }
  /// The captured values that it uses.
  var mentions: @Sendable (Value) -> [VariablePath] = { _ in [] }
  var characteristics: @Sendable (Value) -> [CharacteristicSelector] = { _ in [] }
  /// Replaces captured values; nil where it cannot use any, or the step does that itself.
  var fill: (@Sendable (Value, Filling) throws(Problem) -> Value)?

  /// The same of what has such a value, where `get` returns one.
  func of<Whole>(
    _ get: @escaping @Sendable (Whole) -> Value?,
    _ set: @escaping @Sendable (inout Whole, Value) -> Void
  ) -> Traits<Whole> {
    var traits = Traits<Whole>(
      words: { get($0).map(words) ?? [] },
      complaint: { whole, limits in get(whole).flatMap { complaint($0, limits) } },
      mentions: { get($0).map(mentions) ?? [] },
      characteristics: { get($0).map(characteristics) ?? [] }
    )
    if let fill {
      traits.fill = { whole, filling throws(Problem) in
        guard let value = get(whole) else { return whole }
        var new = whole
        set(&new, try fill(value, filling))
        return new
      }
    }
    return traits
  }
}

struct Shape<Value: Sendable>: Sendable {
  var description: ShapeDescription
  /// Returns nil for an invalid value; the caller then reports what was expected, unless `read`
  /// added an error.
  let read: @Sendable (Node, inout StepReader) -> Value?
  var traits: Traits<Value>

  init(
    _ expected: String, line: String? = nil,
    schema: @autoclosure @escaping @Sendable () -> JSONValue, word: WordKind = .text,
    words: @escaping @Sendable (Value) -> [String] = { _ in [] },
    read: @escaping @Sendable (Node, inout StepReader) -> Value?
  ) {
    description = ShapeDescription(expected, line: line, schema: schema(), word: word)
    self.read = read
    traits = Traits(words: words)
  }

  /// The same shape, where null means the same as a missing key.
  var orNull: Self {
    var shape = self
    shape.description.mayBeNull = true
    return shape
  }
}
