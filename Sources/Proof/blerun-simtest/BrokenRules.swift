// Counts broken rules over many runs.

/// Counts how often each rule was the first broken one of a run, with the lowest seed.
struct BrokenRules {
  private struct Entry {
    let rule: String
    var count: Int
    let seed: UInt64
    let what: String
  }

  private var entries: [Entry] = []

  /// Counts the first broken rule of a run.
  mutating func count(_ problems: [String], seed: UInt64) {
    guard let first = problems.first else { return }
    let rule = String(first.prefix { $0 != ":" })
    if let index = entries.firstIndex(where: { $0.rule == rule }) {
      entries[index].count += 1
    } else {
      entries.append(Entry(rule: rule, count: 1, seed: seed, what: first))
    }
  }

  /// The lowest seed that broke a rule.
  var firstSeed: UInt64? { entries.map(\.seed).min() }

  /// One line per rule, the most frequent first.
  var lines: [String] {
    entries.sorted { $0.count > $1.count }
      .map { "\($0.count) times, first by seed \($0.seed): \($0.what)" }
  }
}
