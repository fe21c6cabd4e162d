// A text with places for values: of a log step, of a value that is written, of a comparison.

public import Bluetooth

/// A text with captured values in it: `it is {reading.celsius} degrees`. `{{` is a brace.
public struct MessageTemplate: Hashable, Sendable, CustomStringConvertible {
  enum Part: Hashable, Sendable {
    case text(String)
    case value(VariablePath)
  }

  /// As it is written.
  public let description: String
  let parts: [Part]

  /// Reads a template; nil when a brace is not closed or holds no variable.
  public init?(_ text: String) {
    description = text
    var parts: [Part] = []
    var plain = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "{" else {
        plain.append(character)
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
      parts += [.text(plain), .value(path)]
      plain = ""
    }
    self.parts = parts + [.text(plain)]
  }

  /// A text in which nothing stands for a value.
  public init(literal text: String) {
    description = Self.escaped(text)
    parts = [.text(text)]
  }

  /// `text` as a template has it: each opening brace twice.
  static func escaped(_ text: String) -> String {
    text.contains("{")
      ? text.split(separator: "{", omittingEmptySubsequences: false)
        .joined(separator: "{{") : text
  }

  /// What it takes values from.
  public var variables: [VariablePath] {
    parts.compactMap { part in
      if case .value(let path) = part { path } else { nil }
    }
  }

  /// The text, where it takes no values; else nil.
  public var constant: String? {
    guard variables.isEmpty else { return nil }
    return filled { _ in nil }
  }

  /// The only thing in it, where that is a value.
  var onlyVariable: VariablePath? {
    guard variables.count == 1 else { return nil }
    let isAlone = parts.allSatisfy { part in
      if case .text(let text) = part { text.isEmpty } else { true }
    }
    return isAlone ? variables[0] : nil
  }

  /// The text with the values in it; `?` where there is none.
  public func filled(_ value: (VariablePath) -> DecodedValue?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .value(let path): value(path).map { "\($0)" } ?? "?"
      }
    }.joined()
  }
}
