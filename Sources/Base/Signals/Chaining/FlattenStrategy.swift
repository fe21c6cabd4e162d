// A signal for each value, run side by side or replaced by the latest.

/// How signals of signals become one.
public enum FlattenStrategy: Equatable, Sendable {
  /// One after the other, in order.
  case concat
  /// Side by side, at most `limit` at a time; values in the order they come.
  case merge(limit: Int)
  /// Only the latest: a new one cancels the one before, and waits for its clean-up.
  case latest
}

extension Signal {
  /// For each value, runs the signal that `transform` returns; `strategy` sets how they overlap.
  ///
  /// ```
  /// source              1---2---------|
  /// .concat             1.a---1.b-2.a---2.b|
  /// .merge(limit: 2)    1.a-2.a-1.b-2.b|
  /// .latest             1.a-2.a---2.b|
  /// ```
  ///
  /// The first failure cancels all signals, waits for their clean-up, and ends the result. The
  /// signals wait while the consumer handles a value of one of them; the source waits while no
  /// further signal may start. Nothing is buffered. Rx calls these `concatMap`, `flatMap` and
  /// `switchMap`; ReactiveSwift has the same strategies.
  ///
  /// ```swift
  /// sensors.flattenMap(.merge(limit: 4)) { $0.read(.batteryLevel) }
  /// ```
  public func flattenMap<R: Sendable>(
    _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) throws -> Signal<R>
  ) -> Signal<R> {
    switch strategy {
    case .concat: flattenMap(transform)
    case .merge(let limit): flattened(limit: limit, replacing: false, transform)
    case .latest: flattened(limit: 1, replacing: true, transform)
    }
  }

  private func flattened<R: Sendable>(
    limit: Int, replacing: Bool, _ transform: @escaping @Sendable (Value) throws -> Signal<R>
  ) -> Signal<R> {
    precondition(limit > 0, "at least one signal has to run")
    return Signal<R>(home: home) { [self] sink in
      let branches = try Branches<Flattened<Value, R>>()
      let outer = branches.start { branch in try await run { try await branch.send(.outer($0)) } }
      var outerGoesOn = true
      var inner: [Int] = []
      // The outer value that waits for room.
      var held: (value: Value, taken: Completion<Void>)?
      try await branches.pump { step, taken in
        switch step {
        case .sent(_, .outer(let value)):
          held = (value, taken)
          if replacing, let latest = inner.popLast() { await branches.end(latest) }
        case .sent(let branch, .inner(let value)):
          // One that was replaced may have offered a value before.
          if inner.contains(branch) { try await sink(value) }
          taken.succeed(())
        case .ended(let branch, let result):
          if branch == outer {
            outerGoesOn = false
          } else {
            guard let index = inner.firstIndex(of: branch) else { break }
            inner.remove(at: index)
          }
          try result.get()
        }
        if let (value, taken) = held, inner.count < limit {
          held = nil
          let signal = try transform(value)
          inner.append(
            branches.start { branch in try await signal.run { try await branch.send(.inner($0)) } }
          )
          taken.succeed(())
        }
        return outerGoesOn || !inner.isEmpty
      }
    }
  }
}

/// What the signals of a merging `flattenMap` send: the one that it is called on, or the others.
private enum Flattened<Outer: Sendable, Inner: Sendable>: Sendable {
  case outer(Outer)
  case inner(Inner)
}
