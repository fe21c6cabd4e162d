// One part of the layout of a standard value.

/// A part of a value: its octets, its name, and when it is present.
struct ValuePart: Sendable {
  enum Kind: Sendable {
    /// Octets whose bits indicate which parts follow. Not a field itself.
    case flags(octets: Int)
    /// The number of octets of the record, in one octet that is the first of them.
    case size
    /// An op code: a named number that determines which parts follow.
    case selector(Names)
    case field(FieldFormat)
    /// Bits of the flags that are a field; needs no octets.
    case flagged(BitField)
    /// Octets that hold several small fields.
    case split(octets: Int, [BitField])
    /// Unused octets: ignored when decoded, and sent with these values.
    case unused([UInt8])
    /// The CRC of the octets before it: no field, but a wrong one makes the value invalid.
    case checksum
    /// Octets that must be these.
    case constant([UInt8])
    /// Octets without a meaning.
    case padding(Padding)
    /// A field that follows from the others: no field of the decoded value, but a wrong one makes
    /// it invalid.
    case computed(FieldFormat, Computation)
    /// The place of a choice that has no case for a selector: the value is invalid.
    case noCase(FieldExpression)
  }

  /// The extent of octets without a meaning.
  enum Padding: Sendable {
    case octets(Int)
    /// Up to this offset in the layout.
    case to(Int)
    case end
  }

  /// The rule by which a field follows from others.
  enum Computation: Sendable {
    case value(FieldExpression)
    /// The checksum of the octets from the first to the last of these fields; without fields, of
    /// all octets before it.
    case checksum(Checksum, over: [String])
  }

  let name: String
  let kind: Kind
  /// The name in decoding errors.
  let title: String
  let unit: String?
  let presence: Presence
  /// The values that the specification allows; nil if it allows every value that can be sent.
  let range: ClosedRange<Double>?
  /// The offset in the layout; nil for the part that follows the one before.
  let offset: Int?
  /// A conversion to the usual unit, which is printed first.
  let conversion: Conversion?

  init(
    _ name: String, _ kind: Kind, title: String? = nil, unit: String? = nil,
    _ presence: Presence = .always, range: ClosedRange<Double>? = nil,
    _ conversion: Conversion? = nil, at offset: Int? = nil
  ) {
    self.name = name
    self.kind = kind
    self.title = title ?? name
    self.unit = unit
    self.presence = presence
    self.range = range
    self.conversion = conversion
    self.offset = offset
  }

  static func flags(_ octets: Int) -> ValuePart {
    ValuePart("flags", .flags(octets: octets))
  }

  static func size() -> ValuePart { ValuePart("size", .size) }

  static func unused(_ octets: [UInt8], _ presence: Presence = .always) -> ValuePart {
    ValuePart("unused", .unused(octets), presence)
  }

  static func checksum(_ presence: Presence) -> ValuePart {
    ValuePart("crc", .checksum, presence)
  }

  static func selector(_ name: String, _ names: KeyValuePairs<UInt64, String>) -> ValuePart {
    ValuePart(name, .selector(Names(names, isOpen: true)))
  }

  /// - Parameter range: The values that the specification allows; nil for the range of the unit.
  static func field(
    _ name: String, _ format: FieldFormat, _ unit: String? = nil, _ presence: Presence = .always,
    in range: ClosedRange<Double>? = nil, shownAs conversion: Conversion? = nil,
    title: String? = nil
  ) -> ValuePart {
    ValuePart(
      name, .field(format), title: title, unit: unit, presence, range: range ?? UnitRange.of(unit),
      conversion
    )
  }

  /// A bit of the flags that is a field.
  static func flag(_ name: String, _ bit: UInt64, _ presence: Presence = .always) -> ValuePart {
    ValuePart(name, .flagged(.flag(name, bit)), presence)
  }

  /// Bits of the flags with names for the numbers from 0.
  static func choice(_ name: String, _ bits: Range<UInt64>, _ names: [String]) -> ValuePart {
    ValuePart(name, .flagged(.choice(name, bits, names)))
  }

  static func split(
    _ name: String, octets: Int, _ fields: [BitField], _ presence: Presence = .always
  ) -> ValuePart {
    ValuePart(name, .split(octets: octets, fields), presence)
  }

  /// The names of its fields.
  var fieldNames: [String] {
    switch kind {
    case .flags, .size, .unused, .checksum, .constant, .padding, .computed, .noCase: []
    case .selector, .flagged: [name]
    case .field: (conversion.map { [$0.name] } ?? []) + [name]
    case .split(_, let fields): fields.map(\.name)
    }
  }
}

/// A quantity in another unit than the one that was sent.
struct Conversion: Sendable {
  let name: String
  let unit: String
  /// The minimum number of decimals.
  let decimals: Int
  /// The number of decimals that it needs beside those of the number that was sent.
  let shift: Int
  let convert: @Sendable (Double) -> Double

  init(
    _ name: String, _ unit: String, decimals: Int = 0, shift: Int = 0,
    _ convert: @escaping @Sendable (Double) -> Double
  ) {
    self.name = name
    self.unit = unit
    self.decimals = decimals
    self.shift = shift
    self.convert = convert
  }

  /// The converted field; a value that is not a number stays as it is.
  func field(_ value: DecodedValue) -> DecodedValue.Field {
    switch value {
    case .real(let number, let decimals):
      let shown = max(self.decimals, decimals + shift)
      return DecodedValue.Field(name, .real(converted(number, shown), decimals: shown), unit: unit)
    case .integer(let number):
      return DecodedValue.Field(
        name, .real(converted(Double(number), decimals), decimals: decimals), unit: unit
      )
    case .text, .boolean, .octets, .list, .fields:
      return DecodedValue.Field(name, value, unit: unit)
    }
  }

  /// The quantity, to six decimals more than are shown: 0.00014 kg/L is 14 mg/dL, not
  /// 14.000000000000002.
  private func converted(_ number: Double, _ decimals: Int) -> Double {
    let value = convert(number)
    let scaled = MedicalFloat.scaled(value, by: decimals + 6)
    guard abs(scaled) < 1e15 else { return value }
    return MedicalFloat.scaled(scaled.rounded(), by: -decimals - 6)
  }
}
