// Parts of a page that do not know runs: escaped text, lists, tables.
//
// Text from outside must go through `text(_:)`; all other parameters are markup or words of this
// program.

import RunEvents

/// Markup that is valid as both HTML and XML.
enum PageMarkup {
  /// The maximum length of a text from outside, in Unicode scalars.
  static let textLimit = 400
  /// The number of rows that a table shows at first; laying out thousands is slow in a browser.
  static let rowLimit = 200

  /// Escapes text from outside; an ellipsis replaces the end of a long one.
  static func text(_ text: String, limit: Int = textLimit) -> String {
    let scalars = text.unicodeScalars
    let last = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex)
    guard let end = last, end < scalars.endIndex else { return Markup.escaped(text) }
    return Markup.escaped(String(scalars[..<end])) + "…"
  }

  /// A name in a sentence, isolated so that its writing direction does not affect the sentence.
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

  /// A number with its noun, `3 devices`, in the form of ``number(_:)``.
  static func counted(_ count: Int, _ noun: String) -> String {
    "\(number(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// A list of terms with their values; terms without a value are omitted.
  static func facts(_ facts: [(term: String, markup: String?)], class name: String) -> String {
    let rows = facts.map { term, markup in
      markup.map { "<div><dt>\(term)</dt><dd>\($0)</dd></div>" } ?? ""
    }
    return "<dl class=\"\(name)\">\(rows.joined())</dl>"
  }

  /// A section that the reader opens by its summary.
  static func details(
    class name: String? = nil, _ summary: String, isOpen: Bool = false, _ lines: [String]
  ) -> [String] {
    let attributes = Markup.attributes([("class", name), ("open", isOpen ? "open" : nil)])
    return ["<details\(attributes)>", "<summary>\(summary)</summary>"] + lines + ["</details>"]
  }
}

// MARK: Tables

extension PageMarkup {
  struct Column {
    let title: String
    /// The classes of the cells; `n` marks numbers, which are sorted as such.
    let name: String
    /// Markup below the title.
    var below = ""
    /// Whether the cells are the headings of their rows.
    var isHead = false

    /// A cell of the column, with markup as its content.
    func cell(_ markup: String, status: String? = nil) -> String {
      if isHead { return "<th scope=\"row\">\(markup)</th>" }
      return "<td class=\"\(name)\(status.map { " \($0)" } ?? "")\">\(markup)</td>"
    }
  }

  /// A row of a table.
  ///
  /// - Parameters:
  ///   - id: The identifier, for links.
  ///   - section: The identifier of the section that is shown and hidden with the row.
  static func row(_ cells: [String], id: String? = nil, section: String? = nil) -> String {
    "<tr\(Markup.attributes([("id", id), ("data-section", section)]))>\(cells.joined())</tr>"
  }

  /// A table whose rows the script of the page sorts and filters.
  ///
  /// A long table shows its first rows, and all of them on demand, even without the script.
  ///
  /// - Parameter caption: The title for screen readers.
  static func table(
    _ caption: String, class name: String, columns: [Column], rows: [String]
  ) -> [String] {
    let head = columns.map {
      "<th scope=\"col\" class=\"\($0.name)\">\($0.title)\($0.below)</th>"
    }
    let start = [
      "<table class=\"\(name)\">", "<caption>\(caption)</caption>",
      "<thead><tr>\(head.joined())</tr></thead>", "<tbody>",
    ]
    guard rows.count > rowLimit else { return start + rows + ["</tbody>", "</table>"] }
    let printed = "The first \(number(rowLimit)) of \(number(rows.count)) rows."
    let more =
      "<label class=\"more\" data-printed=\"\(printed)\"><input type=\"checkbox\"/> "
      + "Show all \(number(rows.count)) rows</label>"
    return [more] + start + rows.prefix(rowLimit) + ["</tbody>", "<tbody class=\"rest\">"]
      + rows.dropFirst(rowLimit) + ["</tbody>", "</table>"]
  }
}
