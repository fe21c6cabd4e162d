// The comparisons of chain files and of the one-line form: their keys, signs and parsers.

import Bluetooth
import Documents

/// A comparison by its key in a chain file.
enum Comparison: String, CaseIterable {
  case `is`, not, min, max, above, below, between, `in`, mask, like, counter

  /// The comparisons that a subject supports.
  ///
  /// - Parameter isTime: Whether the subject is a time, which is compared with durations.
  static func all(isTime: Bool) -> [Comparison] {
    isTime ? [.min, .max, .above, .below, .between] : allCases
  }

  /// The signs of the one-line form. `in` also introduces a range, which a file spells `between`.
  private static let signs: KeyValuePairs<String, Comparison> = [
    "=": .is, "!=": .not, "<": .below, "<=": .max, ">": .above, ">=": .min, "in": .in, "&": .mask,
    "~": .like, "counts": .counter,
  ]

  static let allSigns = "one of " + signs.map(\.key).joined(separator: ", ")

  /// Finds the comparison of a sign; nil for an unknown one.
  init?(sign: some StringProtocol) {
    guard let known = Self.signs.first(where: { $0.key == sign }) else { return nil }
    self = known.value
  }

  /// The description of the operand for a subject that is a time.
  var timeOperand: String {
    self == .between ? "two durations, the smaller first" : "a duration such as 2s"
  }

  /// The description of the operand.
  var operand: String {
    switch self {
    case .is, .not: "a single value"
    case .min, .max, .above, .below: "a number"
    case .between: "two numbers, the smaller first"
    case .in: "a list of fixed values"
    case .mask: "a mask and the value of its bits, such as [0x0f, 0x05]"
    case .like: "a pattern, in which * and ? are wildcards"
    case .counter: "8, 16 or 32 bits, true, or { bits: 16, gaps: 2 }"
    }
  }

  var schema: JSONValue {
    let number = JSONValue.anyOf([.type("number"), .reference("duration")])
    return switch self {
    case .is, .not: .scalar
    case .min, .max, .above, .below: number
    case .between: .list(of: number, 2...2)
    case .in: .list(of: .scalar)
    case .mask: .list(of: .type("integer", "string"), 2...2).described(operand)
    case .like: JSONValue.type("string", "integer").described(operand)
    case .counter:
      .anyOf([
        ["enum": .array(CounterRule.widths.map { JSONValue($0) } + [true])],
        .reference("counter"),
      ])
    }
  }

  /// Parses a node as the operand; nil if it is invalid.
  func check(_ node: Node, isTime: Bool) -> Check? {
    if let path = node.captured { return relation.map { .captured($0, path) } }
    if let calculation = node.calculation { return relation.map { .calculated($0, calculation) } }
    return isTime ? timeCheck(node) : valueCheck(node)
  }

  private func timeCheck(_ node: Node) -> Check? {
    guard self == .between else {
      return node.duration.flatMap { relation?.check(Bound($0.inMilliseconds)) }
    }
    let bounds = (node.sequence ?? []).compactMap(\.duration)
    guard bounds.count == 2, node.sequence?.count == 2, bounds[0] <= bounds[1] else { return nil }
    return .between(Bound(bounds[0].inMilliseconds), Bound(bounds[1].inMilliseconds))
  }

  private func valueCheck(_ node: Node) -> Check? {
    switch self {
    case .is: return node.literal.map { .equal($0) }
    case .not: return node.literal.map { .notEqual($0) }
    case .min, .max, .above, .below: return node.bound.flatMap { relation?.check($0) }
    case .between:
      let bounds = (node.sequence ?? []).compactMap(\.bound)
      guard bounds.count == 2, node.sequence?.count == 2, bounds[0] <= bounds[1] else { return nil }
      return .between(bounds[0], bounds[1])
    case .in:
      guard let nodes = node.sequence, !nodes.isEmpty else { return nil }
      let literals = nodes.compactMap(\.literal)
      return literals.count == nodes.count ? .oneOf(literals) : nil
    case .mask:
      let bits = (node.sequence ?? []).compactMap { $0.text.flatMap { UInt64(bits: $0) } }
      return bits.count == 2 && node.sequence?.count == 2 ? .masked(bits[0], equal: bits[1]) : nil
    case .like: return node.text.flatMap { MessageTemplate($0)?.constant }.map { .like($0) }
    case .counter: return node.counter.map { .counts($0) }
    }
  }

  /// The relation to a single operand; nil for comparisons with other operands.
  private var relation: Check.Relation? {
    switch self {
    case .is: .equal
    case .not: .notEqual
    case .min: .atLeast
    case .max: .atMost
    case .above: .above
    case .below: .below
    case .between, .in, .mask, .like, .counter: nil
    }
  }
}

enum CounterKey: String, CaseIterable {
  case bits, gaps

  var schema: JSONValue {
    switch self {
    case .bits: ["enum": .array(CounterRule.widths.map { JSONValue($0) })]
    case .gaps:
      ["type": "integer", "minimum": 0, "maximum": JSONValue(CounterRule.mostGaps)]
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

extension Node {
  /// The number of the node with all its digits; nil for anything else.
  fileprivate var bound: Bound? { number.map { Bound($0, written: text ?? "") } }

  /// The node as a literal; nil for null, lists, mappings and texts with captured values.
  fileprivate var literal: Literal? {
    guard case .scalar(let text, let isPlain) = content, !isNull,
      let constant = MessageTemplate(text)?.constant
    else { return nil }
    return Literal(constant, isQuoted: !isPlain)
  }

  /// The counter rule of a node: `16`, `true`, `{ bits: 16, gaps: 2 }`.
  fileprivate var counter: CounterRule? {
    if truth == true { return CounterRule(bits: nil) }
    if let bits = integer {
      return CounterRule.widths.contains(bits) ? CounterRule(bits: bits) : nil
    }
    guard let entries = mapping else { return nil }
    var rule = CounterRule(bits: nil)
    for entry in entries {
      switch CounterKey(rawValue: entry.key) {
      case .bits?:
        guard let bits = entry.value.integer, CounterRule.widths.contains(bits) else { return nil }
        rule.bits = bits
      case .gaps?:
        guard let gaps = entry.value.integer, (0...CounterRule.mostGaps).contains(gaps) else {
          return nil
        }
        rule.gaps = gaps
      case nil: return nil
      }
    }
    return rule
  }

  /// The calculation if it is the entire text: `"{before.percent * 2}"`.
  var calculation: Calculation? { text.flatMap { MessageTemplate($0)?.onlyCalculation } }

  /// The captured value if it is the entire text: `"{before.percent}"`.
  fileprivate var captured: VariablePath? {
    text.flatMap { MessageTemplate($0)?.onlyVariable }
  }
}
