// CSV-specific damage: quotes, commas, line ends, too many columns and rows.
//
// Pure: takes bytes and a generator, returns bytes.

import Signals

enum TableDamage: CaseIterable {
  case quote, comma, lineEnd, comment, mark, cell, columns, rows, row

  private static let cells: [[UInt8]] = [
    "", "\"\"", "\"\"\"\"", "\"", "\"a\"b", "\" \n \"", "a\"b\"", "  x  ", "\"  x  \"", "#", "=1+1",
    "{level}", "}{", "a: [b]", "; rssi", "-1", "0x", "256", "1e309", "nan", "9223372036854775808",
    "10s", "99999999999999999999s", "C0:FF:EE:00:01:00", "00:00:00:00:00:00", "\u{FEFF}",
    "\u{2028}", "\u{85}", "e\u{301}", "🦷", "\0", "*", "?", "mac",
  ].map { Array($0.utf8) }

  private static let lineEnds: [[UInt8]] = ["\n", "\r\n", "\r", "\n\n", "\u{2028}", "\u{0B}"].map {
    Array($0.utf8)
  }

  /// Returns a table with one or more kinds of damage.
  static func damaged(_ table: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var table = table
    for _ in 0..<generator.pick([1, 1, 2, 3, 6]) {
      generator.pick(allCases).apply(to: &table, &generator)
    }
    return table
  }

  private func apply(to table: inout [UInt8], _ generator: inout SeededGenerator) {
    switch self {
    case .quote: insert("\"", into: &table, &generator)
    case .comma: insert(generator.pick([",", ",,", ";", "\t", ", "]), into: &table, &generator)
    case .lineEnd:
      table.insert(contentsOf: generator.pick(Self.lineEnds), at: generator.place(in: table))
    case .comment: insert(generator.pick(["\n#", "#", "\n# \"", "\n #"]), into: &table, &generator)
    case .mark: table.insert(contentsOf: Array("\u{FEFF}".utf8), at: 0)
    case .cell: changeCell(of: &table, &generator)
    case .columns: widen(&table, &generator)
    case .rows, .row: changeRow(of: &table, &generator)
    }
  }

  private func insert(
    _ text: String, into table: inout [UInt8], _ generator: inout SeededGenerator
  ) {
    table.insert(contentsOf: Array(text.utf8), at: generator.place(in: table))
  }

  private func changeCell(of table: inout [UInt8], _ generator: inout SeededGenerator) {
    let isSign = { (octet: UInt8) in octet == UInt8(ascii: ",") || octet == UInt8(ascii: "\n") }
    var ranges: [Range<Int>] = []
    var start = 0
    for (index, octet) in table.enumerated() where isSign(octet) {
      ranges.append(start..<index)
      start = index + 1
    }
    guard !ranges.isEmpty else { return }
    table.replaceSubrange(generator.pick(ranges), with: generator.pick(Self.cells))
  }

  /// Adds columns to each row, with distinct or equal names.
  private func widen(_ table: inout [UInt8], _ generator: inout SeededGenerator) {
    let count = generator.pick([1, 2, 64, 1_500])
    let isNumbered = generator.hits(2, in: 3)
    let end = UInt8(ascii: "\n")
    let lines = table.split(separator: end, omittingEmptySubsequences: false)
    var wide: [[UInt8]] = []
    for (row, line) in lines.prefix(4).enumerated() where !line.isEmpty || row == 0 {
      let more = (1...count).map { row == 0 && isNumbered ? ",c\($0)" : ",x" }.joined()
      wide.append(line + Array(more.utf8))
    }
    table = Array(wide.joined(separator: [end])) + [end]
  }

  private func changeRow(of table: inout [UInt8], _ generator: inout SeededGenerator) {
    let end = UInt8(ascii: "\n")
    var lines = table.split(separator: end, omittingEmptySubsequences: false).map { Array($0) }
    let index = generator.index(lines.count)
    if self == .row {
      let line = lines.remove(at: index)
      if generator.hits(1, in: 2) { lines.insert(line, at: generator.index(lines.count + 1)) }
    } else {
      let times = generator.pick([1, 3, 100, 2_000])
      lines.insert(contentsOf: Array(repeating: lines[index], count: times), at: index)
    }
    table = Array(lines.joined(separator: [end]))
  }
}
