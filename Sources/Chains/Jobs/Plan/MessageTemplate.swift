// A text with captured values, for a log step, a value to write, or a comparison.

public import Bluetooth

/// A text with captured values: `it is {reading.celsius} degrees`. `{{` is a literal brace.
public struct MessageTemplate: Hashable, Sendable, CustomStringConvertible {
  enum Part: Hashable, Sendable {
    case text(String)
    case value(VariablePath)
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
      guard let close = rest.firstIndex(of: "}"),
        let path = VariablePath(String(rest[..<close]))
      else { return nil }
      rest = rest[rest.index(after: close)...]
      parts += [.text(String(plain)), .value(path)]
      plain = String.UnicodeScalarView()
    }
    self.parts = parts + [.text(String(plain))]
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
    parts.compactMap { part in
      if case .value(let path) = part { path } else { nil }
    }
  }

  /// The text if it has no captured values; otherwise nil.
  public var constant: String? {
    guard variables.isEmpty else { return nil }
    return filled { _ in nil }
  }

  /// The captured value if it is the entire text; otherwise nil.
  var onlyVariable: VariablePath? {
    guard variables.count == 1 else { return nil }
    let isAlone = parts.allSatisfy { part in
      if case .text(let text) = part { text.isEmpty } else { true }
    }
    return isAlone ? variables[0] : nil
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
      }
    }.joined()
  }
}
