// Dots and lines in the cells of a terminal.
//
// It draws no text, and prints nothing.

/// The characters that a plot may use.
enum PlotCharset: Sendable {
  /// Braille patterns, with eight dots in a cell.
  case braille
  /// ASCII, with one dot in a cell.
  case ascii

  /// Chooses the charset from the locale of the terminal.
  ///
  /// - Source: POSIX, 8.2 (LC_ALL overrides LC_CTYPE, which overrides LANG).
  init(_ environment: (String) -> String?) {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment)
    let locale = (names.first { !$0.isEmpty } ?? "").lowercased()
    self = locale.contains("utf-8") || locale.contains("utf8") ? .braille : .ascii
  }

  /// The number of dots in a cell.
  var dots: (across: Int, down: Int) {
    switch self {
    case .braille: (2, 4)
    case .ascii: (1, 1)
    }
  }

  /// The line between the labels and the plot.
  var axis: Character {
    switch self {
    case .braille: "│"
    case .ascii: "|"
    }
  }
}

/// A grid of dots; the origin is at the bottom left.
struct PlotCanvas: Sendable {
  private let charset: PlotCharset
  private let columns: Int
  private let rows: Int
  private var cells: [UInt8]

  init(columns: Int, rows: Int, _ charset: PlotCharset) {
    self.charset = charset
    self.columns = columns
    self.rows = rows
    cells = [UInt8](repeating: 0, count: max(0, columns * rows))
  }

  /// The size, in dots.
  var width: Int { columns * charset.dots.across }
  var height: Int { rows * charset.dots.down }

  /// The bit of each dot in a braille cell: the left column from the top, then the right one.
  ///
  /// - Source: Unicode 15, Braille Patterns: dots 1 2 3 7, 4 5 6 8.
  private static let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]

  mutating func set(_ x: Int, _ y: Int) {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return }
    let (across, down) = charset.dots
    let row = rows - 1 - y / down
    let bit = charset == .ascii ? 1 : Self.bits[x % across][down - 1 - y % down]
    cells[row * columns + x / across] |= bit
  }

  /// Draws a line between two dots.
  mutating func line(_ from: (x: Int, y: Int), _ to: (x: Int, y: Int)) {
    let steps = max(abs(to.x - from.x), abs(to.y - from.y))
    guard steps > 0 else { return set(to.x, to.y) }
    for step in 0...steps {
      let x = from.x + ((to.x - from.x) * step * 2 + steps) / (steps * 2)
      let rise = (to.y - from.y) * step * 2
      let y = from.y + (rise >= 0 ? rise + steps : rise - steps) / (steps * 2)
      set(x, y)
    }
  }

  /// The rows from the top, each with one character for each column.
  var lines: [String] {
    (0..<rows).map { row in
      String(String.UnicodeScalarView(cells[row * columns..<(row + 1) * columns].map(scalar)))
    }
  }

  private func scalar(_ cell: UInt8) -> Unicode.Scalar {
    guard cell != 0 else { return " " }
    switch charset {
    case .ascii: return "*"
    case .braille: return Unicode.Scalar(0x2800 + UInt32(cell)) ?? " "
    }
  }
}
