// The tables of steps, keys and metrics of the documentation, from the descriptions.

import Documents

@testable import Jobs
@testable import Reports

/// The generated tables of the pages in `docs`.
enum PageTables {
  /// A generated part of the page, between two comments.
  enum Table: String, CaseIterable {
    case head, steps, keys, metrics

    /// The page that contains it.
    var page: String {
      switch self {
      case .head, .steps, .keys: "chains.md"
      case .metrics: "batch.md"
      }
    }

    /// The comments before and after it on the page.
    var marks: (begin: String, end: String) {
      ("<!-- generated: \(rawValue) -->\n", "<!-- end: \(rawValue) -->\n")
    }

    var text: String {
      switch self {
      case .head: PageTables.head
      case .steps: PageTables.steps
      case .keys: PageTables.keys
      case .metrics: PageTables.metrics
      }
    }
  }

  /// The page with its tables generated again.
  static func updated(_ page: String) -> String {
    Table.allCases.reduce(page) { page, table in
      guard let begin = page.firstRange(of: table.marks.begin),
        let end = page[begin.upperBound...].firstRange(of: table.marks.end)
      else { return page }
      return page[..<begin.upperBound] + table.text + page[end.lowerBound...]
    }
  }

  private static var head: String {
    rows(
      ["key", ""],
      (Plan.keys.map(\.description) + Declarations.descriptions)
        .map { ["`\($0.name)`", $0.documentation] }
    )
  }

  private static var steps: String {
    rows(
      ["step", "does", "other keys"],
      Step.entries.map { entry in
        let others = entry.descriptions.map(\.name).filter { $0 != entry.verb }
        return [
          "`\(entry.verb)`", entry.documentation,
          others.map { "`\($0)`" }.joined(separator: ", "),
        ]
      }
    )
  }

  /// The keys of steps, except the verbs: those of several steps in one table, then a table for each
  /// step that has keys of its own.
  private static var keys: String {
    var lines: [(key: KeyDescription, verbs: [String])] = []
    for entry in Step.entries {
      for key in entry.descriptions where key.name != entry.verb {
        let index = lines.firstIndex {
          $0.key.name == key.name && $0.key.documentation == key.documentation
        }
        if let index {
          lines[index].verbs.append(entry.verb)
        } else {
          lines.append((key, [entry.verb]))
        }
      }
    }
    let shared = lines.filter { $0.verbs.count > 1 }
    let common =
      "### Of several steps\n\n"
      + rows(
        ["key", "of", "on one line", ""],
        shared.map { ["`\($0.key.name)`", steps($0.verbs), onLine($0.key), meaning($0.key)] }
      )
    let own = Step.verbs.compactMap { verb -> String? in
      let keys = lines.filter { $0.verbs == [verb] }.map(\.key)
      guard !keys.isEmpty else { return nil }
      return "\n### Of `\(verb)`\n\n"
        + rows(
          ["key", "on one line", ""],
          keys.map { ["`\($0.name)`", onLine($0), meaning($0)] }
        )
    }
    return "\n" + common + own.joined() + "\n"
  }

  /// The documentation of a key, with the words that it may have.
  private static func meaning(_ key: KeyDescription) -> String {
    let choices = key.shape.choices.map { "`\($0)`" }.joined(separator: ", ")
    return key.documentation + (choices.isEmpty ? "" : ": \(choices)")
  }

  /// The steps that have a key; those that do not have it where they are fewer.
  private static func steps(_ verbs: [String]) -> String {
    let others = Step.verbs.filter { !verbs.contains($0) }
    func list(_ verbs: [String]) -> String {
      verbs.map { "`\($0)`" }.joined(separator: ", ")
    }
    if others.isEmpty { return "all steps" }
    return others.count < verbs.count ? "all steps but \(list(others))" : list(verbs)
  }

  private static var metrics: String {
    rows(
      ["metric", "kind", "labels", ""],
      Metric.allCases.map { metric in
        let description = metric.description
        return [
          "`\(description.fullName)`", description.kind.word,
          description.labels.map { "`\($0)`" }.joined(separator: ", "), description.help,
        ]
      }
    )
  }

  private static func onLine(_ key: KeyDescription) -> String {
    switch key.form {
    case .option(let word), .repeated(let word): "`\(word) …`"
    case .flag(let word): "`\(word)`"
    case .bare(_, let what): what
    case .parts: "`u8:1`"
    case .steps(let word): "`\(word.map { "\($0) " } ?? ""){ … }`"
    case .write(let word, _): "`\(word) { write … }`"
    case .comparisons(let word), .stop(let word): "`\(word) …`"
    case .binding(let word): "`\(word) name=value`"
    case .target, .members, .inputs, .condition, .calculation: ""
    }
  }

  private static func rows(_ head: [String], _ rows: [[String]]) -> String {
    ([head, head.map { _ in "---" }] + rows)
      .map { "| " + $0.map { $0.isEmpty ? " " : $0 }.joined(separator: " | ") + " |\n" }
      .joined()
  }
}
