// The output of a running batch: its events, its progress, and a summary of each round.

import Jobs
import Signals

final class BatchOutput: Sendable {
  private struct State {
    var collector = RunCollector(condenses: true)
    var progress: BatchProgress?
    /// The run of another batch that this one waits for.
    var awaited: String?
  }

  private let loop: Loop
  private let format: ChainOutputOptions.Output
  private let text: BatchTextReport
  private let output: StandardOutput
  private let printed: EventOutput
  private let line: StatusLine?
  private let state: Guarded<State>

  init(
    in world: World, as format: ChainOutputOptions.Output, showsSteps: Bool,
    onFailure: @escaping @Sendable (RunFailure) -> Void
  ) {
    self.format = format
    loop = world.loop
    text = BatchTextReport(showsSteps: showsSteps)
    output = StandardOutput(in: world, onFailure: onFailure)
    let report: any RunReport = format == .json ? JSONLinesReport() : text
    printed = EventOutput(output, as: report, isForPeople: format == .text)
    let state = Guarded(State())
    self.state = state
    line = StatusLine(on: loop, printsData: format == .json) { now, size in
      let (columns, (progress, awaited)) =
        (size.columns, state.withLock { ($0.progress, $0.awaited) })
      if let awaited {
        return [ColumnText.line("waiting for \(awaited)", details: "", end: "", columns: columns)]
      }
      return progress.map { [$0.line(at: now.sinceStart, width: columns)] } ?? []
    }
  }

  /// Shows that the batch waits for a run of another one; nil if it no longer waits.
  func awaits(_ run: String?) {
    state.withLock { $0.awaited = run }
    if run != nil { line?.show() }
  }

  func receive(_ event: RunEvent) {
    if format == .text { state.withLock { $0.collector.apply(event) } }
    if format.whole == nil { printed.receive(event) }
  }

  func receive(_ event: BatchEvent) {
    if format == .text { state.withLock { $0.collector.apply(event) } }
    if format == .json { for line in JSONLinesReport().lines(for: event) { output.line(line) } }
    switch event.change {
    case .waiting: break
    case .started(let start): begin(start)
    case .deviceEnded(_, _, let counts): took(counts)
    case .finished(let ending): finish(ending)
    }
    for remark in text.remarks(on: event) {
      if case .finished(let ending) = event.change {
        // A failure to write the output is reported only once, when the program ends.
        guard ending.failure?.code != .interrupted || ending.exitStatus != .output else { continue }
        StandardError.failure(remark)
      } else {
        StandardError.notice(remark)
      }
    }
  }

  private func finish(_ ending: BatchEnding) {
    let collector = state.withLock { state in
      defer { state = State() }
      return state.collector
    }
    line?.show()
    let isQuiet = StandardStreams.ofProcess.presentation.isQuiet
    guard format == .text, !isQuiet || ending.status != .ok,
      !collector.runs.isEmpty || !ending.notRun.isEmpty
    else { return }
    let summary = SummaryReport().text(on: collector.runs, of: collector.whole)
    output.lines(String(summary.dropLast()))
  }

  // MARK: Progress

  private func begin(_ start: BatchStart) {
    let before = start.past?.counts ?? BatchCounts()
    let total = start.devices.count + before.done
    let now = loop.now.sinceStart
    state.withLock { $0.progress = BatchProgress(total: total, begun: now, before: before) }
    line?.show()
  }

  private func took(_ counts: BatchCounts) {
    let (isNews, progress) = state.withLock { state in
      (state.progress?.update(with: counts) ?? false, state.progress)
    }
    if let line { return line.show() }
    guard isNews, let progress else { return }
    StandardError.notice(progress.text(at: loop.now.sinceStart))
  }

  /// Removes the status line, and waits until all output is written.
  ///
  /// - Returns: The exit status of a failed write, which has been reported; nil if all was written.
  func finishStatus(in world: World) -> ExitStatus? {
    line?.end()
    return printed.finishStatus(in: world)
  }
}
