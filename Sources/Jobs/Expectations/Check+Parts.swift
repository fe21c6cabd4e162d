// The parts of checks, for files and the one-line form.

extension Check.Relation {
  /// The comparison with a number; nil for equality, which compares any value.
  func check(_ bound: Bound) -> Check? {
    switch self {
    case .equal, .notEqual: nil
    case .above: .above(bound)
    case .atLeast: .atLeast(bound)
    case .below: .below(bound)
    case .atMost: .atMost(bound)
    }
  }
}

extension UInt64 {
  /// Parses bits: `0x0f`, `0b101`, `15`.
  init?(bits text: String) {
    let digits: (Substring, Int) =
      if text.hasPrefix("0x") { (text.dropFirst(2), 16) } else if text.hasPrefix("0b") {
        (text.dropFirst(2), 2)
      } else {
        (text[...], 10)
      }
    guard digits.0.allSatisfy({ $0.isHexDigit }) else { return nil }
    self.init(digits.0, radix: digits.1)
  }
}

extension Duration {
  /// The duration in ms, as checks of times store it.
  var inMilliseconds: Double { Double(wholeMicroseconds) / 1000 }
}

extension CounterRule {
  /// The maximum number of missing values that a chain may allow.
  static let mostGaps = 1_000_000
}

extension Check {
  /// The captured value that it compares with.
  var references: [VariablePath] {
    if case .captured(_, let path) = self { [path] } else { [] }
  }
}
