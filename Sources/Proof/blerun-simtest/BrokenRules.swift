// The rules that were broken in many runs, counted.

/// How often each rule was broken first, and by which seed.
struct BrokenRules {
  private struct Entry {
    let rule: String
    var count: Int
    let seed: UInt64
    let what: String
  }

  private var entries: [Entry] = []

  /// Counts the first rule that a run has broken.
  mutating func count(_ violations: [String], seed: UInt64) {
    guard let first = violations.first else { return }
    let rule = String(first.prefix { $0 != ":" })
    if let index = entries.firstIndex(where: { $0.rule == rule }) {
      entries[index].count += 1
    } else {
      entries.append(Entry(rule: rule, count: 1, seed: seed, what: first))
    }
  }

  /// The first seed that broke a rule.
  var firstSeed: UInt64? { entries.map(\.seed).min() }

  /// The most frequent first.
  var lines: [String] {
    entries.sorted { $0.count > $1.count }
      .map { "\($0.count) times, first by seed \($0.seed): \($0.what)" }
  }
}
