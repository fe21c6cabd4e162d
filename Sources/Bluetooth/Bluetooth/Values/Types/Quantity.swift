// A number, or what a device sends in place of one.

/// A quantity that a device may not know: some numbers on the wire are not quantities.
///
/// ```swift
/// switch try await connection.read(.humidity) {
/// case .value(let percent): print(percent, "%")
/// case .special(let text): print(text)   // unknown
/// }
/// ```
public enum Quantity<Number: Hashable & Sendable>: Hashable, Sendable {
  /// A number.
  case value(Number)
  /// The meaning of the number on the wire: `unknown`, `65534 or more`.
  case special(String)

  /// The number; nil when there is none.
  ///
  /// ```swift
  /// let percent = try await connection.read(.humidity).value  // nil for "unknown"
  /// ```
  public var value: Number? {
    switch self {
    case .value(let number): number
    case .special: nil
    }
  }
}

extension Quantity: LayoutValue where Number: LayoutValue {
  init(_ decoded: DecodedValue, _ field: String) throws(ValueError) {
    if case .text(let text) = decoded {
      self = .special(text)
    } else {
      self = .value(try Number(decoded, field))
    }
  }

  var decoded: DecodedValue {
    switch self {
    case .value(let number): number.decoded
    case .special(let text): .text(text)
    }
  }
}
