// A watched file descriptor.
//
// The loop does not own the descriptor: cancel the watch before closing it.

/// A registered interest in a descriptor, and the callback for its readiness.
package final class Watch: @unchecked Sendable {
  /// Kinds of readiness.
  package struct Events: OptionSet, Sendable, Hashable {
    /// The bits of epoll(7).
    package let rawValue: UInt32
    /// The set of these bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A read would not block.
    package static let readable = Events(rawValue: 0x001)
    /// A write would not block.
    package static let writable = Events(rawValue: 0x004)
    /// The other end was closed, or the descriptor is in error. These are two bits, of which one
    /// may be set alone: test with `isDisjoint(with:)`. It is reported even if it was not
    /// requested.
    package static let hungUp = Events(rawValue: 0x018)
  }

  /// The watched descriptor.
  package let descriptor: Int32
  // `interest` and `isActive` are protected by the lock of the loop's state.
  var interest: Events
  var isActive = true
  let ready: @Sendable (Events) -> Void
  // The state and the source, not the loop: a watch may outlive its loop, which ends its watches.
  private let state: Guarded<Loop.State>
  private let source: any EventSource

  init(
    state: Guarded<Loop.State>, source: any EventSource, descriptor: Int32, interest: Events,
    ready: @escaping @Sendable (Events) -> Void
  ) {
    self.state = state
    self.source = source
    self.descriptor = descriptor
    self.interest = interest
    self.ready = ready
  }

  /// Changes the interest. With an empty set only ``Events/hungUp`` is reported.
  package func update(_ interest: Events) {
    state.withLock { source.apply($0.watches.update(self, interest: interest)) }
  }

  /// Stops watching. No callback begins after this returns on the loop's own thread.
  ///
  /// This has no effect if the watch was cancelled before or its loop was freed.
  package func cancel() {
    state.withLock { source.apply($0.watches.remove(self)) }
  }
}
