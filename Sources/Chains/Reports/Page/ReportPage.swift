// The content of a page of runs: totals, a table of the runs, and their sections.
//
// The failures are in ReportPage+Failures.swift, the values of all devices in ReportPage+Values.swift.

import Bluetooth
import RunEvents

/// The parts of the page of an ``HTMLReport``.
struct ReportPage {
  /// The remaining number of elements of each kind, so that a browser opens the page quickly.
  struct Room {
    var runs = 2_000
    var steps = 20_000
    var values = 10_000
    /// Cells of the table of the values of all devices.
    var cells = 10_000
    var plots = 100
    var failures = 50
    /// Failures of steps with all their details.
    var explanations = 1_000

    /// Reserves room for up to `count` elements, and returns the number that fits.
    static func reserve(_ count: Int, of room: inout Int) -> Int {
      defer { room -= min(count, room) }
      return min(count, room)
    }
  }

  let runs: [RecordedRun]
  let whole: CommandRecord?
  /// The indices of the runs: those that did not succeed first, otherwise in order.
  let order: [Int]
  var room = Room()

  init(_ runs: [RecordedRun], _ whole: CommandRecord?) {
    self.runs = runs
    self.whole = whole
    order = runs.indices.filter { !runs[$0].succeeded } + runs.indices.filter { runs[$0].succeeded }
  }

  /// The noun for one run: `device`, `test`, `file`.
  var noun: String { (runs.first?.kind ?? .device).rawValue }

  /// The identifier of a run's section.
  static func anchor(_ run: Int) -> String { "r\(run + 1)" }

  /// The identifier of a step's row; the number counts over all recorded attempts.
  static func anchor(_ run: Int, ordinal: Int) -> String { "r\(run + 1)s\(ordinal + 1)" }

  /// The label of a step, if it has one, and its action.
  static func title(of step: ReportedStep) -> String {
    guard let label = step.label else { return PageMarkup.text(step.action) }
    return "\(PageMarkup.name(label)) <span class=\"label\">\(PageMarkup.name(step.action))</span>"
  }

  static func status(_ run: RecordedRun) -> String { run.ending?.status.rawValue ?? "unfinished" }

  static func seconds(_ duration: Duration) -> String { TextReport.milliseconds(duration) }

  /// A sentence about omitted elements; empty if there are none.
  static func omission(_ count: Int, _ sentence: (Int) -> String) -> [String] {
    count == 0 ? [] : ["<p class=\"left-out\">\(sentence(count))</p>"]
  }

  // MARK: The head of the page

  /// The verdict, the totals, and the identity of this execution.
  var summary: [String] {
    let isOK = whole?.succeeded != false && runs.allSatisfy(\.succeeded)
    let verdict = isOK ? runs.isEmpty ? "skipped" : "ok" : "failed"
    let remark = whole?.remark.map { ["<p>\(PageMarkup.text($0))</p>"] } ?? []
    let identity = whole?.identity ?? (runs.count == 1 ? runs[0].run : nil)
    let before = whole?.before.flatMap { $0.done > 0 ? $0 : nil }
    let start = Timestamp.beginning(began, isSimulated: whole?.isSimulated == true)
    let facts: [(term: String, markup: String?)] = [
      ("Began", runs.isEmpty ? nil : start),
      ("Took", runs.isEmpty ? nil : "\(Self.seconds(axis.length)) s"),
      ("Seed", runs.first.map { "\($0.start.seed)" }),
      (whole?.identity == nil ? "Run" : "Batch", identity.map { "<code>\($0)</code>" }),
      ("Before", before.map { "\($0.ok) ok, \($0.failed) failed" }),
    ]
    return [
      "<p class=\"verdict \(verdict)\">\(PageMarkup.text(SummaryReport.totals(runs, whole)))</p>"
    ]
      + remark + [PageMarkup.facts(facts, class: "facts")]
  }

  /// The start of the first run, since 1970-01-01T00:00:00Z.
  private var began: Duration { runs.map(\.startedAt).min() ?? .zero }

  /// The time from the start of the first run to the end of the last one.
  private var axis: TimeAxis {
    let ends = runs.map { $0.startedAt + $0.lasted }
    return TimeAxis((ends.max() ?? began) - began)
  }

  // MARK: The runs

  /// A table of the runs, each with its own lane; empty for a single run, which has only a section.
  var overview: [String] {
    mutating get {
      let notRun = whole?.notRun ?? []
      guard runs.count > 1 || !notRun.isEmpty else { return [] }
      let (axis, title) = (axis, "\(noun.capitalizedFirst)s")
      let shown = order.prefix(Room.reserve(order.count, of: &room.runs))
      let others = notRun.prefix(Room.reserve(notRun.count, of: &room.runs))
      let lane = PageMarkup.Column(
        title: "Timeline", name: "lane", below: PageMarkup.ticks(of: axis)
      )
      let head = PageMarkup.Column(title: noun.capitalizedFirst, name: "title", isHead: true)
      let columns = [head, Self.status, lane, Self.steps, Self.took, Self.why]
      let rest = Self.omission(runs.count + notRun.count - shown.count - others.count) { count in
        "\(PageMarkup.counted(count, "more \(noun)")) not listed here, only counted above."
      }
      let rows =
        shown.map { row($0, on: axis, head, lane) }
        + others.map { label in
          let known = [
            head.cell(PageMarkup.text(label)), Self.status.cell("not run", status: "skipped"),
          ]
          return PageMarkup.row(known + columns.dropFirst(2).map { $0.cell("") })
        }
      return ["<section id=\"runs\" class=\"lanes\" \(axis.data)>", "<h2>\(title)</h2>"]
        + PageMarkup.table(title, class: "runs", columns: columns, rows: rows) + rest
        + ["</section>"]
    }
  }

  static let status = PageMarkup.Column(title: "Status", name: "s")
  static let took = PageMarkup.Column(title: "Took (s)", name: "n took")
  private static let steps = PageMarkup.Column(title: "Steps", name: "n count")
  private static let why = PageMarkup.Column(title: "Why", name: "reason")

  private func row(
    _ index: Int, on axis: TimeAxis, _ head: PageMarkup.Column, _ lane: PageMarkup.Column
  ) -> String {
    let run = runs[index]
    let status = Self.status(run)
    let start = run.startedAt - began
    let bar = LaneBar(run.kindOfBar, from: start, to: start + run.lasted, title: run.label)
    let why = run.ending?.failure?.message ?? run.whyUnfinished ?? ""
    return PageMarkup.row(
      [
        head.cell("<a href=\"#\(Self.anchor(index))\">\(PageMarkup.text(run.label))</a>"),
        Self.status.cell(status, status: status),
        lane.cell(PageMarkup.bars([[bar]], on: axis, noun: noun, areNamed: false)),
        Self.steps.cell("\(run.done)"), Self.took.cell(Self.seconds(run.lasted)),
        Self.why.cell(PageMarkup.text(why, limit: 160)),
      ],
      section: Self.anchor(index)
    )
  }

  // MARK: Each run

  /// The number of sections of failed runs that are open at first.
  private static let openLimit = 20

  /// The sections of the runs; those that did not succeed come first and are open.
  var sections: [String] {
    mutating get {
      // The overview has used up the room for runs, so sections have a limit of their own.
      var opened = 0
      return order.prefix(Room().runs).flatMap { index -> [String] in
        let isOpen = runs.count == 1 || !runs[index].succeeded && opened < Self.openLimit
        if isOpen { opened += 1 }
        var section = RunSection(runs[index], index, room)
        defer { room = section.room }
        return section.lines(isOpen: isOpen)
      }
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
