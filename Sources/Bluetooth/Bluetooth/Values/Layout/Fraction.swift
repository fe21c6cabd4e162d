// Exact fractions: the steps and offsets of numbers in descriptions.

/// A fraction with all its digits: `0.01`, `1/256`, `-273.1`.
struct Fraction: Hashable, Sendable {
  let numerator: Int128
  /// At least 1; a power of ten for a decimal.
  let denominator: Int128

  static let zero = Fraction(0, over: 1)
  static let one = Fraction(1, over: 1)
  /// The largest number of digits before and behind the point together.
  private static let longest = 15

  init(_ numerator: Int128, over denominator: Int128) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Parses a decimal or a quotient of two whole numbers; nil for anything else, and for more than
  /// 15 digits.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard let first = parts.first.flatMap({ Self.decimal($0) }) else { return nil }
    if parts.count == 1 {
      self = first
    } else {
      guard parts.count == 2, first.denominator == 1, let over = Self.decimal(parts[1]),
        over.denominator == 1, over.numerator > 0
      else { return nil }
      self.init(first.numerator, over: over.numerator)
    }
  }

  /// Parses a decimal of up to 30 digits; nil for anything else.
  init?(digits text: String) {
    guard let decimal = Self.decimal(text[...], longest: 30) else { return nil }
    self = decimal
  }

  private static func decimal(_ text: Substring, longest: Int = longest) -> Fraction? {
    let isNegative = text.hasPrefix("-")
    let places = text.drop { $0 == "-" || $0 == "+" }
      .split(separator: ".", omittingEmptySubsequences: false)
    guard text.utf8.count <= longest + 2, (1...2).contains(places.count), !places[0].isEmpty,
      places.joined().allSatisfy({ $0.isASCII && $0.isNumber }),
      let digits = Int128(places.joined())
    else { return nil }
    let over = (0..<(places.count == 2 ? places[1].count : 0)).reduce(1 as Int128) { over, _ in
      over * 10
    }
    return Fraction(isNegative ? -digits : digits, over: over)
  }
}
