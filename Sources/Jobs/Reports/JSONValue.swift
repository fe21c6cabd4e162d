// JSON on one line, with keys in insertion order.

public import Bluetooth

/// A JSON value.
public enum JSONValue: Equatable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A number as its text.
  case number(String)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, whose members keep their order.
  case object([(key: String, value: JSONValue)])

  /// A number; null for a number that is not finite, which JSON does not support.
  public init(_ number: Double) {
    self = number.isFinite ? .number("\(number)") : .null
  }

  /// A whole number.
  public init(_ number: Int) { self = .number("\(number)") }

  /// A decoded value: fields as an object, octets as hexadecimal digits.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// print(JSONValue.object(report.captured.map { (key: $0, value: JSONValue($1)) }).text)
  /// ```
  public init(_ value: DecodedValue) {
    switch value {
    case .integer(let integer): self = .number("\(integer)")
    case .real(let real, _): self.init(real)
    case .text(let text): self = .string(text)
    case .boolean(let truth): self = .boolean(truth)
    case .octets: self = .string(value.description)
    case .fields(let fields): self = .object(fields.map { ($0.name, JSONValue($0.value)) })
    case .list(let values): self = .array(values.map { JSONValue($0) })
    }
  }

  /// The JSON text, without spaces.
  public var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .boolean(let truth): text += truth ? "true" : "false"
    case .number(let number): text += number
    case .string(let string): Self.write(string, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  /// A string in quotes.
  ///
  /// What is not printable is escaped, so that a line can be shown; readers get it back as it was.
  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        if scalar.isPrintable { text.unicodeScalars.append(scalar) } else { text += code(scalar) }
      }
    }
    text += "\""
  }

  /// A character by its code; by two, a surrogate pair, beyond the first plane.
  package static func code(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }.joined()
  }

  public static func == (a: JSONValue, b: JSONValue) -> Bool { a.text == b.text }
}

extension JSONValue {
  /// A service with its characteristics.
  init(_ service: GATTService, _ names: AttributeNames) {
    let name = names.name(of: service.uuid, .service)
    self = .object([
      ("uuid", .string(service.uuid.text)),
      ("name", name.map { .string($0) } ?? .null),
      ("handle", JSONValue(Int(service.handle))),
      ("primary", .boolean(service.isPrimary)),
      ("characteristics", .array(service.characteristics.map { JSONValue($0, names) })),
    ])
  }

  private init(_ characteristic: GATTCharacteristic, _ names: AttributeNames) {
    let name = names.name(of: characteristic.uuid, .characteristic)
    self = .object([
      ("uuid", .string(characteristic.uuid.text)),
      ("name", name.map { .string($0) } ?? .null),
      ("handle", JSONValue(Int(characteristic.handle))),
      ("flags", .array(characteristic.properties.flags.map { .string($0) })),
      (
        "descriptors",
        .array(
          characteristic.descriptors.map { descriptor in
            .object([
              ("uuid", .string(descriptor.uuid.text)),
              ("handle", JSONValue(Int(descriptor.handle))),
            ])
          }
        )
      ),
    ])
  }
}
