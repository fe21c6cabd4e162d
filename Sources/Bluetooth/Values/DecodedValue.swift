// A value as a person or a chain file means it.

/// What the octets of an attribute stand for.
public indirect enum DecodedValue: Equatable, Sendable, CustomStringConvertible {
  /// One named part.
  public struct Field: Equatable, Sendable {
    public let name: String
    public let value: DecodedValue
    public let unit: String?

    public init(_ name: String, _ value: DecodedValue, unit: String? = nil) {
      self.name = name
      self.value = value
      self.unit = unit
    }
  }

  case integer(Int64)
  /// A number shown with so many decimals; not finite where the device said it has none.
  case real(Double, decimals: Int)
  case text(String)
  case boolean(Bool)
  case octets([UInt8])
  case fields([Field])
  case list([DecodedValue])

  /// The field called `name`.
  public subscript(name: String) -> DecodedValue? {
    guard case .fields(let fields) = self else { return nil }
    return fields.first { $0.name == name }?.value
  }

  /// The number that this is; nil for anything else. One field alone counts as its value.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value, _): value
    case .fields(let fields) where fields.count == 1: fields[0].value.number
    default: nil
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
    case .fields(let fields): fields.map(Self.shown).joined(separator: ", ")
    }
  }

  private static func shown(_ field: Field) -> String {
    guard let unit = field.unit, field.value.isQuantity else {
      return "\(field.name) \(field.value)"
    }
    return "\(field.value) \(unit)"
  }

  /// Whether a unit makes sense behind it; not behind "unknown", or a list of nothing.
  private var isQuantity: Bool {
    switch self {
    case .integer, .real: true
    case .list(let values): !values.isEmpty
    case .text, .boolean, .octets, .fields: false
    }
  }

  private static func digits(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite else { return value.isNaN ? "not a number" : "\(value)" }
    // A Double has no more digits that mean something.
    let decimals = min(decimals, 15)
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

/// Octets that are not what their characteristic promises, or a value that has no octets.
public struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which part.
  public let field: String
  /// Where it begins; 0 for a value that cannot be encoded.
  public let octet: Int
  /// What is wrong.
  public let problem: String

  public init(field: String, octet: Int, problem: String) {
    self.field = field
    self.octet = octet
    self.problem = problem
  }

  public var description: String { "\(field), octet \(octet): \(problem)" }
}
