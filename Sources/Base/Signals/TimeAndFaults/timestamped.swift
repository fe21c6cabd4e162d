// Values with their arrival times.

/// A value with its arrival time.
public struct Timestamped<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value
  /// The arrival time, on the clock of the loop that ran the signal.
  public let at: Instant

  /// A value that arrived at an instant.
  public init(_ value: Value, at: Instant) {
    self.value = value
    self.at = at
  }
}

extension Timestamped: Equatable where Value: Equatable {}
extension Timestamped: Hashable where Value: Hashable {}

extension Timestamped: CustomStringConvertible {
  /// The instant, then the value.
  public var description: String { "\(at) \(value)" }
}

extension Signal {
  /// Sends each value with its arrival time, on the clock of the loop.
  ///
  /// ```
  /// source          --a-----b-|
  /// timestamped()   --(a,2)-(b,8)-|
  /// ```
  ///
  /// ```swift
  /// readings.timestamped().collect()   // intervals are differences of `at`
  /// ```
  public func timestamped() -> Signal<Timestamped<Value>> {
    Signal<Timestamped<Value>>(home: home) { [body] sink in
      let loop = try Loop.current
      try await body { value in try await sink(Timestamped(value, at: loop.now)) }
    }
  }
}
