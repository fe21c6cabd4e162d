// What a connection does until further notice, and how to stop it.

import Signals

/// Something that continues until it is cancelled or the bus ends. Dropping it does not cancel it.
package final class Subscription: Sendable {
  private struct State {
    /// Ends it; nil once it has ended.
    var undo: (@Sendable () -> Void)?
  }

  private let state: Guarded<State>

  /// - Parameter cancel: Ends it; called at most once.
  init(cancel: @escaping @Sendable () -> Void) { state = Guarded(State(undo: cancel)) }

  /// Ends it. No handler is called after this returns on the loop. Does not wait for the bus.
  package func cancel() {
    let undo = state.withLock { state in
      defer { state.undo = nil }
      return state.undo
    }
    undo?()
  }
}

/// An exported handler of method calls, active until it is cancelled or the bus ends. Dropping it
/// does not cancel it.
package final class Export: Sendable {
  private let subscription: Subscription

  /// - Parameter cancel: Ends it; called at most once.
  init(cancel: @escaping @Sendable () -> Void) { subscription = Subscription(cancel: cancel) }

  /// Ends it: later calls are not offered to the handler.
  package func cancel() { subscription.cancel() }
}
