// The modes of the controlling terminal while keys or a secret are typed.

import Glibc
import Signals

/// Turns the echo of the terminal off, until ``end()``.
///
/// StandardStreams restores the terminal if the program ends in another way.
final class TerminalMode: Sendable {
  /// The descriptor of the terminal; negative without one. It stays open until the process ends, because output
  /// may still wait in it.
  static let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NONBLOCK)

  /// The unit of input.
  enum Input: Sendable {
    /// A line. Input typed earlier is discarded.
    case line
    /// Single keys. Ctrl-Z does not suspend the program: the terminal would be left without echo.
    case keys
  }

  private let action: Int32
  private let former: Guarded<termios?>

  /// Changes the modes; nil without a terminal.
  init?(for input: Input) {
    var settings = termios()
    guard tcgetattr(Self.terminal, &settings) == 0 else { return nil }
    let before = settings
    former = Guarded(before)
    switch input {
    case .line:
      action = TCSAFLUSH
      settings.c_lflag &= ~tcflag_t(ECHO)
    case .keys:
      action = TCSANOW
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      // Zero is _POSIX_VDISABLE.
      withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VSUSP)] = 0 }
    }
    StandardStreams.ofProcess.restores(self)
    tcsetattr(Self.terminal, action, &settings)
  }

  /// Restores the terminal. Further calls do nothing.
  func end() {
    let before = former.withLock { former in
      defer { former = nil }
      return former
    }
    if var before { tcsetattr(Self.terminal, action, &before) }
  }
}
