// Decoded values, in the form that people read and chain files compare.

/// The meaning of the octets of an attribute.
public indirect enum DecodedValue: Equatable, Sendable, CustomStringConvertible {
  /// One named part.
  public struct Field: Equatable, Sendable {
    /// The name of the field: `celsius`.
    public let name: String
    /// The value.
    public let value: DecodedValue
    /// The unit, for people; nil without one.
    public let unit: String?
    /// The words after the unit in text, which tell the number from others of the unit: `TX power`;
    /// nil without any.
    public let qualifier: String?

    /// A field of a value.
    public init(
      _ name: String, _ value: DecodedValue, unit: String? = nil, qualifier: String? = nil
    ) {
      self.name = name
      self.value = value
      self.unit = unit
      self.qualifier = qualifier
    }
  }

  /// A whole number.
  case integer(Int128)
  /// A number printed with this many decimals; a number of IEEE 754 may be infinite or NaN.
  case real(Double, decimals: Int)
  /// A text.
  case text(String)
  /// True or false.
  case boolean(Bool)
  /// Bytes without a known meaning.
  case octets([UInt8])
  /// Named values, in order.
  case fields([Field])
  /// Values without names, in order.
  case list([DecodedValue])

  /// The field called `name`.
  ///
  /// Nil without such a field, and for a value without fields.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// let celsius = report.captured["reading"]?["celsius"]?.number
  /// ```
  public subscript(name: String) -> DecodedValue? {
    guard case .fields(let fields) = self else { return nil }
    return fields.first { $0.name == name }?.value
  }

  /// The name of the field with the octets after the known fields.
  package static let further = "further"

  /// The value itself, or that of its only field. Octets after the known fields are not counted.
  package var only: DecodedValue {
    guard case .fields(let fields) = self else { return self }
    let known = fields.filter { $0.name != Self.further }
    return known.count == 1 ? known[0].value.only : self
  }

  /// The number; nil for anything else. A single field counts as its value.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// print(report.captured["battery"]?.number ?? 0)
  /// ```
  public var number: Double? {
    switch only {
    case .integer(let value): Double(value)
    case .real(let value, _): value
    case .text, .boolean, .octets, .list, .fields: nil
    }
  }

  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .real(let value, let decimals): Self.digits(value, decimals)
    case .text(let text): text
    case .boolean(let value): value ? "yes" : "no"
    case .octets(let octets): octets.map(hexadecimal).joined()
    case .list(let values):
      values.isEmpty ? "none" : values.map(\.description).joined(separator: ", ")
    case .fields(let fields):
      fields.map { field in
        field.isClear(among: fields) ? field.quantity : "\(field.name) \(field.quantity)"
      }.joined(separator: ", ")
    }
  }

  /// Whether a unit may follow; not after "unknown", "not a number" or an empty list.
  fileprivate var isQuantity: Bool {
    switch self {
    case .integer: true
    case .real(let value, _): value.isFinite
    case .list(let values): !values.isEmpty
    case .text, .boolean, .octets, .fields: false
    }
  }

  private static func digits(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite else { return value.isNaN ? "not a number" : "\(value)" }
    // A Double has no more significant digits.
    let decimals = max(0, min(decimals, 15))
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = (value * scale).rounded()
    guard abs(scaled) < 1e15 else { return "\(scaled / scale)" }
    let number = Int64(scaled)
    guard decimals > 0 else { return "\(number)" }
    let divisor = Int64(scale)
    let rest = String((number % divisor).magnitude)
    let zeros = String(repeating: "0", count: decimals - rest.utf8.count)
    return (number < 0 ? "-" : "") + "\(number.magnitude / UInt64(divisor)).\(zeros)\(rest)"
  }
}

extension DecodedValue.Field {
  /// The value with its unit and its qualifier.
  package var quantity: String {
    guard let unit, value.isQuantity else { return "\(value)" }
    return "\(value) \(unit)" + (qualifier.map { " \($0)" } ?? "")
  }

  /// Whether the unit and the qualifier identify the field: no other field has it, and it is not a
  /// percentage of something that only the name says.
  fileprivate func isClear(among fields: [DecodedValue.Field]) -> Bool {
    guard let unit, value.isQuantity else { return false }
    guard unit != "%" || ["percent", "value"].contains(name) else { return false }
    return fields.count { $0.unit == unit && $0.qualifier == qualifier } == 1
  }
}

/// Octets that do not have the format of their characteristic, or a value that cannot be encoded.
public struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the field.
  public let field: String
  /// The offset of the field; 0 for a value that cannot be encoded.
  public let octet: Int
  /// The error.
  public let problem: String

  /// Whether the octets have the format, but stand for something that the specification does not
  /// allow: month 18, 202 %, a reserved number, or a text that is not UTF-8.
  public let isOutOfRange: Bool

  /// An error in a value, at a byte offset.
  public init(field: String, octet: Int, problem: String, isOutOfRange: Bool = false) {
    self.field = field
    self.octet = octet
    self.problem = problem
    self.isOutOfRange = isOutOfRange
  }

  /// Returns the error for a value that is a part of another one, under a name.
  package func inside(_ name: String) -> ValueError {
    ValueError(
      field: "\(name): \(field)", octet: octet, problem: problem, isOutOfRange: isOutOfRange
    )
  }

  /// The message about a wrong number of bytes.
  static func length(_ expected: Int, found: Int) -> String {
    "expected \(expected) byte\(expected == 1 ? "" : "s"), found \(found)"
  }

  public var description: String { "\(field), byte \(octet): \(problem)" }
}

extension DecodedValue {
  /// Whether a value as a file writes it is this one. Of fields, only those that are written count;
  /// numbers and bytes may be texts.
  package func matches(written: DecodedValue) -> Bool {
    switch (self, written) {
    case (.fields, .fields(let fields)):
      fields.allSatisfy { field in self[field.name]?.matches(written: field.value) ?? false }
    case (.list(let own), .list(let values)):
      own.count == values.count && zip(own, values).allSatisfy { $0.matches(written: $1) }
    case (_, .text(let text)): only.isWritten(text)
    case (_, .integer), (_, .real), (_, .boolean), (_, .octets), (_, .list), (_, .fields):
      only == written
    }
  }
}
