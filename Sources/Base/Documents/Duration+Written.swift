// The notation of durations in documents: `10s`, `1.5h`.

extension Duration {
  /// The expectation in errors of a duration that must be above zero.
  package static let expected = "a duration above 0 such as 10s"
  /// The description of the notation, for schemas.
  package static let documentation = "A number and ms, s, m or h: 500ms, 1.5h."
  /// The notation as a regular expression, for schemas.
  package static let pattern = "^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$"

  /// Parses `10s`, `500ms`, `3m`, `1.5h`: a non-negative number and its unit.
  ///
  /// ```swift
  /// print(Duration(written: "1.5m") == .seconds(90))  // true
  /// ```
  public init?(written text: String) {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits), number.isFinite else { return nil }
    let units: [String: Double] = ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
    guard let unit = units[String(text.dropFirst(digits.count))] else { return nil }
    let microseconds = number * unit * 1000
    // At most a hundred years.
    guard microseconds <= 3.2e15 else { return nil }
    self = .microseconds(Int64(microseconds.rounded()))
  }

  /// The shortest exact form with one unit: `10s`, `1500ms`, `5m`, `1h`.
  ///
  /// Parts below a millisecond are written as a fraction of milliseconds.
  ///
  /// ```swift
  /// print(Duration.milliseconds(1500).written, Duration.seconds(300).written)  // 1500ms 5m
  /// ```
  public var written: String {
    let microseconds = attoseconds / 1_000_000_000_000
    guard microseconds != 0 else { return "0s" }
    let units: [(name: String, size: Int128)] = [
      ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000),
    ]
    for unit in units where microseconds.isMultiple(of: unit.size) {
      return "\(microseconds / unit.size)\(unit.name)"
    }
    let (whole, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    return "\(microseconds < 0 ? "-" : "")\(whole).\("\(1000 + rest)".dropFirst())ms"
  }
}
