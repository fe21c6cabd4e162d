// What a connection was asked to do until further notice, and how to stop it.

import Signals

/// Something that goes on until it is cancelled or the bus ends. Dropping it does not cancel it.
public final class Subscription: Sendable {
  private let undo: Guarded<(@Sendable () -> Void)?>

  /// - Parameter cancel: What ends it; called once at most.
  init(cancel: @escaping @Sendable () -> Void) { undo = Guarded(cancel) }

  /// Ends it. No handler is called after this returns on the loop. Does not wait for the bus.
  public func cancel() {
    let undo = undo.withLock { undo in
      defer { undo = nil }
      return undo
    }
    undo?()
  }
}

/// A handler of method calls in use, until it is cancelled or the bus ends. Dropping it does not
/// cancel it.
public final class Export: Sendable {
  private let subscription: Subscription

  /// - Parameter cancel: What ends it; called once at most.
  init(cancel: @escaping @Sendable () -> Void) { subscription = Subscription(cancel: cancel) }

  /// Ends it: later calls are not offered to the handler.
  public func cancel() { subscription.cancel() }
}
