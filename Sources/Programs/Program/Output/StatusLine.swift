// The line, or the lines, at the bottom of a terminal, written anew while something is under way.
//
// Thin: the text is made elsewhere, and OutputQueue keeps messages and the line apart.

import Glibc
import Signals

/// Shows a text at the bottom of the terminal, as long as it is under way.
final class StatusLine: Sendable {
  private struct State {
    var timer: LoopTimer?
    var isOver = false
    /// When the line was written last.
    var shown: Duration?
    /// The size of the terminal then.
    var size: PlotSize?
  }

  /// The line is written ten times a second at most.
  private static let interval = Duration.milliseconds(100)

  /// Makes the lines; none, or an empty one, where nothing is to be shown. Called on the loop, or where
  /// ``show()`` is.
  typealias Lines = @Sendable (_ now: Instant, _ size: PlotSize) -> [String]

  private let loop: Loop
  private let lines: Lines
  private let state = Guarded(State())

  /// Shows lines from now on; nil, and at no cost, where no terminal has place for them.
  ///
  /// - Parameters:
  ///   - loop: In virtual time only ``show()`` writes the lines: nothing else is waited for.
  ///   - printsData: Whether data is printed as things happen that is for programs: the lines would
  ///     mix with it on the same terminal.
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

  /// Writes the line anew, unless it was just written.
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
