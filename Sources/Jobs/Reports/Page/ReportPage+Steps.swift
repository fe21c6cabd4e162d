// The steps of a run on its page: their lanes, and a table of each try of the chain.

import Bluetooth

extension ReportPage {
  /// Which steps of a run have a row: their indices.
  struct ListedSteps {
    /// Of the tries before the last one.
    var earlier: [[Int]] = []
    /// Of the last try.
    var last: [Int] = []
  }

  /// The identifier of the row of a step: its ordinal counts over all tries that are kept.
  func anchor(_ run: Int, step: Int) -> String {
    Self.anchor(run, ordinal: runs[run].earlierStepCount + step)
  }

  private static func anchor(_ run: Int, ordinal: Int) -> String { "r\(run + 1)s\(ordinal + 1)" }

  /// Takes room for the rows of the steps. Where there is not enough for all, the failed ones are
  /// more important, and those of the last try.
  mutating func listedSteps(of run: RecordedRun) -> ListedSteps {
    func listed(_ steps: [RecordedRun.Step]) -> [Int] {
      let isRoomy = steps.count <= room.steps
      let important = steps.indices.filter { isRoomy || !steps[$0].isWell }
      return Array(important.prefix(Room.take(important.count, of: &room.steps)))
    }
    let last = listed(run.steps)
    return ListedSteps(earlier: run.earlierAttempts.map { listed($0.steps) }, last: last)
  }

  // MARK: Lanes

  /// The depth of steps from which on all share a lane.
  private static let deepest = 3

  /// The tries of the chain, a lane for each depth of steps, and the clean-up.
  mutating func stepLanes(
    _ index: Int,
    _ listed: ListedSteps,
    on axis: TimeAxis
  ) -> [PageMarkup.Lane] {
    let run = runs[index]
    var (levels, cleanUp) = ([[LaneBar]](repeating: [], count: Self.deepest + 1), [LaneBar]())
    var triesOfSteps: [LaneBar] = []
    func add(_ bar: LaneBar, of step: ReportedStep) {
      let position = step.position
      guard position.isCleanUp else {
        levels[min(position.depth, Self.deepest)].append(bar)
        return
      }
      // What is around other steps would be behind these.
      if !step.hasInnerSteps { cleanUp.append(bar) }
    }
    var before = 0
    let tries = run.earlierAttempts.map(\.steps) + [run.steps]
    for (steps, rows) in zip(tries, listed.earlier + [listed.last]) {
      let rows = Set(rows)
      for (number, step) in steps.enumerated() {
        let bar = LaneBar(
          LaneBar.Kind(step.status),
          from: step.beganAt,
          to: step.endedAt,
          title: step.title,
          anchor: rows.contains(number) ? Self.anchor(index, ordinal: before + number) : nil
        )
        add(bar, of: step.reported)
        triesOfSteps += Self.tryBars(step, anchor: bar.anchor)
      }
      before += steps.count
    }
    for each in run.unfinishedSteps {
      let title = "\(RecordedRun.title(of: each.step)), not ended"
      let bar = LaneBar(.cancelled, from: each.beganAt, to: run.lasted, title: title)
      add(bar, of: each.step)
    }
    var lanes = [("Attempts", attemptBars(run)), ("Steps", levels[0])]
    lanes += (1...Self.deepest).map { level in
      (level == 1 ? "Inner steps" : "Inner steps, level \(level)", levels[level])
    }
    lanes += [("Attempts of steps", triesOfSteps), ("Clean-up", cleanUp)]
    return lanes.compactMap { name, bars in
      guard !bars.isEmpty || name == "Steps" else { return nil }
      let noun = name.hasPrefix("Attempts") ? "attempt" : "step"
      let drawing = PageMarkup.bars(bars, on: axis, noun: noun, room: &room.bars)
      return PageMarkup.Lane(name: name, drawing: drawing)
    }
  }

  /// The tries of the chain; none where there is only one.
  private func attemptBars(_ run: RecordedRun) -> [LaneBar] {
    guard !run.earlierAttempts.isEmpty else { return [] }
    let earlier = run.earlierAttempts.enumerated().map { number, attempt in
      LaneBar(.failed, from: attempt.began, to: attempt.ended, title: "attempt \(number + 1)")
    }
    let last = LaneBar(
      run.kindOfBar,
      from: run.attemptBegan,
      to: run.lasted,
      title: "attempt \(run.attempt)"
    )
    return earlier + [last]
  }

  /// The tries of a step; none where there was only one.
  private static func tryBars(_ step: RecordedRun.Step, anchor: String?) -> [LaneBar] {
    step.tries.enumerated().map { number, each in
      LaneBar(
        each.why == nil ? LaneBar.Kind(step.status) : .failed,
        from: each.began,
        to: each.began + each.took,
        title: "\(step.title), attempt \(number + 1)\(each.why.map { ": \($0)" } ?? "")",
        anchor: anchor
      )
    }
  }

  // MARK: Tables

