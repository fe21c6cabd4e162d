// The section of each run: its timeline, its steps and its values.

import Bluetooth
import Signals

extension ReportPage {
  /// How many sections of failed runs are open at first.
  private static let openLimit = 20
  /// How many marks of a run are listed, and up to how many the list is open.
  private static let (markLimit, openMarkLimit) = (1_000, 10)

  /// The sections of the runs, those that did not succeed first and open.
  var sections: [String] {
    mutating get {
      // The overview counts each run; so many have a section.
      var left = Room().runs
      var opened = 0
      return order.prefix(Room.take(order.count, of: &left)).flatMap { index -> [String] in
        let isOpen = runs.count == 1 || !runs[index].succeeded && opened < Self.openLimit
        if isOpen { opened += 1 }
        return section(index, isOpen: isOpen)
      }
    }
  }

  private mutating func section(_ index: Int, isOpen: Bool) -> [String] {
    let run = runs[index]
    let status = Self.status(run)
    let head =
      "<h2>\(PageMarkup.text(run.label))</h2><span class=\"s \(status)\">\(status)</span>"
      + "<span class=\"took\">\(Self.seconds(run.lasted)) s</span>"
    let device = run.kind == .device ? [] : ["<p>On \(PageMarkup.name(run.device)).</p>"]
    let unfinished = run.whyUnfinished.map { ["<p class=\"why\">\(PageMarkup.text($0))</p>"] } ?? []
    let between =
      run.failureBetweenSteps.map { [Self.explanation($0, from: run.startedAt)] } ?? []
    let attempts = run.attempts
    let anchors = rows(of: attempts, index)
    let axis = TimeAxis(from: .zero, to: run.lasted)
    let marks = run.marks
    let lanes =
      attempts.map { lane(of: $0, in: run, anchors, on: axis) } + connectionLanes(run, on: axis)
      + valueLanes(run, marks, on: axis)
    let body =
      device + unfinished + between + earlierFailures(of: run)
      + PageMarkup.figure("Timeline of \(PageMarkup.name(run.label))", axis, lanes)
      + list(of: marks) + stepTable(run, attempts, anchors) + valueTables(run)
    return ["<section class=\"run\" id=\"\(Self.anchor(index))\">"]
      + PageMarkup.details(head, isOpen: isOpen, body) + ["</section>"]
  }

  // MARK: Attempts

  /// The identifier of the row of a step: its ordinal counts over all tries that are kept.
  func anchor(_ run: Int, step: Int) -> String {
    Self.anchor(run, ordinal: runs[run].earlierStepCount + step)
  }

  private static func anchor(_ run: Int, ordinal: Int) -> String { "r\(run + 1)s\(ordinal + 1)" }

  /// Takes room for the rows of the steps. Where there is not enough for all, the failed ones are
  /// more important, and those of the last try.
  ///
  /// - Returns: The identifiers of the rows, by the ordinals of their steps.
  private mutating func rows(of attempts: [RecordedRun.Attempt], _ run: Int) -> [Int: String] {
    var anchors: [Int: String] = [:]
    for attempt in attempts.reversed() {
      let isRoomy = attempt.steps.count <= room.steps
      let important = attempt.steps.indices.filter { isRoomy || !attempt.steps[$0].isWell }
      for step in important.prefix(Room.take(important.count, of: &room.steps)) {
        anchors[attempt.first + step] = Self.anchor(run, ordinal: attempt.first + step)
      }
    }
    return anchors
  }

  /// Why the tries before the last one failed.
  private func earlierFailures(of run: RecordedRun) -> [String] {
    let reasons = run.earlierAttempts.map { attempt in
      let why = attempt.failure.map { ": \(PageMarkup.text("\($0)"))" } ?? ""
      return "<p class=\"attempt\">Attempt \(attempt.number) failed\(why)</p>"
    }
    let others = run.attempt - 1 - run.earlierAttempts.count
    return reasons
      + Self.leftOut(max(0, others)) {
        "\(PageMarkup.counted($0, "more attempt")) before the last."
      }
  }

  // MARK: Lanes

  /// The depth of steps from which on all share a row.
  private static let deepest = 3

