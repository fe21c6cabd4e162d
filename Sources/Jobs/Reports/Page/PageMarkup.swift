// Parts of a page that know nothing of runs: escaped text, tables, lanes over a time axis.
//
// Whatever comes from outside goes through `text(_:)`; the other parameters are markup or words of
// this program.

import Bluetooth

/// Markup that is both HTML and XML.
enum PageMarkup {
  /// The maximum length of a text from outside, in characters of Unicode.
  static let textLimit = 400

  /// Text from outside, escaped; an ellipsis replaces what is too long.
  static func text(_ text: String, limit: Int = textLimit) -> String {
    let scalars = text.unicodeScalars
    let last = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex)
    guard let end = last, end < scalars.endIndex else { return Markup.escaped(text) }
    return Markup.escaped(String(scalars[..<end])) + "…"
  }

  /// A name within a sentence: its direction does not change that of the sentence.
  static func name(_ name: String) -> String { "<bdi>\(text(name))</bdi>" }

  /// A number with thin spaces between thousands.
  static func number(_ number: Int) -> String {
    var (rest, groups) = (String(number)[...], [Substring]())
    while rest.count > 3 {
      groups.insert(rest.suffix(3), at: 0)
      rest = rest.dropLast(3)
    }
    return ([rest] + groups).joined(separator: "\u{202f}")
  }

  /// `3 devices`, with the number as ``number(_:)`` writes it.
  static func counted(_ count: Int, _ noun: String) -> String {
    "\(number(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// A list of terms, each with what is known of it.
  static func facts(_ facts: [(term: String, markup: String)], class name: String) -> String {
    let rows = facts.map { "<div><dt>\($0.term)</dt><dd>\($0.markup)</dd></div>" }
    return "<dl class=\"\(name)\">\(rows.joined())</dl>"
  }
}

// MARK: Tables

extension PageMarkup {
  /// A column of a table.
  struct Column {
    let title: String
    /// How its cells are sorted, and aligned.
    let isNumeric: Bool
    /// Markup below the title.
    let below: String

    init(_ title: String, isNumeric: Bool = false, below: String = "") {
      self.title = title
      self.isNumeric = isNumeric
      self.below = below
    }
  }

  /// A cell of a row; what it has is markup.
  enum Cell {
    /// What the row is about.
    case title(String)
    case text(String)
    case number(String)
    /// How something ended, and the word for that.
    case status(String, String)
    case lane(String)
    case bytes(String)

    fileprivate var markup: String {
      switch self {
      case .title(let markup): "<th scope=\"row\">\(markup)</th>"
      case .text(let markup): "<td>\(markup)</td>"
      case .number(let markup): "<td class=\"n\">\(markup)</td>"
      case .status(let status, let word): "<td class=\"s \(status)\">\(word)</td>"
      case .lane(let markup): "<td class=\"lane\">\(markup)</td>"
      case .bytes(let markup): "<td class=\"hex\">\(markup)</td>"
      }
    }
  }

  /// A row.
  ///
  /// - Parameters:
  ///   - id: Its identifier, for links.
  ///   - section: The identifier of the section that is shown and hidden with it.
  static func row(id: String? = nil, section: String? = nil, _ cells: [Cell]) -> String {
    let known = [("id", id), ("data-section", section)].compactMap { name, value in
      value.map { (name, $0) }
    }
    return "<tr\(Markup.attributes(known))>\(cells.map(\.markup).joined())</tr>"
  }

  /// How many rows a table shows at first; a browser needs long to lay out thousands.
  static let rowLimit = 200