  /// The label of a step, if it has one, and what it does.
  static func title(of step: ReportedStep) -> String {
    guard let label = step.label else { return PageMarkup.text(step.action) }
    return "\(PageMarkup.name(label)) <span class=\"label\">\(PageMarkup.name(step.action))</span>"
  }

  private static let columns: [PageMarkup.Column] = [
    .init("Step", isNumeric: true), .init("What"), .init("Status"),
    .init("Start (s)", isNumeric: true), .init("Took (s)", isNumeric: true), .init("Result"),
  ]

  /// Why the tries before the last one failed, each with its steps, as far as they are kept.
  mutating func attemptTables(_ index: Int, _ listed: ListedSteps) -> [String] {
    let run = runs[index]
    var (lines, before) = ([String](), 0)
    for (number, attempt) in run.earlierAttempts.enumerated() {
      let why = attempt.failure.map { ": \(PageMarkup.text("\($0)"))" } ?? ""
      let title = "Attempt \(number + 1) failed\(why)"
      let rows = listed.earlier[number].map { row(index, attempt.steps[$0], before + $0) }
      before += attempt.steps.count
      let rest = Self.leftOut(attempt.steps.count + attempt.leftOut - rows.count) { count in
        "\(PageMarkup.counted(count, "more step")) of this attempt not listed. "
          + "A report in .jsonl has all of them."
      }
      let caption = "Steps of attempt \(number + 1) of \(PageMarkup.name(run.label))"
      let table = PageMarkup.table(caption, class: "steps", columns: Self.columns, rows: rows)
      let content = (rows.isEmpty ? [] : table) + rest
      lines +=
        content.isEmpty
        ? ["<p>\(title)</p>"] : PageMarkup.details(class: "attempt", title, content)
    }
    let others = run.attempt - 1 - run.earlierAttempts.count
    return lines
      + Self.leftOut(max(0, others)) {
        "\(PageMarkup.counted($0, "more attempt")) before the last."
      }
  }

  /// The steps of the last try.
  mutating func stepTable(_ index: Int, _ listed: ListedSteps) -> [String] {
    let run = runs[index]
    let rows =
      listed.last.map { row(index, run.steps[$0], run.earlierStepCount + $0) }
      + run.unfinishedSteps.map { Self.row($0, of: run) }
    let left = run.steps.count - listed.last.count
    let which = run.steps.count { !$0.isWell } > listed.last.count ? "" : " that succeeded"
    let rest = Self.leftOut(left + run.leftOut) { count in
      "\(PageMarkup.counted(count, "more step"))\(which) not listed. "
        + "A report in .jsonl has all of them."
    }
    guard !rows.isEmpty else { return rest }
    let caption = "Steps of \(PageMarkup.name(run.label))"
    return PageMarkup.table(caption, class: "steps", columns: Self.columns, rows: rows) + rest
  }

  private mutating func row(_ run: Int, _ step: RecordedRun.Step, _ ordinal: Int) -> String {
    let (status, position) = (step.status.rawValue, step.reported.position)
    let notes = step.notes.map { "<p>\(PageMarkup.text($0))</p>" }.joined()
    let outcome = step.outcome.map { PageMarkup.text(TextReport.text($0)) } ?? ""
    let why = step.failure.map { failure in
      Room.take(1, of: &room.explanations) == 1
        ? Self.explanation(failure, from: runs[run].startedAt)
        : "<p class=\"why\">\(PageMarkup.text(failure.message))</p>"
    }
    return PageMarkup.row(
      id: Self.anchor(run, ordinal: ordinal),
      [
        .number(position.isImplied ? "" : "\(position)"), .title(Self.title(of: step.reported)),
        .status(status, status), .number(Self.seconds(step.beganAt)),
        .number(Self.seconds(step.took)), .text("\(outcome)\(notes)\(why ?? "")"),
      ]
    )
  }

  /// The row of a step that did not end.
  private static func row(_ each: RecordedRun.StepUnderWay, of run: RecordedRun) -> String {
    let position = each.step.position
    return PageMarkup.row([
      .number(position.isImplied ? "" : "\(position)"), .title(title(of: each.step)),
      .status("unfinished", "unfinished"), .number(seconds(each.beganAt)),
      .number(seconds(max(.zero, run.lasted - each.beganAt))), .text("it has no end"),
    ])
  }
}

extension RecordedRun {
  /// The steps that had begun when the record ended, at most ten; none of a run that ended.
  var unfinishedSteps: [StepUnderWay] { ending == nil ? underWay.suffix(10) : [] }

  /// `1  read battery-level`; an implied step has no place in the chain.
  static func title(of step: ReportedStep) -> String {
    step.position.isImplied ? step.title : "\(step.position)  \(step.title)"
  }

  /// What is known of a run without an end; nil for one that ended.
  var whyUnfinished: String? {
    guard ending == nil else { return nil }
    let place = underWay.last.map { " in \($0.step.place): \($0.step.title)" } ?? ""
    return
      "The record of this run ends after \(TextReport.milliseconds(lasted)) s\(place). The run "
      + "was under way, or its process was ended."
  }
}
