// BTHome: measurements and events in service data. Version 2, the objects, then version 1.

/// - Source: BTHome, "BLE advertising in the BTHome v2 format" (bthome.io/format).
enum BTHome {
  static let service = BluetoothUUID(short: 0xfcd2)

  /// The form of an object's value.
  enum Form: Sendable {
    /// A number of steps of `step` / `over`, least significant byte first.
    case number(octets: Int, signed: Bool, step: Int64, over: Int64, unit: String?)
    /// A number of 32 bits, IEEE 754.
    case float(unit: String)
    /// One byte.
    case named(Names)
    /// A length in the low five bits, an op code, and that many bytes.
    case command
    /// A direction, and a number of steps.
    case dimmer
    /// A length, and UTF-8.
    case text
    /// A length, and bytes.
    case raw
    /// Numbers of a version, the last one first.
    case version(octets: Int)

    /// One byte: 0 or 1, with their meanings.
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
  /// field `rest`. The same holds for an object that is cut off, unless it is the first.
  static func data(_ service: BluetoothUUID, _ data: [UInt8]) -> AdvertisedFormat? {
    guard service == Self.service, let head = data.first, head >> 5 == 2, head & 1 == 0 else {
      return nil
    }
    var reader = OctetReader(data, data.indices.dropFirst())
    var fields = Fields()
    var rest: [UInt8] = []
    do throws(ValueError) {
      // Reserved by the format; parsers and devices agree that an address follows.
      if head & 2 != 0 { fields.append(.address(try reader.bytes(6, "address").reversed())) }
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
      let octets = try reader.bytes(4, name)
      return .init(name, try ValueFormat.f32.decode(Array(octets)), unit: unit, octets)
    case .named(let names): return .init(name, .text(names.name(UInt64(try reader.byte(name)))))
    case .command:
      let count = Int(try reader.byte(name) & 0x1f)
      let command = commands.name(UInt64(try reader.byte(name)))
      let arguments = Array(try reader.bytes(count, name))
      return .init(name, .text(([command] + shown(arguments)).joined(separator: " ")))
    case .dimmer:
      let direction = dimmers.name(UInt64(try reader.byte(name)))
      let steps = try reader.byte(name)
      return .init(name, .text(steps == 0 ? direction : "\(direction) \(steps)"))
    case .text: return text(name, try lengthAndOctets(name, &reader))
    case .raw: return .octets(name, try lengthAndOctets(name, &reader))
    case .version(let octets):
      let numbers = try reader.bytes(octets, name).reversed()
      return .init(name, .text(numbers.map { "\($0)" }.joined(separator: ".")))
    }
  }

  private static func text(_ name: String, _ octets: [UInt8]) -> AdvertisedField {
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
    return Array(try reader.bytes(count, name))
  }

  private static let commands = Names(["off", "on", "toggle", "step up", "step down"])
  private static let dimmers = Names(["none", "rotate left", "rotate right"])
}

// MARK: The objects of both versions

extension BTHome {
  private static func unsigned(
    _ octets: Int, over: Int64 = 1, _ unit: String? = nil
  ) -> Form { .number(octets: octets, signed: false, step: 1, over: over, unit: unit) }

  private static func signed(
    _ octets: Int, step: Int64 = 1, over: Int64 = 1, _ unit: String? = nil
  ) -> Form { .number(octets: octets, signed: true, step: step, over: over, unit: unit) }

  private static let detected = Form.state("clear", "detected")
  private static let onOff = Form.state("off", "on")
  private static let open = Form.state("closed", "open")

  private static let buttons = Names([
    0x00: "none", 0x01: "press", 0x02: "double press", 0x03: "triple press", 0x04: "long press",
    0x05: "long double press", 0x06: "long triple press", 0x80: "hold press",
  ])

