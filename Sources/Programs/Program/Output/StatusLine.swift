// The status lines at the bottom of a terminal, redrawn while work is in progress.
//
// Thin: callers make the text, and OutputQueue keeps it apart from other lines.

import Glibc
import Signals

/// Shows a text at the bottom of the terminal, and redraws it with a timer.
final class StatusLine: Sendable {
  private struct State {
    var timer: LoopTimer?
    var isOver = false
    /// The time of the last redraw.
    var shown: Duration?
    /// The size of the terminal at that time.
    var size: PlotSize?
  }

  /// The shortest time between two redraws.
  private static let interval = Duration.milliseconds(100)

  /// Returns the lines; none, or an empty one, to show nothing. Called on the loop, or by the caller of
  /// ``show()``.
  typealias Lines = @Sendable (_ now: Instant, _ size: PlotSize) -> [String]

  private let loop: Loop
  private let lines: Lines
  private let state = Guarded(State())

  /// Shows lines; nil, and at no cost, if the terminal has no room for them.
  ///
  /// - Parameters:
  ///   - loop: Runs the timer. In virtual time there is none: only ``show()`` redraws.
  ///   - printsData: Whether data for programs is printed during the work: on the same terminal, the lines would mix
  ///     with it.
  init?(on loop: Loop, printsData: Bool = false, lines: @escaping Lines) {
    guard StandardStreams.ofProcess.hasStatusLine(printsData: printsData) else { return nil }
    self.loop = loop
    self.lines = lines
    if !loop.isVirtual { refresh() }
  }

  private func refresh() {
    show()
    let timer = loop.after(Self.interval) { [weak self] in self?.refresh() }
    let isOver = state.withLock { state in
      state.timer = timer
      return state.isOver
    }
    if isOver { timer.cancel() }
  }

  /// Redraws the lines, unless they were redrawn a moment ago.
  func show() {
    let now = EventLoop.time(CLOCK_MONOTONIC)
    let isDue = state.withLock { state in
      // A timer may fire a little early on this clock.
      let last = state.shown ?? now - Self.interval
      guard !state.isOver, now - last >= Self.interval / 2 else { return false }
      state.shown = now
      return true
    }
    guard isDue else { return }
    let streams = StandardStreams.ofProcess
    let size = streams.terminalSize
    let former = state.withLock { state in
      defer { state.size = size }
      return state.size
    }
    streams.show(lines(loop.now, size), isResized: former != nil && former != size)
  }

  func end() {
    let timer = state.withLock { state in
      state.isOver = true
      return state.timer
    }
    timer?.cancel()
    StandardStreams.ofProcess.show([])
  }
}
