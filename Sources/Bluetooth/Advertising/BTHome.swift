// BTHome version 2: measurements and events in service data.
//
// The objects are in BTHome+Objects.swift.

/// - Source: BTHome, "BLE advertising in the BTHome v2 format" (bthome.io/format).
enum BTHome {
  private static let service = BluetoothUUID(short: 0xfcd2)

  /// What the value of an object is.
  enum Form: Sendable {
    /// A number of steps of `step` / `over`, least significant byte first.
    case number(octets: Int, signed: Bool, step: Int64, over: Int64, unit: String?)
    /// One byte: 0 or 1, and what they mean.
    case state(String, String)
    /// One byte.
    case button
    /// A direction, and a number of steps.
    case dimmer
    /// A length, and UTF-8.
    case text
    /// A length, and bytes.
    case raw
    /// Numbers of a version, the last one first.
    case version(octets: Int)
  }

  /// Decodes the objects; nil when the data is encrypted, of another version, or malformed.
  ///
  /// As the format demands, decoding stops at an unknown object: the bytes from there on are the
  /// field `rest`. Of several objects with one name, the second is `temperature-2`.
  static func data(_ service: BluetoothUUID, _ data: [UInt8]) -> AdvertisedFormat? {
    guard service == Self.service, let head = data.first, head >> 5 == 2, head & 1 == 0 else {
      return nil
    }
    var reader = OctetReader(Array(data.dropFirst()))
    var fields: [DecodedValue.Field] = []
    var counts: [String: Int] = [:]
    do throws(ValueError) {
      while !reader.isAtEnd {
        let start = reader.position
        guard let (name, form) = objects[try reader.byte("object")] else {
          fields.append(.octets("rest", reader.octets[start...]))
          break
        }
        counts[name, default: 0] += 1
        let count = counts[name] ?? 1
        let field = try read(form, name, &reader)
        fields.append(.init(count > 1 ? "\(name)-\(count)" : name, field.value, unit: field.unit))
      }
    } catch {
      return nil
    }
    return AdvertisedFormat(.btHome, fields)
  }

  private static func read(
    _ form: Form,
    _ name: String,
    _ reader: inout OctetReader
  ) throws(ValueError) -> DecodedValue.Field {
    switch form {
    case .number(let octets, let isSigned, let step, let over, let unit):
      let shift = UInt64(64 - 8 * octets)
      let bits = try reader.unsigned(octets, name)
      let raw = isSigned ? Int64(bitPattern: bits << shift) >> Int64(shift) : Int64(bits)
      guard over > 1 else { return .integer(name, raw * step, unit) }
      let value = Double(raw * step) / Double(over)
      return .init(name, .real(value, decimals: "\(over)".count - 1), unit: unit)
    case .state(let off, let on):
      let number = try reader.byte(name)
      return .init(name, .text(number == 0 ? off : number == 1 ? on : "reserved (\(number))"))
    case .button: return .init(name, .text(buttons.name(UInt64(try reader.byte(name)))))
    case .dimmer:
      let direction = dimmers.name(UInt64(try reader.byte(name)))
      let steps = try reader.byte(name)
      return .init(name, .text(steps == 0 ? direction : "\(direction) \(steps)"))
    case .text:
      let octets = try lengthAndOctets(name, &reader)
      let text = String(validating: octets, as: UTF8.self)
      return .init(name, text.map { .text($0) } ?? .octets(octets))
    case .raw: return .octets(name, try lengthAndOctets(name, &reader))
    case .version(let octets):
      let numbers = try reader.take(octets, name).reversed()
      return .init(name, .text(numbers.map { "\($0)" }.joined(separator: ".")))
    }
  }

  private static func lengthAndOctets(
    _ name: String,
    _ reader: inout OctetReader
  ) throws(ValueError) -> [UInt8] {
    let count = Int(try reader.byte(name))
    return Array(try reader.take(count, name))
  }

  private static let buttons = Names([
    0x00: "none", 0x01: "press", 0x02: "double press", 0x03: "triple press", 0x04: "long press",
    0x05: "long double press", 0x06: "long triple press", 0x80: "hold press",
  ])

  private static let dimmers = Names([0x00: "none", 0x01: "rotate left", 0x02: "rotate right"])
}
