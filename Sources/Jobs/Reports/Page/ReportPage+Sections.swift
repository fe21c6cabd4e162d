// The section of each run: its timeline, its steps and its values.

import Bluetooth

extension ReportPage {
  /// How many sections of failed runs are open at first.
  private static let openLimit = 20

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
    let axis = TimeAxis(from: .zero, to: run.lasted)
    let head =
      "<h2>\(PageMarkup.text(run.label))</h2><span class=\"s \(status)\">\(status)</span>"
      + "<span class=\"took\">\(Self.seconds(run.lasted)) s</span>"
    let device = run.kind == .device ? [] : ["<p>On \(PageMarkup.name(run.device)).</p>"]
    let unfinished = run.whyUnfinished.map { ["<p class=\"why\">\(PageMarkup.text($0))</p>"] } ?? []
    let between =
      run.failureBetweenSteps.map { [Self.explanation($0, from: run.startedAt)] } ?? []
    let listed = listedSteps(of: run)
    let lanes =
      stepLanes(index, listed, on: axis) + connectionLanes(run, on: axis)
      + valueLanes(run, on: axis)
    let title = "Timeline of \(PageMarkup.name(run.label))"
    let body =
      device + unfinished + between + PageMarkup.figure(title, axis, lanes)
      + attemptTables(index, listed) + stepTable(index, listed) + valueTables(run)
    return ["<section class=\"run\" id=\"\(Self.anchor(index))\">"]
      + PageMarkup.details(head, isOpen: isOpen, body) + ["</section>"]
  }

  // MARK: Lanes

  /// The connection, and what a person noted.
  private mutating func connectionLanes(_ run: RecordedRun, on axis: TimeAxis) -> [PageMarkup.Lane]
  {
    let connected = run.connected.map { period in
      LaneBar(.ok, from: period.lowerBound, to: period.upperBound, title: "connected")
    }
    let notes = run.notes.map { LaneBar(.note, from: $0.at, to: $0.at, title: $0.text) }
    return [("Connection", connected, "connection"), ("Notes", notes, "note")].compactMap {
      name,
      bars,
      noun in
      guard !bars.isEmpty else { return nil }
      let drawing = PageMarkup.bars(bars, on: axis, noun: noun, room: &room.bars)
      return PageMarkup.Lane(name: name, drawing: drawing)
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
        let field = plot.field.isEmpty || plot.field == series.title ? "" : " \(plot.field)"
        let name = PageMarkup.text(series.title + field)
        let (low, high) = (written(range.lowerBound), written(range.upperBound))
        let extent = PageMarkup.text(low == high ? low : "\(low) to \(high)")
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
    let table = PageMarkup.table(
      title,
      class: "values",
      columns: [.init("Time (s)", isNumeric: true), .init("Value"), .init("Bytes")],
      rows: rows.map(Self.row)
    )
    return PageMarkup.details(
      class: "values",
      "\(title): \(PageMarkup.number(series.count))",
      missing + between + table
    )
  }

  private static func row(_ row: RecordedValues.Series.Row) -> String {
    PageMarkup.row([
      .number(row.at.decimalSeconds), .text(PageMarkup.text(TextReport.text(row.value))),
      .bytes(PageMarkup.text(row.value.hex)),
    ])
  }
}
