// A file descriptor that a loop watches.
//
// The loop does not own the descriptor: cancel the watch before closing it.

/// Interest in a descriptor, and the callback that is called when it is ready.
package final class Watch: @unchecked Sendable {
  /// What a descriptor can be ready for.
  package struct Events: OptionSet, Sendable, Hashable {
    /// The bits, as epoll(7) has them.
    package let rawValue: UInt32
    /// The set of these bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A read would not block.
    package static let readable = Events(rawValue: 0x001)
    /// A write would not block.
    package static let writable = Events(rawValue: 0x004)
    /// The other end is gone, or the descriptor is in error: two bits, of which one may come
    /// alone, so ask with `isDisjoint(with:)`. Always reported, never asked for.
    package static let hungUp = Events(rawValue: 0x018)
  }

  /// The watched descriptor.
  package let descriptor: Int32
  // `interest` and `isActive` are protected by the lock of the loop's state.
  var interest: Events
  var isActive = true
  let ready: @Sendable (Events) -> Void
  // The state and the poll, not the loop: a watch may outlive its loop, which ends its watches.
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

  /// Changes what is waited for; an empty set leaves only hang-ups.
  package func update(_ interest: Events) {
    state.withLock { source.apply($0.watches.update(self, interest: interest)) }
  }

  /// Stops watching. No callback begins after this returns on the loop's own thread.
  ///
  /// Does nothing when it was cancelled before, or when its loop is gone.
  package func cancel() {
    state.withLock { source.apply($0.watches.remove(self)) }
  }
}
