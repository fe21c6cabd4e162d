// Where the values of joined signals of different types wait for each other.

/// Puts a value that has come into its slot.
typealias Storing = @Sendable () -> Void

/// The latest value of a signal that is joined with others.
///
/// The operator stores it when its turn has come, so that each value is seen before the next.
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

  /// The value, which has come.
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
