// Failures on a page: what is known of each, and those with one cause together.

import Bluetooth
import Documents

extension ReportPage {
  /// Where something failed: the step is nil outside steps.
  private struct Place {
    let run: Int
    let step: Int?
    /// What was received in place of what was expected.
    let got: String?
  }

  /// Failures with the same cause, of any number of runs.
  private struct Group {
    /// That of the first of the runs.
    let failure: RunFailure
    /// The step, in the first of the runs; nil outside steps.
    let step: ReportedStep?
    /// All of them.
    var places: [Place]
  }

  /// What makes failures of different devices the same.
  private struct Cause: Hashable {
    let code: String
    let why: String
    let step: String?
    let source: String?
  }

  /// How many runs of a group are named.
  private static let placeLimit = 12

  /// The failures, each cause once, in the order of the runs; nothing without any.
  var failures: [String] {
    mutating get {
      let groups = groups
      let own = whole?.failure.map { failure in
        [
          "<article class=\"failure\">", "<h3>The \(whole?.kind.rawValue ?? "run")</h3>",
          Self.explanation(failure), "</article>",
        ]
      }
      guard own != nil || !groups.isEmpty else { return [] }
      let shown = groups.prefix(Room.take(groups.count, of: &room.failures))
      let rest = Self.leftOut(groups.count - shown.count) { count in
        "\(PageMarkup.counted(count, "more cause")): see the steps below."
      }
      return ["<section id=\"failures\">", "<h2>What went wrong</h2>"] + (own ?? [])
        + shown.flatMap { card($0) } + rest + ["</section>"]
    }
  }

  private var groups: [Group] {
    var (groups, indices) = ([Group](), [Cause: Int]())
    func add(_ failure: RunFailure, _ step: ReportedStep?, _ run: Int, _ index: Int?) {
      let source = failure.source?.description
      let place = Place(run: run, step: index, got: failure.expectation?.got)
      let cause = Cause(
        code: failure.code.rawValue,
        // Values that differ are unexpected for one reason.
        why: failure.expectation?.expected ?? failure.why,
        step: step.map { "\($0.position.written) \($0.title)" },
        source: source
      )
      if let known = indices[cause] {
        groups[known].places.append(place)
      } else {
        indices[cause] = groups.count
        groups.append(Group(failure: failure, step: step, places: [place]))
      }
    }
    for run in order {
      for (index, step) in runs[run].steps.enumerated() {
        if let failure = step.failure { add(failure, step.reported, run, index) }
      }
      if let failure = runs[run].failureBetweenSteps { add(failure, nil, run, nil) }
    }
    return groups
  }

  private func card(_ group: Group) -> [String] {
    // Where there is one run, its name distinguishes nothing.
    let isAlone = runs.count == 1 && group.step != nil
    let links = group.places.prefix(Self.placeLimit).map { place in
      let target = place.step.map { anchor(place.run, step: $0) } ?? Self.anchor(place.run)
      let got = group.places.count == 1 ? nil : place.got
      let received = got.map { " <code>\(PageMarkup.text($0, limit: 40))</code>" } ?? ""
      return
        "<li><a href=\"#\(target)\">\(isAlone ? "Its row" : PageMarkup.text(runs[place.run].label))</a>"
        + "\(received)</li>"
    }
    let others = group.places.count - links.count
    let more = others == 0 ? "" : "<li>and \(PageMarkup.counted(others, "more \(noun)"))</li>"
    let step =
      group.step.map { step in
        (step.position.isImplied ? "" : "Step \(step.position.written): ") + Self.title(of: step)
      } ?? "Outside its steps"
    let count =
      group.places.count == 1
      ? "" : " <span class=\"count\">\(PageMarkup.counted(group.places.count, noun))</span>"
    return [
      "<article class=\"failure\">", "<h3>\(step)\(count)</h3>",
      "<ul class=\"places\" aria-label=\"Where it failed\">\(links.joined())\(more)</ul>",
      Self.explanation(
        group.failure,
        ofSeveral: group.places.count > 1,
        from: group.places.first.map { runs[$0.run].startedAt }
      ), "</article>",
    ]
  }

  /// All that is known of a failure.
  ///
  /// - Parameters:
  ///   - ofSeveral: Whether it is for failures that differ in what was received.
  ///   - start: When the run began, since 1970-01-01T00:00:00Z; nil outside a run.
  static func explanation(
    _ failure: RunFailure,
    ofSeveral: Bool = false,
    from start: Duration? = nil
  ) -> String {
    func code(_ text: String) -> String { "<code>\(PageMarkup.text(text))</code>" }
    let known: [(String, String?)] = [
      ("While", PageMarkup.text(failure.what)),
      ("Expected", failure.expectation.map { code($0.expected) }),
      ("Received", ofSeveral ? nil : failure.expectation.map { code($0.received) }),
      ("BlueZ", failure.bluez.map { code("\($0)") }),
      ("ATT error", failure.att.map { code("\($0)") }),
      ("Try", failure.hint.isEmpty ? nil : PageMarkup.text(failure.hint)),
      ("Written at", failure.source.map { code("\($0)") }),
      ("Trace", failure.trace.map { PageMarkup.text($0.sentence) }),
      ("Code", "\(code(failure.code.rawValue)), \(meaning(failure.class))"),
    ]
    let facts = known.compactMap { term, markup in markup.map { (term: term, markup: $0) } }
    let expected = ofSeveral ? failure.expectation.map { "expected \($0.expected)" } : nil
    return "<p class=\"why\">\(PageMarkup.text(expected ?? failure.why))</p>"
      + PageMarkup.facts(facts, class: "explanation")
      + (start.map { messages(before: failure, from: $0) } ?? "")
  }

  /// The last messages and packets before a failure, on one axis of time.
  ///
  /// - Parameter start: When the run began, since 1970-01-01T00:00:00Z.
  private static func messages(before failure: RunFailure, from start: Duration) -> String {
    let messages = failure.messages
    let packets = failure.trace?.last ?? []
    var lines: [(time: Duration, text: String)] = []
    for message in messages { lines.append((message.time, message.text)) }
    for packet in packets { lines.append((packet.time, "packet \(packet.number) \(packet.text)")) }
    guard !lines.isEmpty else { return "" }
    // Messages come before packets of the same time.
    let order = lines.indices.sorted { (lines[$0].time, $0) < (lines[$1].time, $1) }
    let items = order.map { index -> String in
      let text = PageMarkup.text(lines[index].text)
      let time = seconds(lines[index].time - start)
      return "<li><span class=\"n\">\(time)</span> <code>\(text)</code></li>"
    }
    var parts: [String] = []
    if !messages.isEmpty { parts.append("\(counted(messages.count, "message")) of BlueZ") }
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
