// The names of a device file while a calculation is evaluated.

import Bluetooth

/// The variables and tables for evaluating a template.
struct Scope {
  var variables = Variables()
  var tables: [MachineDefinition.Table] = []

  func rows(_ table: String) -> [[UInt8]] { self.table(table)?.rows ?? [] }

  private func table(_ name: String) -> MachineDefinition.Table? {
    tables.first { $0.name == name }
  }

  /// The value of a name, or the number of its bytes or rows behind `.count`; nil if there is none.
  fileprivate func value(of name: Expression.Name) -> DecodedValue? {
    let whole: DecodedValue
    switch variables[name.path[0]] {
    case .number(let number)?: whole = .integer(Int128(number))
    case .octets(let octets)?: whole = .octets(octets)
    case nil:
      guard let table = table(name.path[0]) else { return nil }
      whole = .list(table.rows.map { .octets($0) })
    }
    guard name.path.count > 1 else { return whole }
    switch whole {
    case .octets(let octets): return .integer(Int128(octets.count))
    case .list(let rows): return .integer(Int128(rows.count))
    case .integer, .real, .text, .boolean, .fields: return nil
    }
  }
}

extension Expression {
  /// The name of the field for the number of bytes or rows of a value.
  static let count = "count"

  /// Whether a name is valid after a `$`: letters, digits and underscores, beginning with a letter.
  static func isVariableName(_ name: some StringProtocol) -> Bool {
    guard let first = name.first, first.isASCII, first.isLetter else { return false }
    return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" }
  }

  /// The result as a number; true and false are 1 and 0.
  func value(in scope: Scope) -> Int64 {
    switch try? value({ scope.value(of: $0) }) {
    case .integer(let number)?: Int64(clamping: number)
    case .boolean(true)?: 1
    case .boolean(false)?, .real?, .text?, .octets?, .list?, .fields?, nil: 0
    }
  }

  /// The result for a field of a described value; nil where there is none.
  func decoded(in scope: Scope) -> DecodedValue? { try? value { scope.value(of: $0) } }

  /// Whether it holds, as a condition.
  func holds(in scope: Scope) -> Bool { (try? holds { scope.value(of: $0) }) ?? false }
}