  /// A table whose rows the script of the page sorts and filters.
  ///
  /// Of a long one the first rows are shown, and all of them on demand, also without the script; the
  /// others are in a table of their own, folded.
  ///
  /// - Parameter caption: What it has, for people who cannot see where it is.
  static func table(
    _ caption: String,
    class name: String,
    columns: [Column],
    rows: [String]
  ) -> [String] {
    let head = columns.map { column in
      let sign = column.isNumeric ? " class=\"n\"" : ""
      return "<th scope=\"col\"\(sign)>\(column.title)\(column.below)</th>"
    }
    func table(_ caption: String, _ name: String, _ rows: ArraySlice<String>) -> [String] {
      [
        "<table class=\"\(name)\">", "<caption>\(caption)</caption>",
        "<thead><tr>\(head.joined())</tr></thead>", "<tbody>",
      ] + rows + ["</tbody>", "</table>"]
    }
    let first = table(caption, name, rows.prefix(rowLimit))
    guard rows.count > rowLimit else { return first }
    let printed = "The first \(number(rowLimit)) of \(number(rows.count)) rows."
    let more =
      "<label class=\"more\" data-printed=\"\(printed)\"><input type=\"checkbox\"/> "
      + "Show all \(number(rows.count)) rows</label>"
    let rest = table("\(caption), continued", "\(name) rest", rows.dropFirst(rowLimit))
    return [more] + first + folded(rest)
  }
}

// MARK: Folded parts

extension PageMarkup {
  private static let fold = (start: "<noscript>", end: "</noscript>")

  /// A part of the page that is not shown at first.
  ///
  /// A browser that runs the script of the page reads it as text, which costs nearly nothing, and
  /// makes elements of it when they are needed; one that runs no script shows it. There is no fold
  /// inside a fold: text ends at the first end.
  static func folded(_ lines: [String]) -> [String] {
    [fold.start] + lines.filter { $0 != fold.start && $0 != fold.end } + [fold.end]
  }

  /// Something that is opened by its summary; closed, it is folded.
  static func details(
    class name: String? = nil,
    _ summary: String,
    isOpen: Bool = false,
    _ lines: [String]
  ) -> [String] {
    let known = [("class", name), ("open", isOpen ? "open" : nil)].compactMap { key, value in
      value.map { (key, $0) }
    }
    return ["<details\(Markup.attributes(known))>", "<summary>\(summary)</summary>"]
      + (isOpen ? lines : folded(lines)) + ["</details>"]
  }
}

// MARK: Lanes

extension PageMarkup {
  /// A row of a figure, with a name at the side.
  struct Lane {
    /// Markup: the name, and what is to be known of it.
    let name: String
    /// Markup: an `svg` as wide as the axis.
    let drawing: String
  }

  /// Lanes over one time axis, with one cursor that the script of the page moves.
  ///
  /// - Parameter title: What it shows; markup.
  static func figure(_ title: String, _ axis: TimeAxis, _ lanes: [Lane]) -> [String] {
    let rows = [Lane(name: "Time", drawing: ticks(of: axis))] + lanes
    let seconds = "data-from=\"\(axis.from.seconds)\" data-to=\"\(axis.to.seconds)\""
    return ["<figure class=\"lanes\" \(seconds)>", "<figcaption>\(title)</figcaption>"]
      + rows.map { "<div class=\"lane\"><div class=\"name\">\($0.name)</div>\($0.drawing)</div>" }
      + ["</figure>"]
  }

  /// The named times of an axis.
  static func ticks(of axis: TimeAxis) -> String {
    let ticks = axis.ticks.map { tick in
      let (x, isLast) = (axis.percent(tick.at), axis.share(tick.at) > 0.9)
      let anchor = isLast ? " class=\"last\"" : ""
      return "<g><line x1=\"\(x)\" x2=\"\(x)\" y1=\"12\" y2=\"16\"/>"
        + "<text x=\"\(x)\" y=\"10\"\(anchor)>\(tick.label)</text></g>"
    }
    return "<svg class=\"axis\" height=\"16\" aria-hidden=\"true\">\(ticks.joined())</svg>"
  }

