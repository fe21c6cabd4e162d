// The live plot of a watch in the terminal.
//
// It only connects the parts: PlotState decides, PlotPicture draws, StatusLine prints.

import BlueZ
import Bluetooth
import Jobs
import Signals

/// A plot at the bottom of the terminal, redrawn while a watch runs.
final class LivePlot: RunScreen {
  private struct State {
    var plot: PlotState
    var run = RunStatus()
    var block: StatusLine?
    var keys: TerminalKeys?
  }

  private let loop: Loop
  private let charset: PlotCharset
  private let begun: Instant
  private let state: Guarded<State>

  /// Shows the plot; nil if there is no terminal for it.
  ///
  /// - Parameters:
  ///   - span: The time range to show; nil for all of it.
  ///   - end: Called when the user presses the key to end the watch.
  ///   - note: Called with a note that the user typed, and the time at which its typing began.
  init?(
    in world: World, of plan: WatchPlan, span: Duration?, end: @escaping @Sendable () -> Void,
    note: @escaping @Sendable (_ text: String, _ begun: Instant) -> Void
  ) {
    guard StandardStreams.ofProcess.hasStatusLine(printsData: false) else { return nil }
    loop = world.loop
    begun = world.loop.now
    charset = PlotCharset(RuntimeFolder.variable)
    let isRate = if case .rate = plan.view { true } else { false }
    state = Guarded(
      State(
        plot: PlotState(
          wallClockAtStart: loop.wallClockAtStart + begun.sinceStart, span: span,
          field: isRate ? "rate" : nil, namesDevice: plan.devices.count > 1,
          titles: Self.titles(of: plan)
        )
      )
    )
    let keys = TerminalKeys(on: loop) { [weak self] in self?.press($0, end, note) }
    let block = StatusLine(on: loop) { [weak self] now, size in
      self?.lines(at: now, size) ?? []
    }
    state.withLock { state in
      state.keys = keys
      state.block = block
      state.plot.hasKeys = keys != nil
    }
  }

  /// The custom names of the watched characteristics, by their names in events.
  private static func titles(of plan: WatchPlan) -> [String: String] {
    let named = plan.series.compactMap { series -> (String, String)? in
      guard let attribute = series.reported.attribute, let target = series.target,
        target.handle == nil,
        let name = plan.names.name(of: target.characteristic, .characteristic)
      else { return nil }
      return (attribute, name)
    }
    return Dictionary(named) { first, _ in first }
  }

  private func press(
    _ key: PlotState.Key, _ end: @Sendable () -> Void,
    _ note: @Sendable (_ text: String, _ begun: Instant) -> Void
  ) {
    let time = loop.now - begun
    switch state.withLock({ $0.plot.press(key, at: time) }) {
    case .nothing: break
    case .end: end()
    case .note(let text, let time): note(text, begun.advanced(by: time))
    }
  }

  var isShown: Bool { true }
  var replacesLines: Bool { StandardStreams.ofProcess.printsToTerminal }

  @Sendable func receive(_ wait: RunWait) { state.withLock { $0.run.apply(wait) } }

  @Sendable func receive(_ notice: ServiceNotice) { state.withLock { $0.run.apply(notice) } }

  func receive(_ event: RunEvent, at now: Instant) {
    state.withLock { state in
      state.run.apply(event, at: now)
      state.plot.apply(event)
    }
  }

  /// Marks the change in the plot.
  func receive(_ change: WatchedLink.Change, of device: String, reconnects _: Bool) {
    let time = loop.now - begun
    state.withLock { state in
      if change.isConnected { state.run.connected() }
      state.plot.apply(change, of: device, at: time)
    }
  }

  /// The lines of the plot, without the last row of the screen, which the next prompt needs.
  private func lines(at now: Instant, _ size: PlotSize) -> [String] {
    let plot = state.withLock { state in
      state.plot.status = state.run.line(at: now, columns: size.columns)
      return state.plot
    }
    let rows = PlotSize(columns: size.columns, rows: max(1, size.rows - 1))
    let time = PlotState.microseconds(now - begun)
    return PlotPicture(of: plot, at: time, size: rows, charset).lines
  }

  /// Restores the keyboard and prints a last picture, without the status, above later output.
  func end() {
    let (block, keys) = state.withLock { state in
      defer { (state.block, state.keys) = (nil, nil) }
      return (state.block, state.keys)
    }
    keys?.end()
    block?.end()
    state.withLock { state in
      state.run = RunStatus()
      state.plot.hasKeys = false
    }
    let picture = lines(at: loop.now, StandardStreams.ofProcess.terminalSize).dropLast()
    StandardError.lines(picture.joined(separator: "\n"))
  }
}
