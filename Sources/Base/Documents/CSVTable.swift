// Comma-separated values, each with its position in the file.
//
// Cells are texts: the reader of the table decides what they mean.

/// A table with a line of column names above its rows.
///
/// Commas separate cells; or semicolons or tabs, if the line of names uses them: spreadsheets write
/// semicolons where numbers have decimal commas. A cell in double quotes may contain separators,
/// line ends, and double quotes, which are doubled. Empty lines, lines that begin with `#`, and a
/// byte order mark are ignored.
///
/// - Source: RFC 4180, with comments and other separators.
public struct CSVTable: Hashable, Sendable {
  /// The name of the file in errors.
  public let file: String
  /// The names of the columns, in order, without duplicates.
  public let columns: [String]
  /// One cell per column in each row.
  public let rows: [[Node]]

  /// Reads a table.
  ///
  /// ```swift
  /// let table = try CSVTable.parse(TextFile.read("devices.csv"), file: "devices.csv")
  /// for address in table.column("address") ?? [] { print(address.cellText, address.place) }
  /// ```
  ///
  /// - Parameters:
  ///   - text: The table.
  ///   - file: The name of the file in error messages.
  ///   - limits: The limits of the table.
  /// - Throws: ``DocumentErrors`` for rows with too few or too many cells, columns without a name
  ///   or with a duplicate name, quotes that are not closed, and tables that exceed `limits`.
  public static func parse(
    _ text: String, file: String, limits: DocumentLimits = DocumentLimits()
  ) throws(DocumentErrors) -> CSVTable {
    try limits.check(text, file: file)
    let start = Place(file: file, line: 1, column: 1)
    var reader = CSVReader(text, file: file, limits: limits)
    let lines = reader.lines()
    var problems = reader.problems
    guard let header = lines.first else {
      throw DocumentErrors(problems.isEmpty ? [Problem("the file is empty", at: start)] : problems)
    }
    let columns = header.map { $0.cellText }
    var known: Set<String> = []
    for (index, cell) in header.enumerated() {
      if columns[index].isEmpty {
        problems.append(cell.problem("the column has no name"))
      } else if !known.insert(columns[index]).inserted {
        problems.append(cell.problem("duplicate column '\(columns[index])'"))
      }
    }
    for row in lines.dropFirst() where row.count != header.count {
      let found = row.count == 1 ? "1 cell" : "\(row.count) cells"
      let expected = header.count == 1 ? "1 cell" : "\(header.count) cells"
      problems.append(row[0].problem(found: found, expected: expected))
    }
    guard problems.isEmpty else { throw DocumentErrors(problems) }
    return CSVTable(file: file, columns: columns, rows: Array(lines.dropFirst()))
  }

  /// The cells of a column, one per row; nil for an unknown column.
  public func column(_ name: String) -> [Node]? {
    columns.firstIndex(of: name).map { index in rows.map { $0[index] } }
  }
}

extension Node {
  /// The text of a cell of a table; empty for an empty cell.
  public var cellText: String {
    if case .scalar(let text, _) = content { text } else { "" }
  }
}

/// Parses a table by Unicode scalar, so that a combining mark after a comma does not hide the
/// comma.
private struct CSVReader {
  private let scalars: [Unicode.Scalar]
  private let file: String
  private let limits: DocumentLimits
  private var separator = Separator.comma
  private var index = 0
  private var place: (line: Int, column: Int) = (1, 1)
  private var count = 0
  private(set) var problems: [Problem] = []

  init(_ text: String, file: String, limits: DocumentLimits) {
    let scalars = Array(text.unicodeScalars)
    self.scalars = scalars.first == "\u{feff}" ? Array(scalars.dropFirst()) : scalars
    self.file = file
    self.limits = limits
  }

  mutating func lines() -> [[Node]] {
    var lines: [[Node]] = []
    while let first = next {
      if first.endsLine {
        step()
      } else if first == "#", place.column == 1 {
        while let other = next, !other.endsLine { step() }
      } else {
        if lines.isEmpty { separator = separatorOfLine }
        lines.append(line())
      }
      guard count <= limits.nodes else {
        problems.append(Problem("the table has more than \(limits.nodes) cells", at: here))
        return lines
      }
    }
    return lines
  }

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }
  private var here: Place { Place(file: file, line: place.line, column: place.column) }

  /// The separator of the current line: the first of `allCases` that it contains outside quotes;
  /// otherwise a comma.
  private var separatorOfLine: Separator {
    var isQuoted = false
    let line = scalars[index...].prefix { scalar in
      if scalar == "\"" { isQuoted.toggle() }
      return isQuoted || !scalar.endsLine
    }
    var found: Set<Separator> = []
    isQuoted = false
    // A tab at the end of a line separates no cells.
    for scalar in line[..<(line.lastIndex { !$0.isWhitespace } ?? line.startIndex)] {
      if scalar == "\"" { isQuoted.toggle() }
      if !isQuoted, let separator = Separator(rawValue: scalar) { found.insert(separator) }
    }
    return Separator.allCases.first { found.contains($0) } ?? .comma
  }

  private mutating func step() {
    let passed = scalars[index]
    index += 1
    // CR LF is one line end.
    let staysOnLine = !passed.endsLine || (passed == "\r" && next == "\n")
    place = staysOnLine ? (place.line, place.column + 1) : (place.line + 1, 1)
  }

  private mutating func line() -> [Node] {
    var cells: [Node] = []
    while true {
      cells.append(cell())
      count += 1
      guard next == separator.rawValue else { break }
      step()
    }
    return cells
  }

  private mutating func cell() -> Node {
    while let blank = next, isBlank(blank) { step() }
    let start = here
    guard next == "\"" else { return plain(start) }
    var text = String.UnicodeScalarView()
    step()
    while let scalar = next {
      step()
      if scalar == "\"" {
        guard next == "\"" else { return closed(text, start) }
        step()
      }
      text.append(scalar)
    }
    problems.append(Problem("the quotes are not closed", at: start))
    return closed(text, start)
  }

  /// A cell without quotes.
  private mutating func plain(_ start: Place) -> Node {
    var text = String.UnicodeScalarView()
    while let scalar = next, !endsCell(scalar) {
      text.append(scalar)
      step()
    }
    while let last = text.last, isBlank(last) { text.removeLast() }
    return Node(.scalar(String(text), isPlain: true), at: start, path: "")
  }

  private mutating func closed(_ text: String.UnicodeScalarView, _ start: Place) -> Node {
    while let scalar = next, !endsCell(scalar) {
      if !isBlank(scalar) {
        let expected = separator.title
        problems.append(Problem("text after the closing quote", expected: expected, at: here))
        while let other = next, !endsCell(other) { step() }
        break
      }
      step()
    }
    return Node(.scalar(String(text), isPlain: true), at: start, path: "")
  }

  private func endsCell(_ scalar: Unicode.Scalar) -> Bool {
    scalar == separator.rawValue || scalar.endsLine
  }

  private func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || (scalar == "\t" && separator != .tab)
  }
}

/// A character between the cells of a table, in order of precedence.
private enum Separator: Unicode.Scalar, CaseIterable {
  case comma = ","
  case semicolon = ";"
  case tab = "\t"

  var title: String {
    switch self {
    case .comma: "a comma"
    case .semicolon: "a semicolon"
    case .tab: "a tab"
    }
  }
}

extension Unicode.Scalar {
  fileprivate var endsLine: Bool { self == "\n" || self == "\r" }
  fileprivate var isWhitespace: Bool { self == " " || self == "\t" }
}