  /// The steps of a try, a row for each depth, and below them the tries of single steps.
  private func lane(
    of attempt: RecordedRun.Attempt,
    in run: RecordedRun,
    _ anchors: [Int: String],
    on axis: TimeAxis
  ) -> PageMarkup.Lane {
    var rows = [[LaneBar]](repeating: [], count: Self.deepest + 2)
    for (index, step) in attempt.steps.enumerated() {
      let anchor = anchors[attempt.first + index]
      let bar = LaneBar(
        LaneBar.Kind(step.status),
        from: step.beganAt,
        to: step.endedAt,
        title: step.title,
        anchor: anchor
      )
      rows[min(step.position.depth, Self.deepest)].append(bar)
      rows[Self.deepest + 1] += step.tries.enumerated().map { number, each in
        LaneBar(
          each.why == nil ? LaneBar.Kind(step.status) : .failed,
          from: each.began,
          to: each.began + each.took,
          title: "\(step.title), attempt \(number + 1)\(each.why.map { ": \($0)" } ?? "")",
          anchor: anchor
        )
      }
    }
    let isLast = attempt.number == run.attempt
    for each in isLast ? run.unfinishedSteps : [] {
      let title = "\(RecordedRun.title(of: each.step)), not ended"
      rows[min(each.step.position.depth, Self.deepest)].append(
        LaneBar(.cancelled, from: each.beganAt, to: run.lasted, title: title)
      )
    }
    let status = isLast ? Self.status(run) : "failed"
    let name = run.attempt == 1 ? "Steps" : "Attempt \(attempt.number)<small>\(status)</small>"
    let drawing = PageMarkup.bars(rows.filter { !$0.isEmpty }, on: axis, noun: "step")
    return PageMarkup.Lane(name: name, drawing: drawing)
  }

  /// The connection, and what a person noted.
  private func connectionLanes(_ run: RecordedRun, on axis: TimeAxis) -> [PageMarkup.Lane] {
    let connected = run.connected.map { period in
      LaneBar(.ok, from: period.lowerBound, to: period.upperBound, title: "connected")
    }
    let notes = run.notes.map { LaneBar(.note, from: $0.at, to: $0.at, title: $0.text) }
    return [("Connection", connected, "connection"), ("Notes", notes, "note")]
      .filter { !$0.1.isEmpty }
      .map { name, bars, noun in
        PageMarkup.Lane(name: name, drawing: PageMarkup.bars([bars], on: axis, noun: noun))
      }
  }

  /// A lane for each number of each series.
  private mutating func valueLanes(
    _ run: RecordedRun,
    _ marks: [RunMark],
    on axis: TimeAxis
  ) -> [PageMarkup.Lane] {
    run.values.series.filter(\.isStream).flatMap { series -> [PageMarkup.Lane] in
      let plots = series.plots.prefix(Room.take(series.plots.count, of: &room.plots))
      return plots.compactMap { plot in
        guard let range = plot.envelope.range else { return nil }
        func written(_ number: Double) -> String {
          "\(DecodedValue.real(number, decimals: plot.decimals))\(plot.unit.map { " \($0)" } ?? "")"
        }
        let field = plot.name.isEmpty || plot.name == series.title ? "" : " \(plot.name)"
        let name = PageMarkup.text(series.title + field)
        let (low, high) = (written(range.lowerBound), written(range.upperBound))
        let extent = PageMarkup.text(low == high ? low : "\(low) to \(high)")
        let count = PageMarkup.counted(plot.envelope.count, "value")
        let drawing = PageMarkup.plot(
          plot.envelope,
          marks: marks.filter { $0.series == nil || $0.series == series.title },
          on: axis,
          label: "\(name): \(extent), \(count)"
        )
        return PageMarkup.Lane(
          name: "<bdi>\(name)</bdi><small>\(extent)</small><small>\(count)</small>",
          drawing: drawing
        )
      }
    }
  }

  /// What is marked in the plots, as text.
  private func list(of marks: [RunMark]) -> [String] {
    guard !marks.isEmpty else { return [] }
    let items = marks.prefix(Self.markLimit).map { mark in
      "<li class=\"\(mark.kind.rawValue)\"><span class=\"n\">\(Self.seconds(mark.from)) s</span> "
        + "\(PageMarkup.text(mark.text))</li>"
    }
    let rest = Self.leftOut(marks.count - items.count) { "\(PageMarkup.number($0)) more." }
    return PageMarkup.details(
      class: "marks",
      "Notes, gaps and reconnects: \(PageMarkup.number(marks.count))",
      isOpen: marks.count <= Self.openMarkLimit,
      ["<ul>\(items.joined())</ul>"] + rest
    )
  }

  // MARK: Tables

  /// The label of a step, if it has one, and what it does.
  static func title(of step: ReportedStep) -> String {
    guard let label = step.label else { return PageMarkup.text(step.action) }
    return "\(PageMarkup.name(label)) <span class=\"label\">\(PageMarkup.name(step.action))</span>"
  }

  private static let attempt = PageMarkup.Column(title: "Attempt", name: "n attempt")
  private static let step = PageMarkup.Column(title: "Step", name: "n step")
  private static let what = PageMarkup.Column(title: "What", name: "what", isHead: true)
  private static let start = PageMarkup.Column(title: "Start (s)", name: "n start")
  private static let result = PageMarkup.Column(title: "Result", name: "result")

