// The kinds of values of keys: how they are read, described and shown.

import Spelling

/// The state while a document is read: the errors so far, and values that later keys need from
/// earlier ones.
public protocol Reading: SendableMetatype {
  /// The errors found so far.
  var problems: [Problem] { get set }
}

/// One kind of value in a document: how it is read, described in errors and schemas, and shown.
public struct Shape<Value, State: Reading>: Sendable {
  /// The valid values, for errors and tables: `a whole number from 1 to 9`.
  public let expected: String
  private let makeSchema: @Sendable () -> Schema
  /// Returns the notation of a value; nil if tables need not show it.
  public let shown: @Sendable (Value) -> String?
  private let reader: @Sendable (Node, inout State) -> Value?

  /// The JSON Schema of the value. It is made on each call, so that reading files costs nothing for
  /// it.
  public var schema: Schema { makeSchema() }

  /// A kind of value.
  ///
  /// ```swift
  /// struct State: Reading { var problems: [Problem] = [] }
  /// let address = Shape<BluetoothAddress, State>(
  ///   "an address such as C0:FF:EE:00:00:01", schema: Schema(["type": "string"])
  /// ) { node, _ in node.text.flatMap { BluetoothAddress($0) } }
  /// ```
  ///
  /// - Parameters:
  ///   - expected: The valid values, for errors and tables.
  ///   - schema: The JSON Schema of the value.
  ///   - shown: Returns the notation of a value; nil if tables need not show it.
  ///   - read: Converts a node. If it returns nil without adding an error, an error with `expected`
  ///     is added.
  public init(
    _ expected: String, schema: @autoclosure @escaping @Sendable () -> Schema,
    shown: @escaping @Sendable (Value) -> String? = { _ in nil },
    read: @escaping @Sendable (Node, inout State) -> Value?
  ) {
    self.expected = expected
    makeSchema = schema
    self.shown = shown
    reader = read
  }

  /// Reads the value of a node; nil after an error.
  public func read(_ node: Node, _ state: inout State) -> Value? {
    let before = state.problems.count
    if let value = reader(node, &state) { return value }
    if state.problems.count == before { state.problems.append(node.problem(expected: expected)) }
    return nil
  }

  /// The shape, whose schema is a named definition.
  public func named(_ name: String) -> Shape {
    Shape(expected, schema: schema.named(name), shown: shown, read: reader)
  }
}

extension Node {
  /// The text in quotes, or the kind of the node, for error messages.
  public var shown: String { text.map { "'\($0)'" } ?? kind }

  /// An error: the node is not a valid value.
  public func problem(expected: String, nearest: String? = nil) -> Problem {
    problem(found: shown, expected: expected, nearest: nearest)
  }
}

// MARK: Scalars

extension Shape where Value == Int {
  /// A whole number within bounds.
  public static func integer(_ range: ClosedRange<Int>) -> Shape {
    let (low, high) = (range.lowerBound, range.upperBound < .max ? range.upperBound : nil)
    let json: JSONValue = ["type": "integer", "minimum": JSONValue(low)]
    return Shape(
      "a whole number from \(low)" + (high.map { " to \($0)" } ?? ""),
      schema: Schema(high.map { json.adding("maximum", JSONValue($0)) } ?? json),
      shown: { "\($0)" },
      read: { node, _ in node.integer.flatMap { range.contains($0) ? $0 : nil } }
    )
  }
}

extension Shape where Value == Double {
  /// A number within bounds.
  public static func number(_ range: ClosedRange<Int>) -> Shape {
    let (low, high) = (range.lowerBound, range.upperBound)
    return Shape(
      "a number from \(low) to \(high)",
      schema: Schema(["type": "number", "minimum": JSONValue(low), "maximum": JSONValue(high)]),
      shown: { $0 == $0.rounded() ? "\(Int($0))" : "\($0)" },
      read: { node, _ in
        node.number.flatMap { Double(low) <= $0 && $0 <= Double(high) ? $0 : nil }
      }
    )
  }
}

extension Shape where Value == Bool {
  /// `true` or `false`.
  public static var truth: Shape {
    Shape(
      "true or false", schema: Schema(["type": "boolean"]), shown: { "\($0)" },
      read: { node, _ in node.truth }
    )
  }
}

extension Shape where Value == String {
  /// A text of at most `bytes` bytes.
  public static func text(_ expected: String, bytes: Int? = nil) -> Shape {
    let json: JSONValue = ["type": "string"]
    return Shape(
      expected, schema: Schema(bytes.map { json.adding("maxLength", JSONValue($0)) } ?? json),
      shown: { $0 },
      read: { node, _ in
        node.text.flatMap { $0.utf8.count <= bytes ?? .max ? $0 : nil }
      }
    )
  }
}

extension Shape where Value == Duration {
  /// A duration within bounds.
  ///
  /// - Parameter step: The duration of which it is a multiple; nil for any duration.
  public static func duration(
    _ range: ClosedRange<Duration>, inStepsOf step: Duration? = nil
  ) -> Shape {
    let steps = step.map { ", in steps of \($0.written)" } ?? ""
    return Shape(
      "a duration from \(range.lowerBound.written) to \(range.upperBound.written)\(steps)",
      schema: Schema([
        "type": "string", "pattern": .string(Duration.pattern),
        "description": .string(Duration.documentation),
      ]).named("duration"),
      shown: { $0.written },
      read: { node, _ in
        guard let duration = node.duration, range.contains(duration) else { return nil }
        let isMultiple = step.map { duration.attoseconds.isMultiple(of: $0.attoseconds) } ?? true
        return isMultiple ? duration : nil
      }
    )
  }
}

extension Shape
where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
  /// One of the words of an enumeration.
  public static var word: Shape { word(among: Array(Value.allCases)) }

  /// One of some words of an enumeration.
  public static func word(among values: [Value]) -> Shape {
    let words = values.map(\.rawValue)
    let expected =
      words.count == 2 ? words.joined(separator: " or ") : words.joined(separator: ", ")
    return Shape(
      expected, schema: .words(words), shown: { $0.rawValue },
      read: { node, state in
        if let value = values.first(where: { $0.rawValue == node.text }) { return value }
        state.problems.append(
          node.problem(
            expected: words.count == 2 ? expected : "one of " + expected,
            nearest: node.text.flatMap { Spelling.nearest(to: $0, among: words) }
          )
        )
        return nil
      }
    )
  }
}
