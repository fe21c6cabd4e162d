// The effect of signals on a command: the first one cancels its work, a second Ctrl-C ends the process at once.

package import Jobs
import Signals

/// Listens for the signals that ask the program to end, from before the first wait of a command until its work
/// is done.
package final class Interruption: Sendable {
  /// Work that a signal cancels.
  private struct Work: Sendable {
    /// The effect of the cancellation, as a message: "ending the scan".
    let what: String
    /// The effect of a second Ctrl-C, with advice, as a message.
    let leaving: String
    let cancel: @Sendable (Interrupted) -> Void
  }

  /// The message for commands that hold connections.
  private static let leavingLinks = "a link may be left up: blerun doctor --release ends it"

  private struct State {
    var signal: SystemSignal?
    var work: Work?
    var signals: SystemSignals?
  }

  private let loop: Loop
  /// The default message about the effect of the cancellation.
  private let ending: String
  private let state = Guarded(State())

  /// - Parameter ending: The effect of a signal, as a message: "ending the scan".
  init(on loop: Loop, _ ending: String) {
    self.loop = loop
    self.ending = ending
    let signals = SystemSignals { [weak self] in self?.receive($0) }
    state.withLock { $0.signals = signals }
  }

  deinit { close() }

  /// The first signal that asked the command to end; nil without one.
  package var signal: SystemSignal? { state.withLock { $0.signal } }

  /// The exit status after that signal; nil without one.
  var status: ExitStatus? { signal.map { .interrupted(by: $0.number) } }

  /// Registers the work that a signal cancels, and replaces the previous one. Cancelled at once if a signal has
  /// already arrived.
  ///
  /// - Parameters:
  ///   - what: The effect of the cancellation, as a message.
  ///   - leaving: The effect of a second Ctrl-C, as a message; nil for that of connections.
  ///   - cancel: Called on the loop.
  package func cancels(
    _ what: String, leaving: String? = nil, _ cancel: @escaping @Sendable (Interrupted) -> Void
  ) {
    let signal = state.withLock { state in
      state.work = Work(what: what, leaving: leaving ?? Self.leavingLinks, cancel: cancel)
      return state.signal
    }
    if let signal { loop.post { cancel(Interrupted(signal: signal.number)) } }
  }

  /// Registers a scheduler whose work a signal cancels.
  func cancels(_ scheduler: SerialScheduler, _ what: String? = nil) {
    cancels(what ?? ending) { scheduler.cancelAll($0) }
  }

  /// - Throws: ``CommandExit`` after a signal.
  package func check() throws(CommandExit) {
    if let status { throw CommandExit(status) }
  }

  private func receive(_ signal: SystemSignal) {
    guard SystemSignal.endings.contains(signal) else { return }
    let (isFirst, work) = state.withLock { state in
      defer { state.signal = state.signal ?? signal }
      return (state.signal == nil, state.work)
    }
    if isFirst {
      let what = work?.what ?? "ending"
      StandardError.notice("\(signal.name): \(what); press Ctrl-C again to leave at once")
      if let work { loop.post { work.cancel(Interrupted(signal: signal.number)) } }
    } else if SystemSignal.keys.contains(signal) {
      StandardError.failure("leaving now; \(work?.leaving ?? Self.leavingLinks)")
      SystemSignals.exitAtOnce(with: signal)
    }
  }

  func close() {
    let signals = state.withLock { state in
      defer { state.signals = nil }
      return state.signals
    }
    signals?.close()
  }
}
