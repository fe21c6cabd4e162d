// A line at the bottom of a terminal that is written anew; elsewhere plain lines.

import Glibc
import Signals

/// The progress of something on standard error. It has no colours, so there are none to leave out.
final class ProgressLine: Sendable {
  /// Whether the line is written anew in its place: on a terminal that can do so.
  let isLive: Bool
  private let isOnOutput: Bool
  private let shown = Guarded("")

  init(environment: (String) -> String? = RuntimeFolder.variable) {
    let terminal = environment("TERM") ?? "dumb"
    isLive = isatty(STDERR_FILENO) == 1 && terminal != "dumb" && !terminal.isEmpty
    isOnOutput = isatty(STDOUT_FILENO) == 1
  }

  /// How many characters a line may have.
  var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 79 }
    return Int(size.ws_col) - 1
  }

  /// Writes the line anew. Only where it is live.
  func show(_ text: String) {
    guard isLive else { return }
    shown.withLock { $0 = text }
    StandardError.openLine(text)
  }

  /// Makes place for other lines, and then writes the line below them.
  func around(_ body: () -> Void) {
    let text = shown.withLock { $0 }
    guard isLive, isOnOutput, !text.isEmpty else { return body() }
    StandardError.openLine("")
    body()
    StandardError.openLine(text)
  }

  /// Takes the line away.
  func clear() {
    let text = shown.withLock { shown in
      defer { shown = "" }
      return shown
    }
    if !text.isEmpty { StandardError.openLine("") }
  }
}