  /// The steps of all tries.
  private mutating func stepTable(
    _ run: RecordedRun,
    _ attempts: [RecordedRun.Attempt],
    _ anchors: [Int: String]
  ) -> [String] {
    let isFirst = run.attempt == 1
    var (rows, left, hasFailedLeft) = ([String](), 0, false)
    for attempt in attempts {
      left += attempt.leftOut
      for (index, step) in attempt.steps.enumerated() {
        guard let anchor = anchors[attempt.first + index] else {
          left += 1
          hasFailedLeft = hasFailedLeft || !step.isWell
          continue
        }
        rows.append(
          Self.row(
            step.reported,
            isFirst ? nil : attempt.number,
            step.status.rawValue,
            from: step.beganAt,
            to: step.endedAt,
            result(of: step, from: run.startedAt),
            id: anchor
          )
        )
      }
    }
    rows += run.unfinishedSteps.map { each in
      let (from, attempt) = (each.beganAt, isFirst ? nil : run.attempt)
      let end = max(run.lasted, from)
      return Self.row(each.step, attempt, "unfinished", from: from, to: end, "it has no end")
    }
    let rest = Self.leftOut(left) { count in
      "\(PageMarkup.counted(count, "more step"))\(hasFailedLeft ? "" : " that succeeded") not "
        + "listed. A report in .jsonl has all of them."
    }
    guard !rows.isEmpty else { return rest }
    return PageMarkup.table(
      "Steps of \(PageMarkup.name(run.label))",
      class: "steps",
      columns: (isFirst ? [] : [Self.attempt])
        + [Self.step, Self.what, Self.status, Self.start, Self.took, Self.result],
      rows: rows
    ) + rest
  }

  /// What came of a step: its value, notes, and all that is known of its failure.
  private mutating func result(of step: RecordedRun.Step, from start: Duration) -> String {
    let outcome = step.outcome.map { PageMarkup.text(TextReport.text($0)) } ?? ""
    let notes = step.notes.map { "<p>\(PageMarkup.text($0))</p>" }.joined()
    guard let failure = step.failure else { return outcome + notes }
    let why =
      Room.take(1, of: &room.explanations) == 1
      ? Self.explanation(failure, from: start)
      : "<p class=\"why\">\(PageMarkup.text(failure.message))</p>"
    return outcome + notes + why
  }

  private static func row(
    _ step: ReportedStep,
    _ attempt: Int?,
    _ status: String,
    from start: Duration,
    to end: Duration,
    _ result: String,
    id: String? = nil
  ) -> String {
    let position = step.position.isImplied ? "" : "\(step.position)"
    let cells = [
      attempt.map { Self.attempt.cell("\($0)") } ?? "", Self.step.cell(position),
      what.cell(title(of: step)), Self.status.cell(status, status: status),
      Self.start.cell(seconds(start)), took.cell(seconds(end - start)), Self.result.cell(result),
    ]
    return PageMarkup.row(cells, id: id)
  }

  private static let valueColumns = [
    PageMarkup.Column(title: "Time (s)", name: "n"),
    PageMarkup.Column(title: "Value", name: "value"),
    PageMarkup.Column(title: "Bytes", name: "hex"),
  ]

  /// The last values of each series.
  private mutating func valueTables(_ run: RecordedRun) -> [String] {
    let rest = Self.leftOut(run.values.leftOut) { count in
      "\(PageMarkup.counted(count, "value")) of further attributes not shown. "
        + "A report in .csv has all of them."
    }
    return run.values.series.filter(\.isStream).flatMap { valueTable($0) } + rest
  }

  private mutating func valueTable(_ series: RecordedValues.Series) -> [String] {
    let last = series.last.values
    let shown = last.suffix(Room.take(last.count, of: &room.values))
    let before = Self.leftOut(series.count - shown.count) { count in
      "\(PageMarkup.counted(count, "value")) before the last \(PageMarkup.number(shown.count)) not "
        + "listed; the plot has all of them. A report in .csv lists them."
    }
    let title = "Values of \(PageMarkup.name(series.title))"
    let rows = shown.map { row in
      let cells = [
        row.at.decimalSeconds, PageMarkup.text(TextReport.text(row.value)),
        PageMarkup.text(row.value.hex),
      ]
      return PageMarkup.row(zip(Self.valueColumns, cells).map { $0.cell($1) })
    }
    return PageMarkup.details(
      class: "values",
      "\(title): \(PageMarkup.number(series.count))",
      before + PageMarkup.table(title, class: "values", columns: Self.valueColumns, rows: rows)
    )
  }
}
