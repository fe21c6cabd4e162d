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

  /// Whether the value begins with its size.
  var hasSize: Bool { if case .size? = parts.first?.kind { true } else { false } }

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
  init(
    _ name: String, _ format: FieldFormat, _ unit: String? = nil,
    in range: ClosedRange<Double>? = nil
  ) {
    self.init(name, [.field(name, format, unit, in: range)])
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
  /// Reserved bits are ignored. Octets behind the known fields are the field `further`: later
  /// versions of a specification add fields at the end.
  ///
  /// - Throws: ``ValueError`` when there are too few octets, or a field is out of its range.
  func decode(_ octets: [UInt8]) throws(ValueError) -> DecodedValue {
    var reader = OctetReader(octets)
    var flags: UInt64 = 0
    var fields: [DecodedValue.Field] = []
    for part in parts where part.presence.holds(flags, remaining: reader.remaining) {
      let start = reader.position
      switch part.kind {
      case .flags(let count):
        flags = try reader.unsigned(count, part.name)
      case .size:
        try reader.size(part.name)
      case .selector(let names):
        flags = try reader.unsigned(1, part.name)
        fields.append(.init(part.name, .text(names.name(flags))))
      case .field(let format):
        let value = try format.read(&reader, part.title)
        try value.check(in: part.range, part.name, at: start)
        if let conversion = part.conversion { fields.append(conversion.field(value)) }
        fields.append(.init(part.name, value, unit: part.unit))
      case .flagged(let field):
        fields.append(try field.field(in: flags, at: 0))
      case .split(let count, let bitFields):
        let word = try reader.unsigned(count, part.name)
        for field in bitFields { fields.append(try field.field(in: word, at: start)) }
      case .unused(let octets):
        _ = try reader.take(octets.count, part.name)
      case .checksum:
        try Self.check(octets[..<start], Array(try reader.take(2, part.name)))
      }
    }
    if !reader.rest.isEmpty { fields.append(.init(DecodedValue.further, .octets(reader.rest))) }
    return isBare && fields.count == 1 ? fields[0].value : .fields(fields)
  }

  /// The records of a notification: several where records begin with their size, and the sizes add
  /// up to all of it.
  func records(in octets: [UInt8]) -> [[UInt8]] {
    var records: [[UInt8]] = []
    var rest = octets[...]
    while hasSize, let size = rest.first.map({ Int($0) }), size > 0, size <= rest.count {
      records.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return rest.isEmpty && !records.isEmpty ? records : [octets]
  }

  private static func check(_ octets: ArraySlice<UInt8>, _ sent: [UInt8]) throws(ValueError) {
    let right = Checksum.octets(of: octets)
    guard sent != right else { return }
    let (shown, expected) = (DecodedValue.octets(sent), DecodedValue.octets(right))
    throw ValueError(
      field: "crc", octet: octets.endIndex, problem: "expected \(expected), found \(shown)",
      isOutOfRange: true
    )
  }
}
