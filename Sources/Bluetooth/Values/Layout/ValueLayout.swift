// The layout of a standard value, from which it is both decoded and encoded.

/// The parts of a value in the order in which they are sent.
///
/// One description serves both directions, so that decoding and encoding cannot disagree. Parts
/// with the same name are alternatives: a heart rate in one octet or in two.
struct ValueLayout: Sendable {
  /// The name of the value in errors.
  let name: String
  let parts: [ValuePart]
  /// Whether the value is a single unnamed field: a text, or a named number.
  let isBare: Bool

  init(_ name: String, _ parts: [ValuePart]) {
    self.name = name
    self.parts = parts
    isBare = false
  }

  /// A value that is one field without a name.
  init(bare name: String, _ format: FieldFormat) {
    self.name = name
    parts = [.field(name, format)]
    isBare = true
  }

  /// A value that is one quantity.
  init(_ name: String, _ format: FieldFormat, _ unit: String? = nil) {
    self.init(name, [.field(name, format, unit)])
  }

  /// The names of the fields that a decoded value can have, without duplicates.
  var fieldNames: [String] {
    guard !isBare else { return [] }
    return parts.flatMap(\.fieldNames).reduce(into: []) { names, name in
      if !names.contains(name) { names.append(name) }
    }
  }

  /// Decodes a value.
  ///
  /// Reserved bits are ignored.
  ///
  /// - Throws: ``ValueError`` when there are too few octets, or too many.
  func decode(_ octets: [UInt8]) throws(ValueError) -> DecodedValue {
    var reader = OctetReader(octets)
    var flags: UInt64 = 0
    var fields: [DecodedValue.Field] = []
    for part in parts where part.presence.holds(flags, isMore: !reader.isAtEnd) {
      switch part.kind {
      case .flags(let count):
        flags = try reader.unsigned(count, part.name)
      case .selector(let names):
        flags = try reader.unsigned(1, part.name)
        fields.append(.init(part.name, .text(names.name(flags))))
      case .field(let format):
        let value = try format.read(&reader, part.title)
        if let conversion = part.conversion { fields.append(conversion.field(value)) }
        fields.append(.init(part.name, value, unit: part.unit))
      case .flagged(let field):
        fields.append(field.field(in: flags))
      case .split(let count, let bitFields):
        let word = try reader.unsigned(count, part.name)
        fields += bitFields.map { $0.field(in: word) }
      case .unused(let octets):
        _ = try reader.take(octets.count, part.name)
      }
    }
    try reader.end(name)
    return isBare && fields.count == 1 ? fields[0].value : .fields(fields)
  }
}
