// Numbers while they are calculated with.
//
// A Double has no 0.1, but a file and a value with a scale have: sums and products of decimals are
// exact here, so that 0.1 + 0.2 = 0.3.

/// A decimal number with all its digits, or a real one that has no such form.
enum ExpressionNumber: Sendable {
  /// `digits` with the last `decimals` of them behind the point.
  case exact(digits: Int128, decimals: Int)
  case real(Double)

  /// The largest digits of a real number that a Double reproduces.
  private static let precise: Int128 = 1_000_000_000_000_000

  static let zero = ExpressionNumber(whole: 0)

  init(whole: Int128) { self = .exact(digits: whole, decimals: 0) }

  /// The number in a value; true and false are 1 and 0. Nil for other values.
  init?(_ value: DecodedValue) {
    switch value.only {
    case .integer(let whole): self.init(whole: whole)
    case .boolean(let truth): self.init(whole: truth ? 1 : 0)
    case .real(let real, _): self.init(real)
    case .text, .octets, .list, .fields: return nil
    }
  }

  /// The shortest digits that stand for a real number; the real number where they are many.
  init(_ real: Double) {
    self = .real(real)
    guard real.isFinite, abs(real) < 1e15, abs(real) >= 1e-12 || real == 0 else { return }
    let parts = "\(abs(real))".split(separator: "e")
    let places = parts[0].split(separator: ".")
    let fraction = places.count == 2 && places[1] != "0" ? places[1] : ""
    guard let digits = Int128("\(places[0])\(fraction)"), digits < Self.precise,
      let exponent = parts.count == 2 ? Int(parts[1]) : 0
    else { return }
    let signed = real < 0 ? -digits : digits
    self = Self.normal(signed, fraction.count - exponent)
  }

