// Single keys from the terminal, without echo.

import Glibc
import Signals

/// Reads keys from the terminal while a plot is shown.
final class TerminalKeys: Sendable {
  private struct State {
    var watch: Watch?
    var mode: TerminalMode?
    /// The first bytes of an incomplete UTF-8 character.
    var octets: [UInt8] = []
  }

  private let state = Guarded(State())
  private let receive: @Sendable (PlotState.Key) -> Void

  /// Starts reading; nil if standard input is not the terminal, or another job owns the terminal.
  ///
  /// - Parameter receive: Called on the loop for each key.
  init?(on loop: Loop, _ receive: @escaping @Sendable (PlotState.Key) -> Void) {
    guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return nil }
    guard let mode = TerminalMode(for: .keys) else { return nil }
    self.receive = receive
    let watch = loop.watch(TerminalMode.terminal, for: .readable) { [weak self] _ in self?.read() }
    state.withLock { ($0.watch, $0.mode) = (watch, mode) }
  }

  private func read() {
    var octets = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(TerminalMode.terminal, &octets, octets.count)
    guard count > 0 else {
      // The terminal is gone. Its end of file would be reported again and again.
      if count == 0 || errno != EAGAIN && errno != EINTR { end() }
      return
    }
    let keys = state.withLock { state -> [PlotState.Key] in
      state.octets += octets.prefix(count)
      return Self.keys(&state.octets)
    }
    for key in keys { receive(key) }
  }

  /// Removes complete keys from the bytes that were read, and leaves an incomplete character.
  static func keys(_ octets: inout [UInt8]) -> [PlotState.Key] {
    var keys: [PlotState.Key] = []
    while let first = octets.first {
      let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
      guard octets.count >= length else { break }
      let character = Array(octets.prefix(length))
      octets.removeFirst(length)
      switch first {
      case 0x0a, 0x0d: keys.append(.enter)
      case 0x08, 0x7f: keys.append(.delete)
      case 0x1b:
        // Arrow keys and others send further bytes after ESC, in the same read.
        keys.append(.escape)
        octets = []
      case 0x20...:
        if let text = String(validating: character, as: UTF8.self), let only = text.first {
          keys.append(.character(only))
        }
      default: break
      }
    }
    return keys
  }

  /// Restores the terminal. Further calls do nothing.
  func end() {
    let (watch, mode) = state.withLock { state in
      defer { (state.watch, state.mode) = (nil, nil) }
      return (state.watch, state.mode)
    }
    watch?.cancel()
    mode?.end()
  }
}
