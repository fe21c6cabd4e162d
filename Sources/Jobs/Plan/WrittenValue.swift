// A value that a chain writes: how it was put, and its octets.

public import Bluetooth

/// Octets put together from values with formats: `u8:1`, `utf8:"two words"`, or several in a row.
public struct WrittenValue: Hashable, Sendable, CustomStringConvertible {
  /// One value in one format.
  public struct Part: Hashable, Sendable {
    public let format: ValueFormat
    /// What is encoded, with places for captured values.
    public let template: MessageTemplate

    /// A value that is known: nothing in `text` stands for something else.
    public init(_ format: ValueFormat, _ text: String) {
      self.init(format, MessageTemplate(literal: text))
    }

    /// A value that is known only when what it takes from was captured.
    public init(_ format: ValueFormat, _ template: MessageTemplate) {
      self.format = format
      self.template = template
    }
  }

  /// The longest value of an attribute, in octets.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.2.9.
  public static let longest = 512

  public let parts: [Part]
  /// The octets of the parts that take no captured values: all of them in a step that runs.
  public let octets: [UInt8]

  /// Puts the parts together in order.
  ///
  /// - Throws: `ValueError` for a part that is not what its format takes, and for more than
  ///   ``longest`` octets.
  public init(_ parts: [Part]) throws(ValueError) {
    var octets: [UInt8] = []
    for part in parts {
      if let text = part.template.constant { octets += try part.format.encode(text) }
    }
    guard octets.count <= Self.longest else {
      throw ValueError(
        field: "value",
        octet: Self.longest,
        problem: "\(octets.count) bytes, but an attribute has at most \(Self.longest)"
      )
    }
    self.parts = parts
    self.octets = octets
  }

  /// No octets at all: stands where no value is read yet.
  private init() { (parts, octets) = ([], []) }

  static let nothing = WrittenValue()

  /// The captured values in it.
  var references: [VariablePath] { parts.flatMap(\.template.variables) }

  /// The value in the one-line form.
  public var description: String {
    parts.map { "\($0.format):\(Quoting.quoted($0.template.description))" }
      .joined(separator: " ")
  }
}
