// A text with captured values, for a log step, a value to write, or a comparison.

public import Bluetooth

/// A text with captured values, and with calculations: `it is {reading.celsius + 273.15} kelvin`. `{{` is a
/// literal brace.
public struct MessageTemplate: Hashable, Sendable, CustomStringConvertible {
  enum Part: Hashable, Sendable {
    case text(String)
    case value(VariablePath)
    case calculation(Calculation)

    var isText: Bool { if case .text = self { true } else { false } }

    /// Whether it is no text between others.
    var isEmptyOrValue: Bool {
      switch self {
      case .text(let text): text.isEmpty
      case .value, .calculation: true
      }
    }
  }

  /// The description of a valid template, for errors.
  static let shape = "a text, with captured values in braces: 'it is {reading.celsius}'"

  /// The template as it was written.
  public let description: String
  let parts: [Part]

  /// Parses a template; nil if a brace is unclosed or does not hold a variable.
  ///
  /// ```swift
  /// let template = MessageTemplate("it is {reading.celsius} degrees")
  /// print(template?.variables ?? [])
  /// ```
  public init?(_ text: String) {
    description = text
    var parts: [Part] = []
    // Unicode scalars, not characters: a brace with a combining mark would be one character and go
    // unnoticed.
    var plain = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "{" else {
        plain.append(scalar)
        continue
      }
      if rest.first == "{" {
        rest.removeFirst()
        plain.append("{")
        continue
      }
      guard let close = rest.firstIndex(of: "}"), let part = Self.part(String(rest[..<close]))
      else { return nil }
      rest = rest[rest.index(after: close)...]
      parts += [.text(String(plain)), part]
      plain = String.UnicodeScalarView()
    }
    self.parts = parts + [.text(String(plain))]
  }

  /// The text between braces: a captured value, or a calculation with some; nil for anything else.
  private static func part(_ text: String) -> Part? {
    if let path = VariablePath(text) { return .value(path) }
    return (try? Calculation(parsing: text)).map { .calculation($0) }
  }

  /// The mistake in the first braces that are no calculation; nil where it is about something else, such
  /// as JSON or a brace that is not closed.
  static func mistake(in text: String) -> (problem: ExpressionProblem, offset: Int)? {
    let scalars = Array(text.unicodeScalars)
    var index = 0
    while index < scalars.count {
      defer { index += 1 }
      guard scalars[index] == "{" else { continue }
      if index + 1 < scalars.count, scalars[index + 1] == "{" {
        index += 1
        continue
      }
      guard let close = scalars[index...].firstIndex(of: "}") else { return nil }
      let inner = String(String.UnicodeScalarView(scalars[index + 1..<close]))
      if part(inner) == nil {
        guard let first = inner.first(where: { $0 != " " }), first.isLetter || "(-~".contains(first)
        else { return nil }
        do throws(ExpressionProblem) {
          _ = try Calculation(parsing: inner)
        } catch {
          return (error, index + 1)
        }
      }
      index = close
    }
    return nil
  }

  /// The calculations in the text, each with its place.
  var calculations: [Calculation] {
    parts.compactMap { part in
      if case .calculation(let calculation) = part { calculation } else { nil }
    }
  }

  /// Creates a text without captured values; braces are literal.
  public init(literal text: String) {
    description = Self.escaped(text)
    parts = [.text(text)]
  }

  /// Doubles each opening brace, so that the text parses as a template.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      if scalar == "{" { escaped += "{" }
      escaped.unicodeScalars.append(scalar)
    }
  }

  /// The captured values in the text.
  public var variables: [VariablePath] {
    parts.flatMap { part -> [VariablePath] in
      switch part {
      case .text: []
      case .value(let path): [path]
      case .calculation(let calculation): calculation.paths
      }
    }
  }

  /// The text if it has no captured values; otherwise nil.
  public var constant: String? {
    guard variables.isEmpty else { return nil }
    return filled { _ in nil }
  }

  /// The captured value if it is the entire text; otherwise nil.
  var onlyVariable: VariablePath? {
    guard variables.count == 1, calculations.isEmpty else { return nil }
    return parts.allSatisfy { $0.isEmptyOrValue } ? variables[0] : nil
  }

  /// The calculation with captured values if it is the entire text; otherwise nil.
  var onlyCalculation: Calculation? {
    guard calculations.count == 1, parts.allSatisfy(\.isEmptyOrValue),
      parts.count(where: { !$0.isText }) == 1, !calculations[0].paths.isEmpty
    else { return nil }
    return calculations[0]
  }

  /// Substitutes the captured values; a missing one becomes `?`.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// let template = MessageTemplate("{battery} is left")!
  /// print(template.filled { report.captured[$0.variable] })
  /// ```
  public func filled(_ value: (VariablePath) -> DecodedValue?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .value(let path): value(path).map { "\($0)" } ?? "?"
      case .calculation(let calculation): (try? calculation.value(value)).map { "\($0)" } ?? "?"
      }
    }.joined()
  }
}
