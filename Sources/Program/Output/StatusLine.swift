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

  /// Makes the text. Called on the loop, or where ``show()`` is.
  typealias Text = @Sendable (_ now: Instant, _ columns: Int) -> String
  /// The same for several lines.
  typealias Lines = @Sendable (_ now: Instant, _ size: PlotSize) -> [String]

  private let loop: Loop
  private let lines: Lines
  private let state = Guarded(State())

  /// Shows a text from now on; nil, and at no cost, where no terminal has place for it.
  ///
  /// - Parameters:
  ///   - world: Where time passes. In virtual time only ``show()`` writes the line: nothing else is
  ///     waited for.
  ///   - printsData: Whether data is printed as things happen that is for programs: the line would
  ///     mix with it on the same terminal.
  convenience init?(in world: World, printsData: Bool, text: @escaping Text) {
    self.init(on: world.loop, printsData: printsData, refreshes: !world.isVirtual, text: text)
  }

  /// The same before there is a world, and before anything is printed.
  convenience init?(
    on loop: Loop,
    printsData: Bool = false,
    refreshes: Bool = true,
    text: @escaping Text
  ) {
    guard StandardStreams.ofProcess.hasStatusLine(printsData: printsData) else { return nil }
    self.init(on: loop, refreshes: refreshes) { now, size in
      let line = text(now, size.columns)
      return line.isEmpty ? [] : [line]
    }
  }

  /// Shows lines from now on, on a terminal that has place for them.
  init(on loop: Loop, refreshes: Bool, lines: @escaping Lines) {
    self.loop = loop
    self.lines = lines
    if refreshes { refresh() }
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
    if former != nil, former != size { streams.resized() }
    streams.show(lines(loop.now, size))
  }

  /// Takes the line away.
  func end() {
    let timer = state.withLock { state in
      state.isOver = true
      return state.timer
    }
    timer?.cancel()
    StandardStreams.ofProcess.show([])
  }
}
