// The section of a run on a page: its timeline, its steps and its values.

import Bluetooth
import RunEvents
import Signals

/// The section of one run on a page.
struct RunSection {
  /// The number of marks that are listed, and the number up to which the list is open.
  private static let (markLimit, openMarkLimit) = (1_000, 10)

  private let run: RecordedRun
  /// The index of the run on the page.
  private let index: Int
  private let attempts: [RecordedRun.Attempt]
  private let marks: [RunMark]
  private let axis: TimeAxis
  /// The room that is left for later sections.
  private(set) var room: ReportPage.Room
  /// The identifiers of the rows of steps, by the number of the step.
  private var anchors: [Int: String] = [:]

  init(_ run: RecordedRun, _ index: Int, _ room: ReportPage.Room) {
    self.run = run
    self.index = index
    self.room = room
    attempts = run.attempts
    marks = run.marks
    axis = TimeAxis(run.lasted)
    reserveRows()
  }

  mutating func lines(isOpen: Bool) -> [String] {
    let status = ReportPage.status(run)
    let head =
      "<h2>\(PageMarkup.text(run.label))</h2><span class=\"s \(status)\">\(status)</span>"
      + "<span class=\"took\">\(ReportPage.seconds(run.lasted)) s</span>"
    let device = run.kind == .device ? nil : "<p>On \(PageMarkup.name(run.device)).</p>"
    let unfinished = run.whyUnfinished.map { "<p class=\"why\">\(PageMarkup.text($0))</p>" }
    let between = run.failureBetweenSteps.map { ReportPage.explanation($0, from: run.startedAt) }
    // Attempts before the batch was resumed are not on the time axis.
    let drawn = attempts.filter { $0.number == run.attempt || !$0.steps.isEmpty }
    let lanes = drawn.map { lane(of: $0) } + connectionLanes + valueLanes()
    let body =
      [device, unfinished, between].compactMap(\.self) + earlierFailures
      + PageMarkup.figure("Timeline of \(PageMarkup.name(run.label))", axis, lanes)
      + listOfMarks + stepTable() + valueTables()
    return ["<section class=\"run\" id=\"\(ReportPage.anchor(index))\">"]
      + PageMarkup.details(head, isOpen: isOpen, body) + ["</section>"]
  }

  // MARK: Attempts

  /// Reserves rows for the steps. If there is too little room, failed steps come first, and those
  /// of the last attempt.
  private mutating func reserveRows() {
    for attempt in attempts.reversed() {
      let isRoomy = attempt.steps.count <= room.steps
      let important = attempt.steps.indices.filter { isRoomy || !attempt.steps[$0].succeeded }
      let count = ReportPage.Room.reserve(important.count, of: &room.steps)
      for step in important.prefix(count) {
        let ordinal = attempt.first + step
        anchors[ordinal] = ReportPage.anchor(index, ordinal: ordinal)
      }
    }
  }

  /// The failures of the attempts before the last one.
  private var earlierFailures: [String] {
    let reasons = run.earlierAttempts.map { attempt in
      let why = attempt.failure.map { ": \(PageMarkup.text("\($0)"))" } ?? ""
      return "<p class=\"attempt\">Attempt \(attempt.number) failed\(why)</p>"
    }
    let others = run.attempt - 1 - run.earlierAttempts.count
    return reasons
      + ReportPage.omission(max(0, others)) {
        "\(PageMarkup.counted($0, "more attempt")) before the last."
      }
  }

  // MARK: Lanes

  /// The nesting depth from which all steps share a row.
  private static let deepest = 3

