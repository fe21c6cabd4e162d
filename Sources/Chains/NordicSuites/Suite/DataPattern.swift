// Patterns for advertised data.
//
// Suites may be hostile. The search takes time in proportion to the lengths of pattern and text, whatever the
// pattern; the regular expressions of the standard library do not guarantee that.

public import Documents

/// A simple regular expression: `0D18`, `^0201`, `FF(4C00|5900)`, `[0-9A-F]{4}`.
public struct DataPattern: Hashable, Sendable, CustomStringConvertible {
  /// One instruction of the compiled pattern.
  enum Instruction: Hashable, Sendable {
    /// Matches one of these bytes.
    case match(Set<UInt8>)
    /// Continues at two instructions, given by their distances from this one.
    case split(Int, Int)
    case jump(Int)
    case atStart
    case atEnd
    case found
  }

  /// The text of the pattern.
  public let description: String
  private let program: [Instruction]

  /// Parses a pattern.
  ///
  /// - Throws: `Problem` for an invalid or too large pattern.
  public init(_ text: String) throws(Problem) {
    description = text
    var compiler = PatternCompiler(text)
    program = try compiler.program()
  }

  /// Whether a part of `text` matches. Takes time in proportion to the product of both lengths.
  public func isFound(in text: String) -> Bool {
    let octets = Array(text.utf8)
    var states: [Int] = []
    var marks = [Int](repeating: -1, count: program.count)
    for position in 0...octets.count {
      // A match may begin at any position.
      states.append(0)
      var index = 0
      var next: [Int] = []
      var pending = states
      states = []
      while index < pending.count {
        let at = pending[index]
        index += 1
        guard marks[at] != position else { continue }
        marks[at] = position
        switch program[at] {
        case .found: return true
        case .jump(let distance): pending.append(at + distance)
        case .split(let first, let second): pending += [at + first, at + second]
        case .atStart: if position == 0 { pending.append(at + 1) }
        case .atEnd: if position == octets.count { pending.append(at + 1) }
        case .match(let wanted):
          if position < octets.count, wanted.contains(octets[position]) { next.append(at + 1) }
        }
      }
      states = next
    }
    return false
  }
}
