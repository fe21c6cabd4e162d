// What a signal of the system does to a command: the first cancels what it does, a second Ctrl-C
// leaves at once.

package import Jobs
import Signals

/// Listens for the signals that end the program, from before the first wait of a command until its
/// work is done.
package final class Interruption: Sendable {
  /// What is cancelled by a signal.
  private struct Work: Sendable {
    /// What the cancellation does, for the person who sent the signal.
    let what: String
    /// What a second Ctrl-C leaves behind, and what to do about it.
    let leaving: String
    let cancel: @Sendable (Interrupted) -> Void
  }

  /// What a command leaves behind that holds connections.
  private static let leavingLinks = "a link may be left up: blerun doctor --release ends it"

  private struct State {
    var signal: SystemSignal?
    var work: Work?
    var signals: SystemSignals?
  }

  private let loop: Loop
  /// What a signal ends, where it cancels a scheduler.
  private let ending: String
  private let state = Guarded(State())

  /// - Parameter ending: What a signal does, for the person who sent it: "ending the scan".
  init(on loop: Loop, _ ending: String) {
    self.loop = loop
    self.ending = ending
    let signals = SystemSignals { [weak self] in self?.receive($0) }
    state.withLock { $0.signals = signals }
  }

  deinit { close() }

  /// The signal that has ended the command, if one has.
  package var signal: SystemSignal? { state.withLock { $0.signal } }

  /// The status of a command that a signal has ended, if one has.
  var status: ExitStatus? { signal.map { .interrupted(by: $0.number) } }

  /// Has a signal cancel this from now on; at once where one has come already.
  ///
  /// - Parameters:
  ///   - what: What that does, for the person who sent the signal.
  ///   - leaving: What a second Ctrl-C leaves behind; nil for connections.
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

  /// Has a signal cancel everything on a scheduler.
  func cancels(_ scheduler: SerialScheduler, _ what: String? = nil) {
    cancels(what ?? ending) { scheduler.cancelAll($0) }
  }

  /// - Throws: ``Ending`` when a signal has come: nothing more is begun.
  package func check() throws(Ending) {
    if let status { throw Ending(status) }
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
      SystemSignals.leave(with: signal)
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
