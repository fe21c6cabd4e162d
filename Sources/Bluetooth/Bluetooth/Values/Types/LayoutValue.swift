// Between decoded values, which are data, and Swift's types.

/// A type that a decoded value is turned into, and back.
protocol LayoutValue: Sendable {
  /// - Parameter field: The name of the field, for the error.
  /// - Throws: ``ValueError`` when the value is of another kind.
  init(_ decoded: DecodedValue, _ field: String) throws(ValueError)

  var decoded: DecodedValue { get }
}

/// A value with several fields.
protocol LayoutRecord: LayoutValue {
  init(_ fields: DecodedFields) throws(ValueError)

  /// The fields; nil for those that are not sent.
  var fields: [DecodedValue.Field?] { get }
}

extension LayoutRecord {
  init(_ decoded: DecodedValue, _ field: String) throws(ValueError) {
    guard case .fields(let fields) = decoded else { throw decoded.isNot("a list of fields", field) }
    try self.init(DecodedFields(fields))
  }

  var decoded: DecodedValue { .fields(fields.compactMap(\.self)) }

  func field(_ name: String, _ value: (some LayoutValue)?) -> DecodedValue.Field? {
    value.map { DecodedValue.Field(name, $0.decoded) }
  }
}

/// The fields of a decoded value.
struct DecodedFields {
  private let fields: [DecodedValue.Field]

  init(_ fields: [DecodedValue.Field]) { self.fields = fields }

  /// A field that is always sent.
  func value<Value: LayoutValue>(_ name: String) throws(ValueError) -> Value {
    guard let value: Value = try optional(name) else {
      throw ValueError(field: name, octet: 0, problem: "missing")
    }
    return value
  }

  /// A field that may be left out.
  func optional<Value: LayoutValue>(_ name: String) throws(ValueError) -> Value? {
    guard let field = fields.first(where: { $0.name == name }) else { return nil }
    return try Value(field.value, name)
  }
}

extension DecodedValue {
  fileprivate func isNot(_ expected: String, _ field: String) -> ValueError {
    ValueError(field: field, octet: 0, problem: "'\(self)' is not \(expected)")
  }
}

// MARK: Swift's types

extension Int: LayoutValue {
  init(_ decoded: DecodedValue, _ field: String) throws(ValueError) {
    guard case .integer(let number) = decoded, let number = Int(exactly: number) else {
      throw decoded.isNot("a whole number of 64 bits", field)
    }
    self = number
  }

  var decoded: DecodedValue { .integer(Int128(self)) }
}

extension Double: LayoutValue {
  /// NaN for what medical devices send in place of a number.
  init(_ decoded: DecodedValue, _ field: String) throws(ValueError) {
    switch decoded {
    case .integer(let number): self.init(number)
    case .real(let number, _): self = number
    case .text: self = .nan
    case .boolean, .octets, .fields, .list: throw decoded.isNot("a number", field)
    }
  }

  var decoded: DecodedValue { .real(self, decimals: 3) }
}

extension String: LayoutValue {
  init(_ decoded: DecodedValue, _ field: String) throws(ValueError) {
    guard case .text(let text) = decoded else { throw decoded.isNot("a text", field) }
    self = text
  }

  var decoded: DecodedValue { .text(self) }
}

extension Bool: LayoutValue {
  init(_ decoded: DecodedValue, _ field: String) throws(ValueError) {
    guard case .boolean(let flag) = decoded else { throw decoded.isNot("yes or no", field) }
    self = flag
  }

  var decoded: DecodedValue { .boolean(self) }
}

extension [Double]: LayoutValue {
  init(_ decoded: DecodedValue, _ field: String) throws(ValueError) {
    guard case .list(let values) = decoded else { throw decoded.isNot("a list", field) }
    self = try values.map { value throws(ValueError) in try Double(value, field) }
  }

  var decoded: DecodedValue { .list(map(\.decoded)) }
}
