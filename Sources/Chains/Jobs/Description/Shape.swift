// The shape of a value in a chain: how it is read, printed, checked and described.
//
// Device files use the simpler shapes of Documents. In a chain, validity depends on limits and on
// the form, and a value can also come from one line or from Swift, and contain captured values.
// Rules across keys are those of Documents.

import Bluetooth
import Documents

/// The conversion of a word in the one-line form to a node.
enum WordKind: Sendable {
  /// A text.
  case text
  /// A text in which a doubled brace is a literal brace.
  case template
  /// A text without variables.
  case constant
  /// A text that may be a number.
  case number
  /// `yes`, `no`, or another value of the shape.
  case truth
  /// A key and its value, `env:NAME`. Error messages do not quote it.
  case reference
}

/// The properties of a shape that do not depend on a value.
struct ShapeDescription: Sendable {
  /// The description of valid values in a file, for errors.
  var file: @Sendable (PlanLimits) -> String
  /// The description of valid values in the one-line form, for errors.
  var line: @Sendable (PlanLimits) -> String
  private let makeSchema: @Sendable () -> JSONValue
  let word: WordKind
  /// Whether values may contain captured values.
  var mayUseCaptures = false
  /// Whether values name parts of the step's value; they are then read after all other keys.
  var looksAtValue = false
  /// Whether null is valid and equals a missing key.
  var mayBeNull = false
  /// Whether a mapping may be valid. Below a verb, any other mapping is one of misplaced keys.
  var mayBeMapping = false
  /// The valid words, if there are only a few.
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

  /// The JSON Schema. Computed on each call, because running a chain never needs it.
  var schema: JSONValue { makeSchema() }

  func expected(_ reader: StepReader) -> String {
    switch reader.form {
    case .file: file(reader.limits)
    case .line: line(reader.limits)
    }
  }
}

/// The functions on a value other than reading it.
struct ValueOperations<Value: Sendable>: Sendable {
  /// The one-line form: one text for each use of the option.
  var words: @Sendable (Value) -> [String] = { _ in [] }
  /// The problem of a value from Swift, which was not read from a file or a line.
  var problem: @Sendable (Value, PlanLimits) -> Problem? = { _, _ in nil }
  /// The captured values in a value.
  var mentions: @Sendable (Value) -> [VariablePath] = { _ in [] }
  var characteristics: @Sendable (Value) -> [CharacteristicSelector] = { _ in [] }
  /// Substitutes captured values; nil if there are none, or the step does that itself.
  var fill: (@Sendable (Value, Filling) throws(Problem) -> Value)?

  /// Lifts the functions to a type that contains the value; they do nothing where `get` returns
  /// nil.
  func of<Whole>(
    _ get: @escaping @Sendable (Whole) -> Value?,
    _ set: @escaping @Sendable (inout Whole, Value) -> Void
  ) -> ValueOperations<Whole> {
    var operations = ValueOperations<Whole>(
      words: { get($0).map(words) ?? [] },
      problem: { whole, limits in get(whole).flatMap { problem($0, limits) } },
      mentions: { get($0).map(mentions) ?? [] },
      characteristics: { get($0).map(characteristics) ?? [] }
    )
    if let fill {
      operations.fill = { whole, filling throws(Problem) in
        guard let value = get(whole) else { return whole }
        var new = whole
        set(&new, try fill(value, filling))
        return new
      }
    }
    return operations
  }
}

struct Shape<Value: Sendable>: Sendable {
  var description: ShapeDescription
  /// Reads a value; nil if it is invalid. If `read` reported no error, the caller reports the
  /// expected form.
  let read: @Sendable (Node, inout StepReader) -> Value?
  var operations: ValueOperations<Value>

  init(
    _ expected: String, line: String? = nil,
    schema: @autoclosure @escaping @Sendable () -> JSONValue, word: WordKind = .text,
    words: @escaping @Sendable (Value) -> [String] = { _ in [] },
    read: @escaping @Sendable (Node, inout StepReader) -> Value?
  ) {
    description = ShapeDescription(expected, line: line, schema: schema(), word: word)
    self.read = read
    operations = ValueOperations(words: words)
  }

  /// The shape that also accepts null, equal to a missing key.
  var orNull: Self {
    var shape = self
    shape.description.mayBeNull = true
    return shape
  }

  /// The shape of values that may be written as a mapping.
  var asMapping: Self {
    var shape = self
    shape.description.mayBeMapping = true
    return shape
  }
}
