// The text of a log step, with places for captured values.

public import Bluetooth

/// A text with captured values in it: `it is {reading.celsius} degrees`. `{{` is a brace.
public struct MessageTemplate: Hashable, Sendable, CustomStringConvertible {
  private enum Part: Hashable, Sendable {
    case text(String)
    case value(VariablePath)
  }

  /// As it is written.
  public let description: String
  private let parts: [Part]

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

  /// What it takes values from.
  public var variables: [VariablePath] {
    parts.compactMap { part in
      if case .value(let path) = part { path } else { nil }
    }
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
