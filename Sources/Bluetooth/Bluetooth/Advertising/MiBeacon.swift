// MiBeacon, of Xiaomi's devices: measurements and events in service data.

/// - Source: "MiBeacon" and "Object" (github.com/MiEcosystem/miio_open).
enum MiBeacon {
  /// What comes before the objects, and these.
  struct Head {
    /// Which parts there are, and the version.
    private let control: UInt16
    let product: UInt16
    let counter: UInt8
    let address: BluetoothAddress?
    private let all: [UInt8]
    /// What follows.
    let rest: ArraySlice<UInt8>

    var version: UInt16 { control >> 12 }
    var hasObjects: Bool { control & 0x40 != 0 }
    /// Without objects there is nothing to encrypt.
    var isEncrypted: Bool { control & 0x08 != 0 && hasObjects }

    /// - Returns: Nil for data of another service, and for data that is too short.
    init?(_ service: BluetoothUUID, _ data: [UInt8]) {
      guard service == BluetoothUUID(short: 0xfe95) else { return nil }
      var reader = OctetReader(data)
      do throws(ValueError) {
        control = try reader.uint16("control")
        product = try reader.uint16("product")
        counter = try reader.byte("counter")
        address =
          control & 0x10 == 0
          ? nil : BluetoothAddress(reversed: try reader.take(6, "address"))
        // Of the capabilities, one bit announces two further bytes.
        if control & 0x20 != 0, try reader.byte("capability") & 0x20 != 0 {
          _ = try reader.take(2, "io-capability")
        }
      } catch {
        return nil
      }
      all = data
      rest = data[reader.position...]
    }

    /// The octets of the head, with another bit about encryption.
    func octets(isEncrypted: Bool) -> [UInt8] {
      var head = all.dropLast(rest.count)
      head[0] = isEncrypted ? head[0] | 0x08 : head[0] & ~0x08
      return Array(head)
    }
  }

  /// Decodes the objects; nil when the data is encrypted or malformed.
  ///
  /// An unknown object, and one that is too long or too short, is bytes under its number.
  static func frame(_ service: BluetoothUUID, _ data: [UInt8]) -> AdvertisedFormat? {
    guard let head = Head(service, data), !head.isEncrypted else { return nil }
    var fields = BTHome.Fields()
    if head.hasObjects {
      var reader = OctetReader(data, head.rest.indices)
      do throws(ValueError) {
        while !reader.isAtEnd {
          let number = try reader.uint16("object")
          let octets = try reader.take(Int(try reader.byte("length")), "object")
          let known = decoded(number, OctetReader(data, octets.indices))
          for field in known ?? [.octets("object-\(digits(number))", octets)] {
            fields.append(field)
          }
        }
      } catch {
        return nil
      }
    } else if !head.rest.isEmpty {
      fields.append(.octets("rest", head.rest))
    }
    fields.append(.init("product", .text(digits(head.product))))
    fields.append(.integer("sequence", head.counter))
    if let address = head.address { fields.append(.init("address", .text("\(address)"))) }
    return AdvertisedFormat(.miBeacon, fields.list)
  }

  private static func digits(_ number: UInt16) -> String {
    hexadecimal(UInt8(number >> 8)) + hexadecimal(UInt8(number & 0xff))
  }

  private static func decoded(_ number: UInt16, _ object: OctetReader) -> [AdvertisedField]? {
    guard let forms = objects[number] else { return nil }
    var reader = object
    var fields: [AdvertisedField] = []
    do throws(ValueError) {
      for (name, form) in forms { fields.append(try BTHome.read(form, name, &reader)) }
    } catch {
      return nil
    }
    return reader.isAtEnd ? fields : nil
  }

  // MARK: Objects

  private static func unsigned(
    _ octets: Int, over: Int64 = 1, _ unit: String? = nil
  ) -> BTHome.Form { .number(octets: octets, signed: false, step: 1, over: over, unit: unit) }

  private static func signed(_ octets: Int, over: Int64, _ unit: String) -> BTHome.Form {
    .number(octets: octets, signed: true, step: 1, over: over, unit: unit)
  }

  private static let presses = Names(["press", "double press", "long press", "triple press"])
  private static let doors = Names([
    "open", "closed", "left open", "knock", "forced", "stuck",
  ])
  private static let smoke = Names(["clear", "detected", "fault", "self-test", "drill"])
  private static let gas = Names([
    "clear", "detected", "fault", "worn out", "warming up", "self-test", "drill",
  ])

  /// The fields of the objects, by their identifiers.
  private static let objects: [UInt16: [(name: String, form: BTHome.Form)]] = [
    0x0007: [("door", .named(doors))], 0x000a: [("temperature", signed(2, over: 100, "°C"))],
    0x000c: [("flooding", .state("clear", "detected"))], 0x000d: [("smoke", .named(smoke))],
    0x000e: [("gas", .named(gas))], 0x000f: [("motion-illuminance", unsigned(3, "lx"))],
    0x1001: [("button", unsigned(2)), ("press", .named(presses))],
    0x1002: [("sleep", .state("awake", "asleep"))],
    0x1004: [("temperature", signed(2, over: 10, "°C"))],
    0x1006: [("humidity", unsigned(2, over: 10, "%"))],
    0x1007: [("illuminance", unsigned(3, "lx"))],
    0x1008: [("moisture", unsigned(1, "%"))], 0x1009: [("conductivity", unsigned(2, "µS/cm"))],
    0x100a: [("battery", unsigned(1, "%"))],
    0x100d: [
      ("temperature", signed(2, over: 10, "°C")), ("humidity", unsigned(2, over: 10, "%")),
    ],
    0x100f: [("door", .named(Names([0: "open", 1: "closed", 0xff: "abnormal"])))],
    0x1010: [("formaldehyde", unsigned(2, over: 100, "mg/m³"))],
    0x1012: [("switch", .state("off", "on"))], 0x1013: [("consumable", unsigned(1, "%"))],
    0x1014: [("flooding", .state("clear", "detected"))],
    0x1015: [("smoke", .named(Names(["clear", "detected", "fault"])))],
    0x1016: [("gas", .state("clear", "detected"))], 0x1017: [("no-motion", unsigned(4, "s"))],
    0x1018: [("light", .state("weak", "strong"))],
    0x1019: [("opening", .named(Names(["open", "closed", "left open", "reset"])))],
    0x101a: [("mass", unsigned(2, "g"))], 0x101b: [("motion", .state("detected", "clear"))],
    // Of thermometers with the properties of MIoT.
    0x4803: [("battery", unsigned(1, "%"))], 0x4c01: [("temperature", .float(unit: "°C"))],
    0x4c02: [("humidity", unsigned(1, "%"))], 0x4c03: [("battery", unsigned(1, "%"))],
    0x4c08: [("humidity", .float(unit: "%"))],
  ]
}
