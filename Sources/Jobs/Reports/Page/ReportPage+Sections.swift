// The section of each run: its timeline, its steps and its values.

import Bluetooth

extension ReportPage {
  /// The sections of the runs, those that did not succeed first and open.
  var sections: [String] {
    mutating get {
      // The overview counts each run; so many have a section.
      var left = Room().runs
      var opened = 0
      return order.prefix(Room.take(order.count, of: &left)).flatMap { index -> [String] in
        let isOpen = runs.count == 1 || !runs[index].succeeded && opened < 20
        if isOpen { opened += 1 }
        return section(index, isOpen: isOpen)
      }
    }
  }

  private mutating func section(_ index: Int, isOpen: Bool) -> [String] {
    let run = runs[index]
    let status = Self.status(run)
    let axis = TimeAxis(from: .zero, to: run.lasted)
    let head =
      "<h2>\(PageMarkup.text(run.label))</h2><span class=\"s \(status)\">\(status)</span>"
      + "<span class=\"took\">\(Self.seconds(run.lasted)) s</span>"
    let device = run.kind == .device ? [] : ["<p>On \(PageMarkup.name(run.device)).</p>"]
    let earlier = run.earlierFailures.prefix(100).enumerated().map {
      "<p>Attempt \($0 + 1) failed: \(PageMarkup.text("\($1)"))</p>"
    }
    let between =
      run.failureBetweenSteps.map { [Self.explanation($0, from: run.startedAt)] } ?? []
    let messages = shownMessages(run)
    let lanes =
      stepLanes(index, on: axis) + remarkLanes(run, on: axis)
      + messageLanes(index, messages, on: axis) + packetLanes(run, on: axis)
      + valueLanes(run, on: axis)
    let title = "Timeline of \(PageMarkup.name(run.label))"
    return [
      "<section class=\"run\" id=\"\(Self.anchor(index))\">",
      "<details\(isOpen ? " open=\"open\"" : "")>",
      "<summary>\(head)</summary>",
    ] + device + between + earlier + PageMarkup.figure(title, axis, lanes) + stepTable(index)
      + valueTables(run) + messageTable(index, messages) + ["</details>", "</section>"]
  }

  // MARK: Lanes

  /// One lane for each depth of steps; deep ones share the last.
  private func stepLanes(_ index: Int, on axis: TimeAxis) -> [PageMarkup.Lane] {
    let run = runs[index]
    var levels = [[LaneBar]](repeating: [], count: 4)
    let attempts = zip([.zero] + run.attemptStarts, run.attemptStarts)
    levels[0] = attempts.enumerated().map { number, attempt in
      LaneBar(.failed, from: attempt.0, to: attempt.1, title: "attempt \(number + 1)")
    }
    for (number, step) in run.steps.enumerated() {
      let anchor = Self.anchor(index, step: number)
      let bar = LaneBar(
        LaneBar.Kind(step.status),
        from: step.beganAt,
        to: step.endedAt,
        title: step.title,
        anchor: anchor
      )
      levels[min(step.reported.position.depth, levels.count - 1)].append(bar)
    }
    return levels.enumerated().compactMap { level, bars in
      guard !bars.isEmpty || level == 0 else { return nil }
      let name = level == 0 ? "Steps" : level == 1 ? "Inner steps" : "Inner steps, level \(level)"
      return PageMarkup.Lane(name: name, drawing: PageMarkup.bars(bars, on: axis))
    }
  }

  /// A lane for each number of each series.
  private mutating func valueLanes(_ run: RecordedRun, on axis: TimeAxis) -> [PageMarkup.Lane] {
    run.values.series.filter(\.isStream).flatMap { series -> [PageMarkup.Lane] in
      let plots = series.plots.prefix(Room.take(series.plots.count, of: &room.plots))
      return plots.compactMap { plot in
        guard let range = plot.envelope.range else { return nil }
        func written(_ number: Double) -> String {
          "\(DecodedValue.real(number, decimals: plot.decimals))\(plot.unit.map { " \($0)" } ?? "")"
        }
        let field = plot.field.isEmpty ? "" : " \(plot.field)"
        let name = PageMarkup.text(series.title + field)
        let extent = PageMarkup.text("\(written(range.lowerBound)) to \(written(range.upperBound))")
        let count = PageMarkup.counted(plot.envelope.count, "value")
        let drawing = PageMarkup.plot(
          plot.envelope,
          gaps: series.gaps,
          on: axis,
          label: "\(name): \(extent), \(count)",
          raw: raw(plot)
        )
        return PageMarkup.Lane(
          name: "<bdi>\(name)</bdi><small>\(extent)</small><small>\(count)</small>",
          drawing: drawing
        )
      }
    }
  }

  /// The single numbers of a plot, where there is room for them.
  private mutating func raw(_ plot: RecordedValues.Series.Plot) -> [Envelope.Point]? {
    guard let numbers = plot.raw, numbers.count <= room.raw else { return nil }
    room.raw -= numbers.count
    return numbers
  }

  // MARK: Steps

  /// The label of a step, if it has one, and what it does.
  static func title(of step: ReportedStep) -> String {
    guard let label = step.label else { return PageMarkup.text(step.action) }
    return "\(PageMarkup.name(label)) <span class=\"label\">\(PageMarkup.name(step.action))</span>"
  }

  private mutating func stepTable(_ index: Int) -> [String] {
    let run = runs[index]
    let isRoomy = run.steps.count <= room.steps
    // Where there is not room for all, the failed ones are more important.
    let important = run.steps.indices.filter { isRoomy || !run.steps[$0].isWell }
    let shown = important.prefix(Room.take(important.count, of: &room.steps))
    let rows = shown.map { row(index, $0) }
    let columns: [PageMarkup.Column] = [
      .init("Step", isNumeric: true), .init("What"), .init("Status"),
      .init("Start (s)", isNumeric: true), .init("Took (s)", isNumeric: true), .init("Result"),
    ]
    let which = shown.count < important.count ? "" : " that succeeded"
    let rest = Self.leftOut(run.steps.count - shown.count + run.leftOut) { count in
      "\(PageMarkup.counted(count, "more step"))\(which) not listed. "
        + "A report in .jsonl has all of them."
    }
    guard !rows.isEmpty else { return rest }
    let caption = "Steps of \(PageMarkup.name(run.label))"
    return PageMarkup.table(caption, class: "steps", columns: columns, rows: rows) + rest
  }

  private mutating func row(_ run: Int, _ index: Int) -> String {
    let step = runs[run].steps[index]
    let (status, position) = (step.status.rawValue, step.reported.position)
    let notes = step.notes.map { "<p>\(PageMarkup.text($0))</p>" }.joined()
    let outcome = step.outcome.map { PageMarkup.text(TextReport.text($0)) } ?? ""
    let why = step.failure.map { failure in
      Room.take(1, of: &room.explanations) == 1
        ? Self.explanation(failure, from: runs[run].startedAt)
        : "<p class=\"why\">\(PageMarkup.text(failure.message))</p>"
    }
    return PageMarkup.row(
      id: Self.anchor(run, step: index),
      [
        .number(position.isImplied ? "" : "\(position)"), .title(Self.title(of: step.reported)),
        .status(status, status), .number(Self.seconds(step.beganAt)),
        .number(Self.seconds(step.took)), .text("\(outcome)\(notes)\(why ?? "")"),
      ]
    )
  }

  // MARK: Values

  private mutating func valueTables(_ run: RecordedRun) -> [String] {
    let rest = Self.leftOut(run.values.leftOut) { count in
      "\(PageMarkup.counted(count, "value")) of further attributes not shown. "
        + "A report in .csv has all of them."
    }
    return run.values.series.filter(\.isStream).flatMap { valueTable($0) } + rest
  }

  private mutating func valueTable(_ series: RecordedValues.Series) -> [String] {
    let kept = series.first.count + series.last.count
    let shown = Room.take(kept, of: &room.values)
    // The first and the last ones in equal parts where there is not room for all.
    let head = shown == kept ? series.first.count : min(series.first.count, shown / 2)
    let rows = series.first.prefix(head) + series.last.suffix(shown - head)
    let between = Self.leftOut(series.count - rows.count) { count in
      "\(PageMarkup.counted(count, "value")) between the first \(PageMarkup.number(head)) and the "
        + "last \(PageMarkup.number(rows.count - head)) not listed; the plot has all of them. "
        + "A report in .csv lists them."
    }
    let name = PageMarkup.name(series.title)
    let gaps = series.gaps.map {
      "<li>\(Self.seconds($0.from)) s: \(PageMarkup.text($0.text))</li>"
    }
    let missing = gaps.isEmpty ? [] : ["<ul class=\"gaps\">\(gaps.joined())</ul>"]
    let title = "Values of \(name)"
    return [
      "<details class=\"values\">",
      "<summary>\(title): \(PageMarkup.number(series.count))</summary>",
    ] + missing + between
      + PageMarkup.table(
        title,
        class: "values",
        columns: [.init("Time (s)", isNumeric: true), .init("Value"), .init("Bytes")],
        rows: rows.map(Self.row)
      ) + ["</details>"]
  }

  private static func row(_ row: RecordedValues.Series.Row) -> String {
    PageMarkup.row([
      .number(row.at.decimalSeconds), .text(PageMarkup.text(TextReport.text(row.value))),
      .bytes(PageMarkup.text(row.value.hex)),
    ])
  }
}
