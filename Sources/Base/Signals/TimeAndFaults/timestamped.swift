// Values with the time at which they came.

/// A value and when it came.
public struct Timestamped<Value: Sendable>: Sendable {
  /// What came.
  public let value: Value
  /// When, in the time of the loop that the signal ran on.
  public let at: Instant

  /// A value that came at an instant.
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
  /// Sends each value with the instant at which it passes, by the clock of the loop.
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
