// BTHome version 1: objects that have their lengths, in service data.

extension BTHome {
  /// User Data, which version 1 uses without being a value of it.
  private static let firstService = BluetoothUUID(short: 0x181c)

  private static let timestamp: UInt8 = 0x50

  /// What the upper three bits of the first byte of an object mean.
  private enum Kind: UInt8 {
    case unsigned, signed, float, text, address
  }

  /// Decodes the objects; nil when the first one is malformed.
  ///
  /// An unknown object is bytes, under its number. A malformed one begins the field `rest`.
  ///
  /// - Source: BTHome, "BTHome v1" (bthome.io/v1).
  static func version1(_ service: BluetoothUUID, _ data: [UInt8]) -> AdvertisedFormat? {
    guard service == firstService, !data.isEmpty else { return nil }
    var reader = OctetReader(data)
    var fields = Fields()
    var rest: [UInt8] = []
    do throws(ValueError) {
      while !reader.isAtEnd {
        rest = reader.rest
        let head = try reader.byte("object")
        let octets = try reader.take(Int(head & 0x1f), "object").indices
        guard let kind = Kind(rawValue: head >> 5), let field = try field(kind, data, octets)
        else { break }
        fields.append(field)
        rest = []
      }
    } catch {
      // The bytes from the malformed object on are the rest.
    }
    guard !fields.list.isEmpty else { return nil }
    if !rest.isEmpty { fields.append(.octets("rest", rest)) }
    return AdvertisedFormat(.btHome1, fields.list)
  }

  /// A number of IEEE 754, in 16, 32 or 64 bits; nil for another length.
  private static func float(_ octets: [UInt8]) -> DecodedValue? {
    switch octets.count {
    case 2:
      let half = Float16(bitPattern: UInt16(octets[1]) << 8 | UInt16(octets[0]))
      // The shortest digits: 26.1, not 26.09375.
      return .real(Double("\(half)") ?? Double(half), decimals: 3)
    case 4: return try? ValueFormat.f32.decode(octets)
    case 8: return try? ValueFormat.f64.decode(octets)
    default: return nil
    }
  }

  private static func field(
    _ kind: Kind, _ data: [UInt8], _ octets: Range<Int>
  ) throws(ValueError) -> AdvertisedField? {
    if kind == .address { return octets.count == 6 ? .address(data[octets].reversed()) : nil }
    guard let object = data[octets].first else { return nil }
    let value = Array(data[octets].dropFirst())
    var reader = OctetReader(data, octets.dropFirst())
    guard let (name, form) = objects[object] else {
      return .octets("object-\(hexadecimal(object))", value)
    }
    // A time is a whole number, whatever it is sent as.
    switch (object == timestamp ? .unsigned : kind, form) {
    case (.text, _), (_, .text): return text(name, value)
    case (_, .raw): return .octets(name, value)
    case (.float, .number(_, _, _, _, let unit)):
      guard let number = float(value) else { return .octets(name, value) }
      return .init(name, number, unit: unit, data[octets.dropFirst()])
    case (_, .number(_, _, let step, let over, let unit)):
      guard (1...6).contains(value.count) else { return .octets(name, value) }
      let isSigned = kind == .signed
      return try read(
        .number(octets: value.count, signed: isSigned, step: step, over: over, unit: unit),
        name,
        &reader
      )
    case (_, .float), (_, .named), (_, .command), (_, .dimmer), (_, .version):
      return try read(form, name, &reader)
    }
  }
}