  /// The lane of an attempt: a row for each nesting depth, and below them the attempts of single
  /// steps.
  private func lane(of attempt: RecordedRun.Attempt) -> PageMarkup.Lane {
    var rows = [[LaneBar]](repeating: [], count: Self.deepest + 2)
    for (index, step) in attempt.steps.enumerated() {
      let (anchor, kind) = (anchors[attempt.first + index], LaneBar.Kind(step.status))
      let (from, to, title) = (step.beganAt, step.endedAt, step.title)
      rows[min(step.position.depth, Self.deepest)].append(
        LaneBar(kind, from: from, to: to, title: title, anchor: anchor)
      )
      rows[Self.deepest + 1] += step.tries.enumerated().map { number, each in
        LaneBar(
          each.why == nil ? kind : .failed, from: each.began, to: each.began + each.took,
          title: "\(title), attempt \(number + 1)\(each.why.map { ": \($0)" } ?? "")",
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
    let status = isLast ? ReportPage.status(run) : "failed"
    let name = run.attempt == 1 ? "Steps" : "Attempt \(attempt.number)<small>\(status)</small>"
    let drawing = PageMarkup.bars(rows.filter { !$0.isEmpty }, on: axis, noun: "step")
    return PageMarkup.Lane(name: name, drawing: drawing)
  }

  /// The lanes of the connection and of the user's notes.
  private var connectionLanes: [PageMarkup.Lane] {
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
  private mutating func valueLanes() -> [PageMarkup.Lane] {
    run.values.series.filter(\.isStream).flatMap { series -> [PageMarkup.Lane] in
      let count = ReportPage.Room.reserve(series.plots.count, of: &room.plots)
      return series.plots.prefix(count).compactMap { lane(of: $0, in: series) }
    }
  }

  private func lane(of plot: NumberSeries, in series: RecordedValues.Series) -> PageMarkup.Lane? {
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
      plot.envelope, marks: marks.filter { $0.series == nil || $0.series == series.title },
      on: axis, label: "\(name): \(extent), \(count)"
    )
    return PageMarkup.Lane(
      name: "<bdi>\(name)</bdi><small>\(extent)</small><small>\(count)</small>", drawing: drawing
    )
  }

  /// The marks of the plots, as a list.
  private var listOfMarks: [String] {
    guard !marks.isEmpty else { return [] }
    let items = marks.prefix(Self.markLimit).map { mark in
      "<li class=\"\(mark.kind.rawValue)\"><span class=\"n\">\(ReportPage.seconds(mark.from)) s"
        + "</span> \(PageMarkup.text(mark.text))</li>"
    }
    let rest = ReportPage.omission(marks.count - items.count) { "\(PageMarkup.number($0)) more." }
    return PageMarkup.details(
      class: "marks", "Notes, gaps and reconnects: \(PageMarkup.number(marks.count))",
      isOpen: marks.count <= Self.openMarkLimit, ["<ul>\(items.joined())</ul>"] + rest
    )
  }

  // MARK: Steps

  private static let attempt = PageMarkup.Column(title: "Attempt", name: "n attempt")
  private static let step = PageMarkup.Column(title: "Step", name: "n step")
  private static let what = PageMarkup.Column(title: "What", name: "what", isHead: true)
  private static let start = PageMarkup.Column(title: "Start (s)", name: "n start")
  private static let result = PageMarkup.Column(title: "Result", name: "result")

  private mutating func stepTable() -> [String] {
    var (rows, left, hasFailedLeft) = ([String](), 0, false)
    for attempt in attempts {
      left += attempt.leftOut
      for (index, step) in attempt.steps.enumerated() {
        guard let anchor = anchors[attempt.first + index] else {
          left += 1
          hasFailedLeft = hasFailedLeft || !step.succeeded
          continue
        }
        let (status, result) = (step.status.rawValue, result(of: step))
        let (from, to) = (step.beganAt, step.endedAt)
        rows.append(
          row(step.reported, attempt.number, status, from: from, to: to, result, id: anchor)
        )
      }
    }
    for each in run.unfinishedSteps {
      let (from, to) = (each.beganAt, max(run.lasted, each.beganAt))
      rows.append(row(each.step, run.attempt, "unfinished", from: from, to: to, "it has no end"))
    }
    let rest = ReportPage.omission(left) { count in
      "\(PageMarkup.counted(count, "more step"))\(hasFailedLeft ? "" : " that succeeded") not "
        + "listed. A report in .jsonl has all of them."
    }
    guard !rows.isEmpty else { return rest }
    let columns = [
      Self.attempt, Self.step, Self.what, ReportPage.status, Self.start, ReportPage.took,
      Self.result,
    ]
    return PageMarkup.table(
      "Steps of \(PageMarkup.name(run.label))", class: "steps",
      columns: Array(columns.dropFirst(run.attempt == 1 ? 1 : 0)), rows: rows
    ) + rest
  }

  private func row(
    _ step: ReportedStep, _ attempt: Int, _ status: String, from start: Duration, to end: Duration,
    _ result: String, id: String? = nil
  ) -> String {
    let cells = [
      Self.attempt.cell("\(attempt)"),
      Self.step.cell(step.position.isImplied ? "" : "\(step.position)"),
      Self.what.cell(ReportPage.title(of: step)), ReportPage.status.cell(status, status: status),
      Self.start.cell(ReportPage.seconds(start)),
      ReportPage.took.cell(ReportPage.seconds(end - start)), Self.result.cell(result),
    ]
    return PageMarkup.row(Array(cells.dropFirst(run.attempt == 1 ? 1 : 0)), id: id)
  }

  /// The result of a step: its value, its notes, and the explanation of its failure.
  private mutating func result(of step: RecordedRun.Step) -> String {
    let outcome = step.outcome.map { PageMarkup.text(TextReport.text($0)) } ?? ""
    let notes = step.notes.map { "<p>\(PageMarkup.text($0))</p>" }.joined()
    guard let failure = step.failure else { return outcome + notes }
    let why =
      ReportPage.Room.reserve(1, of: &room.explanations) == 1
      ? ReportPage.explanation(failure, from: run.startedAt)
      : "<p class=\"why\">\(PageMarkup.text(failure.message))</p>"
    return outcome + notes + why
  }

  // MARK: Values

  private static let valueColumns = [
    PageMarkup.Column(title: "Time (s)", name: "n"),
    PageMarkup.Column(title: "Value", name: "value"),
    PageMarkup.Column(title: "Bytes", name: "hex"),
  ]

  private mutating func valueTables() -> [String] {
    let rest = ReportPage.omission(run.values.omittedCount) { count in
      "\(PageMarkup.counted(count, "value")) of further attributes not shown. "
        + "A report in .csv has all of them."
    }
    return run.values.series.filter(\.isStream).flatMap { valueTable($0) } + rest
  }

  private mutating func valueTable(_ series: RecordedValues.Series) -> [String] {
    let last = series.last.values
    let shown = last.suffix(ReportPage.Room.reserve(last.count, of: &room.values))
    let before = ReportPage.omission(series.count - shown.count) { count in
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
      class: "values", "\(title): \(PageMarkup.number(series.count))",
      before + PageMarkup.table(title, class: "values", columns: Self.valueColumns, rows: rows)
    )
  }
}
