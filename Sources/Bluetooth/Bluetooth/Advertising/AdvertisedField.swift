// One field of advertised data, before its range is checked.

/// A field with its bytes, which replace a value out of its range.
struct AdvertisedField {
  private let field: DecodedValue.Field
  /// The bytes, with their offset in the data.
  private let octets: ArraySlice<UInt8>

  /// A field that is not a quantity.
  init(_ name: String, _ value: DecodedValue) {
    field = .init(name, value)
    octets = []
  }

  /// A quantity, from some bytes of the data.
  init(_ name: String, _ value: DecodedValue, unit: String?, _ octets: ArraySlice<UInt8>) {
    field = .init(name, value, unit: unit)
    self.octets = octets
  }

  var name: String { field.name }

  /// Returns the field under another name.
  func named(_ name: String) -> Self { Self(name, field.value, unit: field.unit, octets) }

  /// Returns the field. If it is out of the range of its unit, returns its bytes instead, and adds
  /// a problem.
  func checked(_ problems: inout [ValueError]) -> DecodedValue.Field {
    do throws(ValueError) {
      try field.value.check(in: UnitRange.of(field.unit), name, at: octets.startIndex)
      return field
    } catch {
      problems.append(error)
      return .init(name, .octets(Array(octets)))
    }
  }
}

extension AdvertisedField {
  /// Bytes as they are.
  static func octets(_ name: String, _ octets: some Sequence<UInt8>) -> Self {
    Self(name, .octets(Array(octets)))
  }

  /// An address, most significant byte first.
  static func address(_ octets: some Sequence<UInt8>) -> Self {
    Self("address", .text("\(BluetoothAddress(number: UInt64(octets.bigEndian)))"))
  }

  /// A power in dBm, from one signed byte.
  static func power(_ name: String, _ octets: ArraySlice<UInt8>) -> Self {
    let number = Int8(truncatingIfNeeded: octets.bigEndian)
    return Self(name, .integer(Int128(number)), unit: "dBm", octets)
  }

  /// A whole number that is not a quantity.
  static func integer(_ name: String, _ number: some BinaryInteger) -> Self {
    Self(name, .integer(Int128(number)))
  }

  /// A whole number, most significant byte first.
  static func integer(_ name: String, _ octets: ArraySlice<UInt8>, _ unit: String) -> Self {
    Self(name, .integer(octets.bigEndian), unit: unit, octets)
  }
}

extension Sequence<UInt8> {
  /// An unsigned number, most significant byte first; of at most 7 bytes.
  var bigEndian: Int128 { reduce(0) { $0 << 8 | Int128($1) } }
}
