// Slots for the values of joined signals of different types.

/// Stores a received value in its slot.
typealias Storing = @Sendable () -> Void

/// The latest value of one of several joined signals.
///
/// The operator calls the `Storing` closure that it receives, so that it handles each value before
/// the next one is stored.
final class JoinedSlot<Value: Sendable>: Sendable {
  private let content = Guarded<Value?>(nil)

  /// Starts `signal` as the next of `branches`.
  init(_ signal: Signal<Value>, in branches: Branches<Storing>) {
    branches.start { [content] branch in
      try await signal.run { value in
        try await branch.send { content.withLock { $0 = value } }
      }
    }
  }

  /// The value.
  ///
  /// - Precondition: One was stored.
  var value: Value {
    guard let value = content.withLock({ $0 }) else {
      preconditionFailure("a joined value is asked for before it has come")
    }
    return value
  }
}

/// The first home of several signals.
func firstHome<each Input: Sendable>(_ inputs: repeat Signal<each Input>) -> SerialScheduler? {
  for input in repeat each inputs {
    if let home = input.home { return home }
  }
  return nil
}
