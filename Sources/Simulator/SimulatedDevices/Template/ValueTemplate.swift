// A value that is made when it is needed, of what is known then.

import Bluetooth

/// Octets, and numbers and texts that names stand for, in a row.
public struct ValueTemplate: Sendable, Hashable {
  /// One part of a value.
  enum Part: Sendable, Hashable {
    case octets([UInt8])
    /// A whole number; what has no room loses its highest bits.
    case number(ValueFormat, Expression)
    /// A whole number in decimal digits, as text.
    case decimal(Expression)
    /// The octets of a name.
    case variable(String)
    /// One row of a table, counted from 0; nothing where there is none.
    case row(table: String, Expression)
  }

  /// The parts, whose bytes follow each other.
  let parts: [Part]

  init(_ parts: [Part]) { self.parts = parts }

  /// A value that is always the same.
  public static func octets(_ octets: [UInt8]) -> ValueTemplate { ValueTemplate([.octets(octets)]) }

  /// What was written.
  public static let written = ValueTemplate([.variable(writtenName)])

  /// The name of what was written.
  static let writtenName = "written"

  /// The octets with these names; at most as many as a value may have.
  func octets(in scope: Scope) -> [UInt8] {
    let all = parts.flatMap { part -> [UInt8] in
      switch part {
      case .octets(let octets): return octets
      case .number(let format, let expression):
        return format.wrapping(expression.value(in: scope))
      case .decimal(let expression): return Array("\(expression.value(in: scope))".utf8)
      case .variable(let name): return scope.variables.octets(name)
      case .row(let table, let place):
        let (rows, index) = (scope.rows(table), place.value(in: scope))
        return (0..<Int64(rows.count)).contains(index) ? rows[Int(index)] : []
      }
    }
    return Array(all.prefix(FileLimits.octets))
  }
}
