// What a signal of the system does to a run: the first cancels it, the second leaves at once.

import Glibc
import Jobs
import Signals

/// Listens for the signals that end the program while a run is under way.
final class Interruption: Sendable {
  private let first = Guarded<SystemSignal?>(nil)
  private let signals = Guarded<SystemSignals?>(nil)

  /// Cancels everything on `scheduler` at the first signal; ends the process at a second SIGINT.
  convenience init(of scheduler: SerialScheduler) {
    self.init(on: scheduler.loop, "ending the chain and disconnecting") {
      scheduler.cancelAll($0)
    }
  }

  /// Calls `cancel` at the first signal; ends the process at a second SIGINT.
  ///
  /// - Parameter what: What the first one does, for the person who sent it.
  init(on loop: Loop, _ what: String, _ cancel: @escaping @Sendable (Interrupted) -> Void) {
    let watched = SystemSignals(on: loop) { [self] signal in
      let isFirst = first.withLock { first in
        defer { if first == nil { first = signal } }
        return first == nil
      }
      if isFirst {
        StandardError.line(
          "blerun: \(signal.name): \(what); press Ctrl-C again to leave at once"
        )
        cancel(Interrupted(signal: signal.number))
      } else if signal == .interrupt {
        StandardError.line(
          "blerun: leaving now; a link may be left up: blerun doctor --release ends it"
        )
        _exit(130)
      }
    }
    signals.withLock { $0 = watched }
  }

  /// The signal that ended the run, if one did.
  var signal: SystemSignal? { first.withLock { $0 } }

  /// Stops listening.
  func close() {
    // What listens holds this, too.
    let watched = signals.withLock { signals in
      defer { signals = nil }
      return signals
    }
    watched?.close()
  }
}
