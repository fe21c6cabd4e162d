// Values in arrays of a fixed length.

extension Signal {
  /// Sends the values as arrays of `count`.
  ///
  /// ```
  /// source           a-b-c-d-e-|
  /// bufferCount(2)   --[ab]-[cd]-[e]|
  /// ```
  ///
  /// When the source completes or fails, the remaining values are sent first, as a shorter array.
  /// The source waits while the consumer handles an array; at most `count` values are buffered.
  ///
  /// ```swift
  /// readings.bufferCount(100).flattenMap { store($0) }
  /// ```
  ///
  /// - Parameter count: Above zero.
  public func bufferCount(_ count: Int) -> Signal<[Value]> {
    precondition(count > 0, "a buffer must hold at least one value")
    return Signal<[Value]>(home: home) { [body] sink in
      var held: [Value] = []
      let failure = try await producerFailure(of: body) { value in
        held.append(value)
        guard held.count == count else { return }
        defer { held = [] }
        try await sink(held)
      }
      if !held.isEmpty { try await sink(held) }
      if let failure { throw failure }
    }
  }
}
