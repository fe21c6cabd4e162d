// Durations as numbers, for reports.

extension Duration {
  /// Whole microseconds, rounded towards zero.
  package var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }

  /// The duration in seconds with six decimals: `1.250000`.
  ///
  /// Rounds towards zero. The decimals are fixed so that columns line up.
  ///
  /// ```swift
  /// print(Duration.milliseconds(1250).decimalSeconds)  // 1.250000
  /// ```
  public var decimalSeconds: String {
    let (whole, rest) = wholeMicroseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    return "\(wholeMicroseconds < 0 ? "-" : "")\(whole).\("\(1_000_000 + rest)".dropFirst())"
  }

  /// The duration in milliseconds, the unit in which expectations compare times.
  package var inMilliseconds: Double { Double(wholeMicroseconds) / 1000 }

  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
