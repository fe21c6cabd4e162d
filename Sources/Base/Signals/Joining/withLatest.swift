// Each value together with the latest one of another signal.

extension Signal {
  /// Sends each value together with the latest one of `other`.
  ///
  /// ```
  /// source                   --1---2-----3-|
  /// other                    ---x-----y-z----
  /// withLatest(from: other)  ------(2,x)-(3,z)|
  /// ```
  ///
  /// Values that arrive before the first of `other` are dropped. The result completes with this
  /// signal, and then cancels `other`. If `other` completes earlier, its last value stays in use.
  /// The first failure of either fails the result. This signal waits while the consumer handles a
  /// value; `other` never waits, and only its latest value is stored.
  ///
  /// ```swift
  /// buttonPresses.withLatest(from: temperatures).map { _, temperature in temperature }
  /// ```
  public func withLatest<Other: Sendable>(from other: Signal<Other>) -> Signal<(Value, Other)> {
    Signal<(Value, Other)>(home: home ?? other.home) { [self] sink in
      let branches = try Branches<Value>()
      let latest = Guarded<Other?>(nil)
      branches.start { branch in
        let result = await ending {
          try await other.run { value in
            branch.noteStreams()
            latest.withLock { $0 = value }
          }
        }
        if case .failure = result { branches.stop(result) }
      }
      try await branches.pump([self]) { value in
        if let other = latest.withLock({ $0 }) { try await sink((value, other)) }
      }
    }
  }
}