  /// The number without zeros at the end of its decimals.
  private static func normal(_ digits: Int128, _ decimals: Int) -> ExpressionNumber {
    var (digits, decimals) = (digits, decimals)
    while decimals > 0, digits.isMultiple(of: 10) {
      (digits, decimals) = (digits / 10, decimals - 1)
    }
    while decimals < 0 {
      let (more, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
      guard !isTooLarge else { return .real(Double(digits) * power(-decimals)) }
      (digits, decimals) = (more, decimals + 1)
    }
    return .exact(digits: digits, decimals: decimals)
  }

  private static func power(_ exponent: Int) -> Double { Double("1e\(exponent)") ?? .infinity }

  /// The number as a whole one; nil if it has decimals.
  var whole: Int128? { if case .exact(let digits, 0) = self { digits } else { nil } }

  var double: Double {
    switch self {
    case .exact(let digits, 0): Double(digits)
    case .exact(let digits, let decimals): Double("\(digits)e-\(decimals)") ?? .nan
    case .real(let real): real
    }
  }

  /// The number as a value: a whole one where it is whole.
  var value: DecodedValue {
    switch self {
    case .exact(let digits, 0): .integer(digits)
    case .exact(_, let decimals): .real(double, decimals: min(decimals, 15))
    case .real(let real): .real(real, decimals: abs(real) < 1e-3 ? 15 : 6)
    }
  }

  // MARK: Arithmetic

  /// Both numbers with the same decimals; nil if they are not exact.
  private static func aligned(
    _ a: ExpressionNumber, _ b: ExpressionNumber
  ) -> (Int128, Int128, decimals: Int)? {
    guard case .exact(var left, let few) = a, case .exact(var right, let many) = b else {
      return nil
    }
    for _ in 0..<max(0, many - few) {
      let (more, isTooLarge) = left.multipliedReportingOverflow(by: 10)
      if isTooLarge { return nil }
      left = more
    }
    for _ in 0..<max(0, few - many) {
      let (more, isTooLarge) = right.multipliedReportingOverflow(by: 10)
      if isTooLarge { return nil }
      right = more
    }
    return (left, right, max(few, many))
  }

  /// The sum; nil for whole numbers whose sum has more than 128 bits.
  static func sum(_ a: ExpressionNumber, _ b: ExpressionNumber) -> ExpressionNumber? {
    combined(a, b, { $0.addingReportingOverflow($1) }, +)
  }

  static func difference(_ a: ExpressionNumber, _ b: ExpressionNumber) -> ExpressionNumber? {
    combined(a, b, { $0.subtractingReportingOverflow($1) }, -)
  }

  private static func combined(
    _ a: ExpressionNumber, _ b: ExpressionNumber,
    _ exact: (Int128, Int128) -> (partialValue: Int128, overflow: Bool),
    _ real: (Double, Double) -> Double
  ) -> ExpressionNumber? {
    guard let (left, right, decimals) = aligned(a, b) else {
      return .init(real(a.double, b.double))
    }
    let (digits, isTooLarge) = exact(left, right)
    if !isTooLarge { return normal(digits, decimals) }
    return decimals == 0 ? nil : .init(real(a.double, b.double))
  }

  static func product(_ a: ExpressionNumber, _ b: ExpressionNumber) -> ExpressionNumber? {
    guard case .exact(let left, let few) = a, case .exact(let right, let many) = b else {
      return .init(a.double * b.double)
    }
    let (digits, isTooLarge) = left.multipliedReportingOverflow(by: right)
    if !isTooLarge { return normal(digits, few + many) }
    return few + many == 0 ? nil : .init(a.double * b.double)
  }

  /// The exact quotient; nil for a division by 0.
  static func quotient(_ a: ExpressionNumber, _ b: ExpressionNumber) -> ExpressionNumber? {
    if b.double == 0 { return nil }
    if let (left, right, _) = aligned(a, b) {
      let (quotient, isTooLarge) = left.dividedReportingOverflow(by: right)
      if !isTooLarge, left.isMultiple(of: right) { return .init(whole: quotient) }
    }
    return .init(a.double / b.double)
  }

  /// The quotient without its decimals; nil for a division by 0 and where it is too large.
  static func wholeQuotient(_ a: ExpressionNumber, _ b: ExpressionNumber) -> Int128? {
    guard let (left, right, _) = aligned(a, b), right != 0 else { return quotient(a, b)?.truncated }
    let (quotient, isTooLarge) = left.dividedReportingOverflow(by: right)
    return isTooLarge ? nil : quotient
  }

  /// The number without its decimals; nil if it is too large.
  var truncated: Int128? {
    switch self {
    case .exact(let digits, let decimals):
      (0..<decimals).reduce(digits) { digits, _ in digits / 10 }
    case .real(let real): Int128(exactly: real.rounded(.towardZero))
    }
  }

  /// The nearest number with some decimals; halves are rounded away from 0.
  func rounded(decimals: Int) -> ExpressionNumber {
    switch self {
    case .exact(let digits, let own) where own > decimals:
      let rest = (0..<(own - decimals - 1)).reduce(digits) { digits, _ in digits / 10 }
      return Self.normal((rest + (rest < 0 ? -5 : 5)) / 10, decimals)
    case .exact: return self
    case .real(let real):
      let scaled = (real * Self.power(decimals)).rounded()
      return .init(scaled / Self.power(decimals))
    }
  }

  // MARK: Comparison

  /// Whether two numbers are in order; false where one is not a number.
  static func holds(
    _ a: ExpressionNumber, _ relation: ExpressionOperator, _ b: ExpressionNumber
  ) -> Bool {
    if let (left, right, _) = aligned(a, b) { return relation.holds(left, right) }
    return relation.holds(a.double, b.double)
  }
}

extension ExpressionOperator {
  /// Whether a comparison holds; false for other operators.
  func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    switch self {
    case .equal: left == right
    case .unequal: left != right
    case .less: left < right
    case .atMost: left <= right
    case .more: left > right
    case .atLeast: left >= right
    case .or, .and, .not, .bitOr, .bitXor, .bitAnd, .left, .right, .plus, .minus, .times, .divided,
      .dividedWhole, .remainder, .inverted:
      false
    }
  }
}
