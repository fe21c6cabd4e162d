// The failures on a page, grouped by their cause, with details of each.

import Bluetooth
import Documents
import RunEvents

extension ReportPage {
  private struct Found {
    let failure: RunFailure
    /// The step and its index; nil outside steps.
    let step: (reported: ReportedStep, index: Int)?
    let run: Int

    /// The parts that failures with the same cause share. Reasons are not among them, because they
    /// contain numbers and values.
    var cause: [String?] {
      [
        failure.code.rawValue, failure.expectation?.expected, failure.bluez?.description,
        failure.att?.description, failure.hint,
        step.map { "\($0.reported.position.written) \($0.reported.title)" },
        failure.source?.description,
      ]
    }

    /// The reason, without the received value of an unmet expectation.
    var reason: String { failure.expectation.map { "expected \($0.expected)" } ?? failure.why }
  }

  /// The maximum number of runs named in a group.
  private static let placeLimit = 12

  /// The failures, each cause once, in the order of the runs; empty if there are none.
  var failures: [String] {
    mutating get {
      let groups = causes
      let own = whole?.failure.map { failure in
        [
          "<article class=\"failure\">", "<h3>The \(whole?.kind.rawValue ?? "run")</h3>",
          Self.explanation(failure), "</article>",
        ]
      }
      guard own != nil || !groups.isEmpty else { return [] }
      let shown = groups.prefix(Room.reserve(groups.count, of: &room.failures))
      let rest = Self.omission(groups.count - shown.count) { count in
        "\(PageMarkup.counted(count, "more cause")): see the steps below."
      }
      return ["<section id=\"failures\">", "<h2>What went wrong</h2>"] + (own ?? [])
        + shown.flatMap { card($0) } + rest + ["</section>"]
    }
  }

  /// The failures of all runs, grouped by cause, in the order of the runs.
  private var causes: [[Found]] {
    var (groups, indices) = ([[Found]](), [[String?]: Int]())
    for run in order {
      var found = runs[run].steps.enumerated().compactMap { index, step in
        step.failure.map { Found(failure: $0, step: (step.reported, index), run: run) }
      }
      if let failure = runs[run].failureBetweenSteps {
        found.append(Found(failure: failure, step: nil, run: run))
      }
      for each in found {
        if let known = indices[each.cause] {
          groups[known].append(each)
        } else {
          indices[each.cause] = groups.count
          groups.append([each])
        }
      }
    }
    return groups
  }

  /// The explanation of a cause, from the first run that has it.
  private func card(_ group: [Found]) -> [String] {
    let (first, isSeveral) = (group[0], group.count > 1)
    let reasons = Set(group.map(\.reason))
    // The operation may name the device, so it may differ within a group.
    let doings = Set(group.map(\.failure.what))
    // With a single run, its name adds nothing.
    let isAlone = runs.count == 1 && first.step != nil
    let links = group.prefix(Self.placeLimit).map { found in
      let ordinal = found.step.map { runs[found.run].earlierStepCount + $0.index }
      let target = ordinal.map { Self.anchor(found.run, ordinal: $0) } ?? Self.anchor(found.run)
      let name = isAlone ? "Its row" : PageMarkup.text(runs[found.run].label)
      let got = isSeveral ? found.failure.expectation?.got : nil
      let own =
        got.map { " <code>\(PageMarkup.text($0, limit: 40))</code>" }
        ?? (reasons.count > 1 ? " \(PageMarkup.text(found.failure.why, limit: 160))" : "")
      return "<li><a href=\"#\(target)\">\(name)</a>\(own)</li>"
    }
    let others = group.count - links.count
    let more = others == 0 ? "" : "<li>and \(PageMarkup.counted(others, "more \(noun)"))</li>"
    let step =
      first.step.map { step, _ in
        (step.position.isImplied ? "" : "Step \(step.position.written): ") + Self.title(of: step)
      } ?? "Outside its steps"
    let count =
      isSeveral ? " <span class=\"count\">\(PageMarkup.counted(group.count, noun))</span>" : ""
    return [
      "<article class=\"failure\">", "<h3>\(step)\(count)</h3>",
      "<ul class=\"places\" aria-label=\"Where it failed\">\(links.joined())\(more)</ul>",
      Self.explanation(
        first.failure, ofSeveral: isSeveral ? (reasons, doings) : nil,
        from: runs[first.run].startedAt
      ),
      "</article>",
    ]
  }

  /// All details of a failure.
  ///
  /// - Parameters:
  ///   - several: The reasons and operations of several failures with the same cause; nil for a
  ///     single failure.
  ///   - start: The start of the run, since 1970-01-01T00:00:00Z; nil outside a run.
  static func explanation(
    _ failure: RunFailure, ofSeveral several: (reasons: Set<String>, doings: Set<String>)? = nil,
    from start: Duration? = nil
  ) -> String {
    func code(_ text: String) -> String { "<code>\(PageMarkup.text(text))</code>" }
    let facts: [(term: String, markup: String?)] = [
      ("While", several.map { $0.doings.count == 1 } ?? true ? PageMarkup.text(failure.what) : nil),
      ("Expected", failure.expectation.map { code($0.expected) }),
      ("Received", several == nil ? failure.expectation.map { code($0.received) } : nil),
      ("BlueZ", failure.bluez.map { code("\($0)") }),
      ("ATT error", failure.att.map { code("\($0)") }),
      ("Try", failure.hint.isEmpty ? nil : PageMarkup.text(failure.hint)),
      ("Written at", failure.source.map { code("\($0)") }),
      ("Trace", failure.trace.map { PageMarkup.text($0.sentence) }),
      ("Code", "\(code(failure.code.rawValue)), \(meaning(failure.class))"),
    ]
    let why = several?.reasons ?? [failure.why]
    // Reasons that differ are shown with each run instead.
    return (why.count == 1 ? "<p class=\"why\">\(PageMarkup.text(why.joined()))</p>" : "")
      + PageMarkup.facts(facts, class: "explanation")
      + (start.map { messages(before: failure, from: $0) } ?? "")
  }

  /// The last messages and packets before a failure, in the order of their times.
  ///
  /// - Parameter start: The start of the run, since 1970-01-01T00:00:00Z.
  private static func messages(before failure: RunFailure, from start: Duration) -> String {
    let packets = failure.trace?.last ?? []
    // At the same time, messages come before packets.
    let lines =
      failure.messages.map { (time: $0.time, text: $0.text) }
      + packets.map { (time: $0.time, text: "packet \($0.number) \($0.text)") }
    guard !lines.isEmpty else { return "" }
    let order = lines.indices.sorted { (lines[$0].time, $0) < (lines[$1].time, $1) }
    let items = order.map { index -> String in
      let text = PageMarkup.text(lines[index].text)
      let time = seconds(lines[index].time - start)
      return "<li><span class=\"n\">\(time)</span> <code>\(text)</code></li>"
    }
    var parts: [String] = []
    if !failure.messages.isEmpty {
      parts.append("\(counted(failure.messages.count, "message")) of BlueZ")
    }
    if !packets.isEmpty { parts.append(counted(packets.count, "packet")) }
    return "<details class=\"before\"><summary>Before it: \(parts.joined(separator: ", "))"
      + "</summary><ol>\(items.joined())</ol></details>"
  }

  private static func meaning(_ class: FailureClass) -> String {
    switch `class` {
    case .passing: "transient: another attempt may succeed"
    case .definite: "permanent: another attempt fails the same way"
    case .unavailable: "this host cannot do it now"
    }
  }
}
