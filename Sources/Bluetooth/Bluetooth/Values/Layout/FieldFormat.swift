// The format of one field of a standard value.
//
// Reading and writing are in the files beside this one. Formats that users name, such as `u16`, are
// `ValueFormat`.

/// The format of a field. Numbers are little-endian.
enum FieldFormat: Sendable {
  /// A whole number of steps.
  case number(WireNumber)
  /// IEEE 11073 FLOAT.
  case float
  /// IEEE 11073 SFLOAT.
  case sfloat
  /// A named number of `octets`.
  case named(octets: Int, Names)
  /// Flags, printed as a list of the names of those that are set.
  case bits(octets: Int, [String?])
  /// One octet: 0 is no, anything else is yes.
  case boolean
  /// Year, month, day, hour, minute and second in seven octets.
  case dateTime
  /// UTF-8 to the end.
  case text
  /// This many octets, as they are.
  case octets(Int)
  /// The first half of the octets to the end.
  case half
  /// The octets to the end, as they are.
  case rest
  /// Values of one format, to the end.
  indirect case list(FieldFormat)

  static let u8 = FieldFormat.number(WireNumber(1))
  static let u16 = FieldFormat.number(WireNumber(2))
  static let u24 = FieldFormat.number(WireNumber(3))
  static let u32 = FieldFormat.number(WireNumber(4))
  static let i8 = FieldFormat.number(WireNumber(1, signed: true))
  static let i16 = FieldFormat.number(WireNumber(2, signed: true))

  /// An unsigned number in steps of `step` / `over`; `meanings` are for numbers that are not
  /// quantities.
  static func unsigned(
    _ octets: Int, step: Int64 = 1, over: Int64 = 1, _ meanings: KeyValuePairs<Int64, String> = [:]
  ) -> FieldFormat {
    .number(WireNumber(octets, step: step, over: over, meanings: meanings))
  }

  /// A signed number in steps of `step` / `over`.
  static func signed(
    _ octets: Int, step: Int64 = 1, over: Int64 = 1, _ meanings: KeyValuePairs<Int64, String> = [:]
  ) -> FieldFormat {
    .number(WireNumber(octets, signed: true, step: step, over: over, meanings: meanings))
  }

  /// One octet with a name for each number from 0.
  static func named(_ names: [String]) -> FieldFormat { .named(octets: 1, Names(names)) }

  /// One octet with names for some numbers; of an open list, others are `reserved (n)`.
  static func named(_ names: KeyValuePairs<UInt64, String>, isOpen: Bool = false) -> FieldFormat {
    .named(octets: 1, Names(names, isOpen: isOpen))
  }
}