  /// Bars side by side; wide ones have their title inside, if they are named.
  ///
  /// What they show is in a table, too, so readers of the page's text need not read them.
  ///
  /// - Parameters:
  ///   - noun: What they are.
  ///   - room: How many bars the page may have as data; reduced by those that it has now.
  static func bars(
    _ bars: [LaneBar],
    on axis: TimeAxis,
    areNamed: Bool = true,
    noun: String = "step",
    room: inout Int
  ) -> String {
    let merged = LaneBar.merged(bars, on: axis)
    let drawn = merged.map { bar in
      let drawing = drawing(of: bar, on: axis, isNamed: areNamed, noun)
      return bar.anchor.map { "<a href=\"#\($0)\" tabindex=\"-1\">\(drawing)</a>" } ?? drawing
    }
    let svg = "<svg class=\"bars\" height=\"22\" aria-hidden=\"true\">\(drawn.joined())</svg>"
    guard merged.count < bars.count, bars.count <= room, let data = data(bars, noun) else {
      return svg
    }
    room -= bars.count
    return svg + data
  }

  /// Bars as data for the script of the page, which draws them one by one where a part of the time
  /// is enlarged: starts, each since the last one, and lengths in microseconds, kinds, and the
  /// numbers at the end of their anchors, each since the last one. Nil where one has no anchor.
  private static func data(_ bars: [LaneBar], _ noun: String) -> String? {
    let ordered = bars.enumerated().sorted {
      ($0.element.from, $0.offset) < ($1.element.from, $1.offset)
    }
    .map(\.element)
    guard let stem = ordered.first?.anchor.map(stem) else { return nil }
    var (from, took, rows, kinds) = ([Int64](), [Int64](), [Int](), "")
    for bar in ordered {
      guard let anchor = bar.anchor, anchor.hasPrefix(stem),
        let row = Int(anchor.dropFirst(stem.count)),
        let kind = LaneBar.Kind.allCases.firstIndex(of: bar.kind)
      else { return nil }
      from.append(bar.from.wholeMicroseconds)
      took.append((bar.to - bar.from).wholeMicroseconds)
      rows.append(row)
      kinds += "\(kind)"
    }
    let names = LaneBar.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
    return "<script type=\"application/json\">{\"noun\":\"\(noun)\",\"stem\":\"\(stem)\","
      + "\"names\":[\(names)],\"kinds\":\"\(kinds)\",\"from\":[\(steps(from))],"
      + "\"took\":[\(list(took))],\"rows\":[\(steps(rows))]}</script>"
  }

  /// An identifier without the number at its end.
  private static func stem(_ anchor: String) -> String {
    let digits = anchor.reversed().prefix { $0.isNumber }.count
    return String(anchor.dropLast(digits))
  }

  private static func list(_ numbers: [some BinaryInteger]) -> String {
    numbers.map { "\($0)" }.joined(separator: ",")
  }

  /// Each number since the last one.
  static func steps<Number: BinaryInteger>(_ numbers: [Number]) -> String {
    list(zip(numbers, [0] + numbers).map { $0 - $1 })
  }

  /// How much of the width a bar needs for a title.
  private static let namedWidth = 0.08
  /// The least width that is seen.
  private static let leastWidth = 0.0015

  private static func drawing(
    of bar: LaneBar,
    on axis: TimeAxis,
    isNamed: Bool,
    _ noun: String
  ) -> String {
    let share = axis.share(bar.to) - axis.share(bar.from)
    let (x, width) = (axis.percent(bar.from), TimeAxis.percent(max(share, leastWidth)))
    let several = bar.count == 1 ? "" : "\(counted(bar.count, noun)), the first: "
    let title = "\(several)\(text(bar.title)), \(TextReport.milliseconds(bar.to - bar.from)) s"
    let place = "x=\"\(x)\" width=\"\(width)\""
    let rect =
      "<rect class=\"\(bar.kind.rawValue)\" \(place) y=\"2\" height=\"18\">"
      + "<title>\(title)</title></rect>"
    if share >= namedWidth, isNamed, bar.count == 1 {
      return rect + "<svg \(place)><text x=\"5\" y=\"15\">\(text(bar.title))</text></svg>"
    }
    guard let sign = bar.kind.sign, share < namedWidth else { return rect }
    // At the end of the axis it would be cut off.
    let isLast = axis.share(bar.from) > 0.97
    let mark = isLast ? "class=\"mark last\" x=\"100%\"" : "class=\"mark\" x=\"\(x)\""
    return rect + "<text \(mark) y=\"15\">\(sign)</text>"
  }
}
