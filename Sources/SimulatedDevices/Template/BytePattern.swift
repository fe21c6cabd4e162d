// Which values a rule matches, octet by octet, and what it captures from them.
//
// Pure. The text of a pattern is read in BytePattern+Text.swift.

import Bluetooth

/// A row of octets, some of which may be anything: `01 ?? <size:u32> *`.
public struct BytePattern: Sendable, Hashable {
  /// One element of a pattern.
  enum Token: Sendable, Hashable {
    /// One octet that agrees in the bits of the mask.
    case octet(UInt8, mask: UInt8)
    /// A whole number that gets a name.
    case number(String, ValueFormat)
    /// Whatever comes, also nothing; it may have a name. The last one.
    case rest(String?)

    /// The name it gives, and to what.
    var named: (name: String, kind: VariableKind)? {
      switch self {
      case .octet, .rest(nil): nil
      case .number(let name, _): (name, .number)
      case .rest(let name?): (name, .octets)
      }
    }
  }

  /// The elements, in order.
  var tokens: [Token]

  /// What the names stand for in `value`; nil when it does not match.
  func match(_ value: [UInt8]) -> Variables? {
    var found = Variables()
    var rest = value[...]
    for token in tokens {
      switch token {
      case .octet(let octet, let mask):
        guard let first = rest.popFirst(), first & mask == octet & mask else { return nil }
      case .number(let name, let format):
        guard let count = format.wholeOctets, rest.count >= count,
          case .integer(let number)? = try? format.decode(Array(rest.prefix(count)))
        else { return nil }
        found[name] = .number(Int64(clamping: number))
        rest = rest.dropFirst(count)
      case .rest(let name):
        if let name { found[name] = .octets(Array(rest)) }
        rest = []
      }
    }
    return rest.isEmpty ? found : nil
  }
}
