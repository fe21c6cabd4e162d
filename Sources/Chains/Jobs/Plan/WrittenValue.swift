// A value that a chain writes: its parts, and its encoded bytes.

public import Bluetooth

/// Bytes encoded from one or more values with formats: `u8:1`, `utf8:"two words"`.
public struct WrittenValue: Hashable, Sendable, CustomStringConvertible {
  /// One value in one format.
  public struct Part: Hashable, Sendable {
    /// The format that encodes the text.
    public let format: ValueFormat
    /// The text to encode; captured values are substituted when the step runs.
    public let template: MessageTemplate

    /// Creates a constant part; braces in `text` are literal.
    public init(_ format: ValueFormat, _ text: String) {
      self.init(format, MessageTemplate(literal: text))
    }

    /// Creates a part with captured values.
    public init(_ format: ValueFormat, _ template: MessageTemplate) {
      self.format = format
      self.template = template
    }

    /// An error for a byte range in a number format: the bytes are substituted as hexadecimal
    /// digits, which would be parsed as a number.
    fileprivate var problem: ValueError? {
      guard case .number = format.valueKind,
        let bytes = template.variables.first(where: { $0.slice != nil })
      else { return nil }
      return ValueError(
        field: format.name, octet: 0,
        problem: "{\(bytes)} is bytes, and \(format) a number: write them with hex"
      )
    }
  }

  /// The longest value of an attribute, in bytes.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.2.9.
  public static let longest = 512

  /// The parts, encoded one after another; empty for a value that is written by its fields.
  public let parts: [Part]
  /// The fields of a described value, in place of parts.
  let fields: WrittenFields?
  /// The bytes of the constant parts; in a running step, all parts are constant.
  public let octets: [UInt8]

  /// Joins the parts in order.
  ///
  /// ```swift
  /// let (number, text) = (ValueFormat("u16be")!, ValueFormat("utf8")!)
  /// print(try WrittenValue([.init(number, "300"), .init(text, "on")]).octets)  // 01 2c 6f 6e
  /// ```
  ///
  /// - Throws: `ValueError` for a part that its format cannot encode, and for more than ``longest``
  ///   bytes.
  public init(_ parts: [Part]) throws(ValueError) {
    var octets: [UInt8] = []
    for part in parts {
      if let problem = part.problem { throw problem }
      if let text = part.template.constant { octets += try part.format.encode(text) }
    }
    guard octets.count <= Self.longest else {
      throw ValueError(
        field: "value", octet: Self.longest,
        problem: "\(octets.count) bytes, but an attribute has at most \(Self.longest)"
      )
    }
    self.parts = parts
    self.octets = octets
    fields = nil
  }

  /// Creates a value of fields.
  ///
  /// - Throws: `ValueError` with the path of the wrong field.
  init(_ fields: WrittenFields) throws(ValueError) {
    parts = []
    self.fields = fields
    octets = try fields.octets() ?? []
  }

  /// An empty placeholder, replaced when the step is read.
  private init() { (parts, fields, octets) = ([], nil, []) }

  static let nothing = WrittenValue()

  var references: [VariablePath] {
    fields?.references ?? parts.flatMap(\.template.variables)
  }

  public var description: String {
    if let fields { return "fields:\(Quoting.quoted(fields.description))" }
    return parts.map { "\($0.format):\(Quoting.quoted($0.template.description))" }
      .joined(separator: " ")
  }
}
