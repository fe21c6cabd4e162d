// Complete runs as one page for a browser.

import Bluetooth

/// One HTML file: totals, and for each device its steps with results and durations as bars. It
/// loads nothing and runs no script.
public struct HTMLReport: RunsReport {
  /// A report without settings.
  public init() {}

  public func text(on runs: [RecordedRun], of whole: RecordedWhole?) -> String {
    let title = Markup.escaped(runs.first?.start.chain ?? whole?.name ?? "blerun")
    var lines = [
      "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        + "style-src 'unsafe-inline'\">",
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
      "<title>\(title)</title>", "<style>", Self.style, "</style>", "</head>", "<body>",
      "<h1>\(title)</h1>",
    ]
    let summary = Markup.escaped(SummaryReport.totals(runs, whole))
    let began = runs.first.map { first in
      let time = Timestamp.text(runs.map(\.startedAt).min() ?? first.startedAt)
      return " Begun \(time), seed \(first.start.seed)."
    }
    lines.append("<p>\(summary).\(began ?? "")</p>")
    lines += Self.failure(of: whole) + Self.table(of: runs, whole)
    for (index, run) in runs.enumerated() { lines += Self.section(index + 1, on: run) }
    return (lines + ["</body>", "</html>"]).joined(separator: "\n") + "\n"
  }

  /// Failures outside the runs, or why there are no runs.
  private static func failure(of whole: RecordedWhole?) -> [String] {
    let remark = whole?.remark.map { ["<p>\(Markup.escaped($0))</p>"] } ?? []
    guard let whole, let failure = whole.failure else { return remark }
    return remark + [
      "<p class=\"failed\">What went wrong with \(whole.title):</p>",
      "<pre>\(reasons(failure))</pre>",
    ]
  }

  private static func table(of runs: [RecordedRun], _ whole: RecordedWhole?) -> [String] {
    let others = (whole?.notRun ?? []).map { label in
      "<tr><td>\(Markup.escaped(label))</td><td class=\"skipped\">not run</td><td></td>"
        + "<td></td><td></td></tr>"
    }
    guard !runs.isEmpty || !others.isEmpty else { return [] }
    let longest = runs.compactMap(\.took).max() ?? .zero
    let rows = runs.enumerated().map { index, run in
      let status = run.ending?.status.rawValue ?? "unfinished"
      let why = run.ending?.failure.map { Markup.escaped($0.message) } ?? ""
      return "<tr><td><a href=\"#run-\(index + 1)\">\(Markup.escaped(run.label))</a></td>"
        + "<td class=\"\(status)\">\(status)</td>"
        + "<td>\(bar(from: .zero, run.took ?? .zero, of: longest, status))</td>"
        + "<td class=\"number\">\(TextReport.milliseconds(run.took ?? .zero)) s</td>"
        + "<td>\(why)</td></tr>"
    }
    let head = [(runs.first?.kind ?? .device).rawValue, "status", "", "took", "why"].map {
      "<th>\($0)</th>"
    }
    .joined()
    return ["<table>", "<tr>\(head)</tr>"] + rows + others + ["</table>"]
  }

  private static func section(_ number: Int, on run: RecordedRun) -> [String] {
    let whole = run.took ?? run.steps.map(\.endedAt).max() ?? .zero
    let rows = run.steps.map { row($0, of: whole) }
    let failed = run.failureBetweenSteps.map { ["<pre>\(reasons($0))</pre>"] } ?? []
    let earlier = run.earlierFailures.enumerated().map {
      "<p>Attempt \($0 + 1) failed: \(Markup.escaped("\($1)"))</p>"
    }
    let leftOut = run.leftOut == 0 ? [] : ["<p>\(run.leftOut) more steps succeeded.</p>"]
    let head = ["step", "status", "", "took", "result"].map { "<th>\($0)</th>" }.joined()
    let heading = "<h2 id=\"run-\(number)\">\(Markup.escaped(run.label))</h2>"
    let device = run.kind == .test ? ["<p>On \(Markup.escaped(run.device)).</p>"] : []
    let table = ["<table>", "<tr>\(head)</tr>"] + rows + ["</table>"]
    return [heading] + device + table + failed + leftOut + earlier
  }

  private static func row(_ step: RecordedRun.Step, of whole: Duration) -> String {
    let status = step.status.rawValue
    let brought = step.outcome.map { Markup.escaped(TextReport.text($0)) } ?? ""
    let notes = step.notes.map { "<p>\(Markup.escaped($0))</p>" }.joined()
    let why = step.failure.map { "<pre>\(reasons($0))</pre>" } ?? ""
    return "<tr><td>\(Markup.escaped(step.title))</td><td class=\"\(status)\">\(status)</td>"
      + "<td>\(bar(from: step.endedAt - step.took, step.took, of: whole, status))</td>"
      + "<td class=\"number\">\(TextReport.milliseconds(step.took)) s</td>"
      + "<td>\(brought)\(notes)\(why)</td></tr>"
  }

  /// A period within a total time, as a bar.
  private static func bar(
    from start: Duration,
    _ took: Duration,
    of whole: Duration,
    _ status: String
  ) -> String {
    guard whole > .zero else { return "" }
    let left = percent(start, of: whole)
    let width = percent(took, of: whole)
    return "<div class=\"time\"><div class=\"bar \(status)\" "
      + "style=\"margin-left:\(left)%;width:\(width)%\"></div></div>"
  }

  private static func percent(_ part: Duration, of whole: Duration) -> Double {
    (part / whole * 1_000).rounded(.down) / 10
  }

  private static func reasons(_ failure: RunFailure) -> String {
    Markup.escaped(lines: TextReport.reasons(failure))
  }
}

extension HTMLReport {
  private static let style = """
    :root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
    body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: left; padding: .25rem .5rem; vertical-align: top; }
    th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
    td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    td.ok { color: #1a7f37; } td.failed, td.unfinished, p.failed { color: #cf222e; }
    td.cancelled { color: #9a6700; } td.skipped { opacity: .6; }
    .time { width: 12rem; height: .8rem; margin-top: .25rem;
      background: color-mix(in srgb, currentColor 8%, transparent); }
    .bar { height: 100%; min-width: 1px; background: #1a7f37; }
    .bar.failed, .bar.unfinished { background: #cf222e; }
    .bar.cancelled { background: #9a6700; }
    pre { white-space: pre-wrap; margin: .25rem 0; }
    """
}
