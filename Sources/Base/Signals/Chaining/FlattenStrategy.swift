// A signal for each value, run concurrently or replaced by the latest.

/// How the signals of a `flattenMap` overlap.
public enum FlattenStrategy: Equatable, Sendable {
  /// One after another, in order.
  case concat
  /// Concurrently, at most `limit` at a time; values in order of arrival.
  case merge(limit: Int)
  /// Only the latest: a new signal cancels the previous one and waits for its clean-up.
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
      var isOuterRunning = true
      var inner: [Int] = []
      // The outer value that waits until another signal may start.
      var held: (value: Value, handled: Completion<Void>)?
      try await branches.pump { step, handled in
        switch step {
        case .sent(_, .outer(let value)):
          held = (value, handled)
          if replacing, let latest = inner.popLast() { await branches.end(latest) }
        case .sent(let branch, .inner(let value)):
          // A replaced signal may have offered a value before its end.
          if inner.contains(branch) { try await sink(value) }
          handled.succeed(())
        case .ended(let branch, let result):
          if branch == outer {
            isOuterRunning = false
          } else {
            guard let index = inner.firstIndex(of: branch) else { break }
            inner.remove(at: index)
          }
          try result.get()
        }
        if let (value, handled) = held, inner.count < limit {
          held = nil
          let signal = try transform(value)
          inner.append(
            branches.start { branch in try await signal.run { try await branch.send(.inner($0)) } }
          )
          handled.succeed(())
        }
        return isOuterRunning || !inner.isEmpty
      }
    }
  }
}

/// A value of the source of a merging `flattenMap`, or of one of the signals that it runs.
private enum Flattened<Outer: Sendable, Inner: Sendable>: Sendable {
  case outer(Outer)
  case inner(Inner)
}
