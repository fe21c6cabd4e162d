// The terminal that the process belongs to, while a person types keys or a secret.

import Glibc
import Signals

/// Other modes of the terminal than those of the user, until ``end()``.
///
/// What is typed is not shown. The streams of the process restore the terminal also when the program ends
/// otherwise.
final class TerminalMode: Sendable {
  /// The terminal; negative without one. Open until the process ends, because what is written to it may
  /// still wait then.
  static let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NONBLOCK)

  /// What is read.
  enum Input: Sendable {
    /// A line. What was typed before is discarded.
    case line
    /// Each key by itself. None suspends the program: it would leave the terminal without an echo.
    case keys
  }

  private let action: Int32
  private let former: Guarded<termios?>

  /// Changes the modes from now on; nil where there is no terminal.
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
