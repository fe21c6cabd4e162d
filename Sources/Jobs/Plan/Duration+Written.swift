// Durations as chains write them.

extension Duration {
  /// The shortest exact form with one unit: `10s`, `1500ms`, `5m`, `1h`.
  ///
  /// Parts below a millisecond are written as a fraction of milliseconds.
  ///
  /// ```swift
  /// print(Duration.milliseconds(1500).written, Duration.seconds(300).written)  // 1500ms 5m
  /// ```
  public var written: String {
    let microseconds = wholeMicroseconds
    let units: [(name: String, size: Int64)] = [("h", 3_600_000_000), ("m", 60_000_000)]
    for unit in units where microseconds != 0 && microseconds % unit.size == 0 {
      return "\(microseconds / unit.size)\(unit.name)"
    }
    if microseconds % 1_000_000 == 0 { return "\(microseconds / 1_000_000)s" }
    if microseconds % 1000 == 0 { return "\(microseconds / 1000)ms" }
    return "\(Self.decimal(microseconds, places: 3))ms"
  }

  /// Whole microseconds, rounded towards zero.
  package var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }

  /// Seconds with six decimals: `1.250000`.
  ///
  /// Rounded towards zero: the digits of a table line up.
  ///
  /// ```swift
  /// print(Duration.milliseconds(1250).decimalSeconds)  // 1.250000
  /// ```
  public var decimalSeconds: String { Self.decimal(wholeMicroseconds, places: 6) }

  /// Seconds as a number.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// `number` with the decimal point `places` digits from the right.
  private static func decimal(_ number: Int64, places: Int) -> String {
    let digits = String(number.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
    let (whole, rest) = (String(padded.dropLast(places)), String(padded.suffix(places)))
    return (number < 0 ? "-" : "") + whole + "." + rest
  }
}
