// BTHome version 2: measurements and events in service data.
//
// The objects are in BTHome+Objects.swift, version 1 is in BTHome+Version1.swift.

/// - Source: BTHome, "BLE advertising in the BTHome v2 format" (bthome.io/format).
enum BTHome {
  static let service = BluetoothUUID(short: 0xfcd2)

  /// What the value of an object is.
  enum Form: Sendable {
    /// A number of steps of `step` / `over`, least significant byte first.
    case number(octets: Int, signed: Bool, step: Int64, over: Int64, unit: String?)
    /// A number of 32 bits, IEEE 754.
    case float(unit: String)
    /// One byte.
    case named(Names)
    /// A length in the low five bits, an op code, and so many bytes.
    case command
    /// A direction, and a number of steps.
    case dimmer
    /// A length, and UTF-8.
    case text
    /// A length, and bytes.
    case raw
    /// Numbers of a version, the last one first.
    case version(octets: Int)

    /// One byte: 0 or 1, and what they mean.
    static func state(_ off: String, _ on: String) -> Form { .named(Names([off, on])) }
  }

  /// Fields in order; of several with one name, the second is `temperature-2`.
  struct Fields {
    private(set) var list: [AdvertisedField] = []
    private var counts: [String: Int] = [:]

    mutating func append(_ field: AdvertisedField) {
      counts[field.name, default: 0] += 1
      let count = counts[field.name] ?? 1
      list.append(count > 1 ? field.named("\(field.name)-\(count)") : field)
    }
  }

  /// Decodes the objects; nil when the data is encrypted, of another version, or malformed.
  ///
  /// As the format demands, decoding stops at an unknown object: the bytes from there on are the
  /// field `rest`. So it does at one that is cut off, unless that is the first.
  static func data(_ service: BluetoothUUID, _ data: [UInt8]) -> AdvertisedFormat? {
    guard service == Self.service, let head = data.first, head >> 5 == 2, head & 1 == 0 else {
      return nil
    }
    var reader = OctetReader(data, data.indices.dropFirst())
    var fields = Fields()
    var rest: [UInt8] = []
    do throws(ValueError) {
      // Reserved by the format; parsers and devices agree that an address follows.
      if head & 2 != 0 { fields.append(.address(try reader.take(6, "address").reversed())) }
      while !reader.isAtEnd {
        rest = reader.rest
        guard let (name, form) = objects[try reader.byte("object")] else { break }
        fields.append(try read(form, name, &reader))
        rest = []
      }
    } catch {
      guard !fields.list.isEmpty, !rest.isEmpty else { return nil }
    }
    if !rest.isEmpty { fields.append(.octets("rest", rest)) }
    return AdvertisedFormat(.btHome, fields.list)
  }

  static func read(
    _ form: Form, _ name: String, _ reader: inout OctetReader
  ) throws(ValueError) -> AdvertisedField {
    let start = reader.position
    switch form {
    case .number(let octets, let isSigned, let step, let over, let unit):
      let shift = UInt64(64 - 8 * octets)
      let bits = try reader.unsigned(octets, name)
      let raw = isSigned ? Int64(bitPattern: bits << shift) >> Int64(shift) : Int64(bits)
      let value: DecodedValue =
        over > 1
        ? .real(Double(raw * step) / Double(over), decimals: "\(over)".count - 1)
        : .integer(Int128(raw * step))
      return .init(name, value, unit: unit, reader.octets[start..<reader.position])
    case .float(let unit):
      let octets = try reader.take(4, name)
      return .init(name, try ValueFormat.f32.decode(Array(octets)), unit: unit, octets)
    case .named(let names): return .init(name, .text(names.name(UInt64(try reader.byte(name)))))
    case .command:
      let count = Int(try reader.byte(name) & 0x1f)
      let command = commands.name(UInt64(try reader.byte(name)))
      let arguments = Array(try reader.take(count, name))
      return .init(name, .text(([command] + shown(arguments)).joined(separator: " ")))
    case .dimmer:
      let direction = dimmers.name(UInt64(try reader.byte(name)))
      let steps = try reader.byte(name)
      return .init(name, .text(steps == 0 ? direction : "\(direction) \(steps)"))
    case .text: return text(name, try lengthAndOctets(name, &reader))
    case .raw: return .octets(name, try lengthAndOctets(name, &reader))
    case .version(let octets):
      let numbers = try reader.take(octets, name).reversed()
      return .init(name, .text(numbers.map { "\($0)" }.joined(separator: ".")))
    }
  }

  static func text(_ name: String, _ octets: [UInt8]) -> AdvertisedField {
    let text = String(validating: octets, as: UTF8.self)
    return .init(name, text.map { .text($0) } ?? .octets(octets))
  }

  /// A number of steps; of the vendor's own arguments the bytes.
  private static func shown(_ arguments: [UInt8]) -> [String] {
    switch arguments.count {
    case 0: []
    case 1: ["\(arguments[0])"]
    default: [DecodedValue.octets(arguments).description]
    }
  }

  private static func lengthAndOctets(
    _ name: String, _ reader: inout OctetReader
  ) throws(ValueError) -> [UInt8] {
    let count = Int(try reader.byte(name))
    return Array(try reader.take(count, name))
  }

  private static let commands = Names(["off", "on", "toggle", "step up", "step down"])
  private static let dimmers = Names(["none", "rotate left", "rotate right"])
}