  /// Name and form of the objects, by their identifiers.
  private static let objects: [UInt8: (name: String, form: Form)] = [
    0x00: ("packet", unsigned(1)), 0x01: ("battery", unsigned(1, "%")),
    0x02: ("temperature", signed(2, over: 100, "°C")),
    0x03: ("humidity", unsigned(2, over: 100, "%")),
    0x04: ("pressure", unsigned(3, over: 100, "hPa")),
    0x05: ("illuminance", unsigned(3, over: 100, "lx")),
    0x06: ("mass", unsigned(2, over: 100, "kg")), 0x07: ("mass", unsigned(2, over: 100, "lb")),
    0x08: ("dew-point", signed(2, over: 100, "°C")), 0x09: ("count", unsigned(1)),
    0x0a: ("energy", unsigned(3, over: 1000, "kWh")),
    0x0b: ("power", unsigned(3, over: 100, "W")),
    0x0c: ("voltage", unsigned(2, over: 1000, "V")), 0x0d: ("pm2.5", unsigned(2, "µg/m³")),
    0x0e: ("pm10", unsigned(2, "µg/m³")), 0x0f: ("generic", onOff), 0x10: ("power-state", onOff),
    0x11: ("opening", open), 0x12: ("co2", unsigned(2, "ppm")),
    0x13: ("tvoc", unsigned(2, "µg/m³")), 0x14: ("moisture", unsigned(2, over: 100, "%")),
    0x15: ("battery-state", .state("normal", "low")),
    0x16: ("battery-charging", .state("not charging", "charging")),
    0x17: ("carbon-monoxide", .state("not detected", "detected")),
    0x18: ("cold", .state("normal", "cold")),
    0x19: ("connectivity", .state("disconnected", "connected")), 0x1a: ("door", open),
    0x1b: ("garage-door", open), 0x1c: ("gas-state", detected),
    0x1d: ("heat", .state("normal", "hot")), 0x1e: ("light", .state("no light", "light detected")),
    0x1f: ("lock", .state("locked", "unlocked")),
    0x20: ("moisture-state", .state("dry", "wet")), 0x21: ("motion", detected),
    0x22: ("moving", .state("not moving", "moving")), 0x23: ("occupancy", detected),
    0x24: ("plug", .state("unplugged", "plugged in")), 0x25: ("presence", .state("away", "home")),
    0x26: ("problem", .state("ok", "problem")),
    0x27: ("running", .state("not running", "running")),
    0x28: ("safety", .state("unsafe", "safe")), 0x29: ("smoke", detected),
    0x2a: ("sound", detected), 0x2b: ("tamper", onOff), 0x2c: ("vibration", detected),
    0x2d: ("window", open), 0x2e: ("humidity", unsigned(1, "%")),
    0x2f: ("moisture", unsigned(1, "%")), 0x3a: ("button", .named(buttons)),
    0x3b: ("command", .command), 0x3c: ("dimmer", .dimmer),
    0x3d: ("count", unsigned(2)), 0x3e: ("count", unsigned(4)),
    0x3f: ("rotation", signed(2, over: 10, "°")), 0x40: ("distance", unsigned(2, "mm")),
    0x41: ("distance", unsigned(2, over: 10, "m")),
    0x42: ("duration", unsigned(3, over: 1000, "s")),
    0x43: ("current", unsigned(2, over: 1000, "A")),
    0x44: ("speed", unsigned(2, over: 100, "m/s")),
    0x45: ("temperature", signed(2, over: 10, "°C")), 0x46: ("uv-index", unsigned(1, over: 10)),
    0x47: ("volume", unsigned(2, over: 10, "l")), 0x48: ("volume", unsigned(2, "ml")),
    0x49: ("flow-rate", unsigned(2, over: 1000, "m³/h")),
    0x4a: ("voltage", unsigned(2, over: 10, "V")), 0x4b: ("gas", unsigned(3, over: 1000, "m³")),
    0x4c: ("gas", unsigned(4, over: 1000, "m³")),
    0x4d: ("energy", unsigned(4, over: 1000, "kWh")),
    0x4e: ("volume", unsigned(4, over: 1000, "l")), 0x4f: ("water", unsigned(4, over: 1000, "l")),
    0x50: ("timestamp", unsigned(4, "s since 1970")),
    0x51: ("acceleration", unsigned(2, over: 1000, "m/s²")),
    0x52: ("gyroscope", unsigned(2, over: 1000, "°/s")), 0x53: ("text", .text),
    0x54: ("raw", .raw), 0x55: ("volume-storage", unsigned(4, over: 1000, "l")),
    0x56: ("conductivity", unsigned(2, "µS/cm")), 0x57: ("temperature", signed(1, "°C")),
    0x58: ("temperature", signed(1, step: 35, over: 100, "°C")), 0x59: ("count", signed(1)),
    0x5a: ("count", signed(2)), 0x5b: ("count", signed(4)),
    0x5c: ("power", signed(4, over: 100, "W")), 0x5d: ("current", signed(2, over: 1000, "A")),
    0x5e: ("direction", unsigned(2, over: 100, "°")),
    0x5f: ("precipitation", unsigned(2, over: 10, "mm")), 0x60: ("channel", unsigned(1)),
    0x61: ("rotational-speed", unsigned(2, "rpm")),
    0x62: ("speed", signed(4, over: 1_000_000, "m/s")),
    0x63: ("acceleration", signed(4, over: 1_000_000, "m/s²")),
    0x64: ("light-level", .named(Names(["dark", "twilight", "bright"]))),
    0x65: ("settings-revision", unsigned(1)),
    0xf0: ("device-type", unsigned(2)), 0xf1: ("firmware", .version(octets: 4)),
    0xf2: ("firmware", .version(octets: 3)),
  ]
}

// MARK: Version 1: objects that have their lengths

extension BTHome {
  /// The UUID of User Data, which version 1 borrows for its service data.
  private static let firstService = BluetoothUUID(short: 0x181c)

  private static let timestamp: UInt8 = 0x50

  /// The type of an object, in the upper three bits of its first byte.
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
        let octets = try reader.bytes(Int(head & 0x1f), "object").indices
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
    // A time is a whole number, in whatever form it is sent.
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
