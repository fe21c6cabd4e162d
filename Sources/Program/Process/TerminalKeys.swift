// Keys of the terminal, one at a time, without an echo.
//
// The terminal is as it was when this ends, and also when the program ends otherwise: the streams of
// the process restore it last.

import Glibc
import Signals

/// Reads the keys of the terminal while a plot is shown.
final class TerminalKeys: Sendable {
  private struct State {
    var watch: Watch?
    var settings: termios?
    /// The start of a character of several octets.
    var octets: [UInt8] = []
  }

  private let descriptor: Int32
  private let state = Guarded(State())
  private let receive: @Sendable (PlotState.Key) -> Void

  /// Begins to read; nil where standard input is not the terminal, or another job has it.
  ///
  /// - Parameter receive: Called on the loop with each key.
  init?(on loop: Loop, _ receive: @escaping @Sendable (PlotState.Key) -> Void) {
    guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return nil }
    self.receive = receive
    descriptor = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return nil }
    let before = settings
    state.withLock { $0.settings = before }
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // A stopped job would leave the terminal without an echo. Zero is _POSIX_VDISABLE.
    withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VSUSP)] = 0 }
    StandardStreams.ofProcess.restores(self)
    tcsetattr(descriptor, TCSANOW, &settings)
    let watch = loop.watch(descriptor, for: .readable) { [weak self] _ in self?.read() }
    state.withLock { $0.watch = watch }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private func read() {
    var octets = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(descriptor, &octets, octets.count)
    guard count > 0 else {
      // The terminal is gone: its end must not be reported again and again.
      if count == 0 || errno != EAGAIN && errno != EINTR { end() }
      return
    }
    let keys = state.withLock { state -> [PlotState.Key] in
      state.octets += octets.prefix(count)
      return Self.keys(&state.octets)
    }
    for key in keys { receive(key) }
  }

  /// The keys of what was read; an incomplete character stays.
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
        // Keys such as arrows send more behind it, at once.
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
    let (watch, settings) = state.withLock { state in
      defer { (state.watch, state.settings) = (nil, nil) }
      return (state.watch, state.settings)
    }
    watch?.cancel()
    if var settings { tcsetattr(descriptor, TCSANOW, &settings) }
  }
}
