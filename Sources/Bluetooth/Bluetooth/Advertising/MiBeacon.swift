// Xiaomi's MiBeacon: measurements and events in service data.

/// - Source: "MiBeacon" and "Object" (github.com/MiEcosystem/miio_open).
enum MiBeacon {
  /// A parsed frame: the head before the objects, and the bytes of the objects.
  struct Head {
    /// Flags for the parts of the head, and the version in the upper four bits.
    private let control: UInt16
    let product: UInt16
    let counter: UInt8
    let address: BluetoothAddress?
    private let all: [UInt8]
    /// The bytes after the head: the objects.
    let rest: ArraySlice<UInt8>

    var version: UInt16 { control >> 12 }
    var hasObjects: Bool { control & 0x40 != 0 }
    /// A frame without objects has nothing to encrypt.
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
          ? nil : BluetoothAddress(reversed: try reader.bytes(6, "address"))
        // One bit of the capabilities announces two further bytes.
        if control & 0x20 != 0, try reader.byte("capability") & 0x20 != 0 {
          _ = try reader.bytes(2, "io-capability")
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
  /// An unknown object, and one that is too long or too short, is bytes under its number. The field
  /// `rest` has an object that is cut off, unless it is the first, and the bytes that some devices
  /// send after the last object.
  static func frame(_ service: BluetoothUUID, _ data: [UInt8]) -> AdvertisedFormat? {
    guard let head = Head(service, data), !head.isEncrypted else { return nil }
    var fields = BTHome.Fields()
    if head.hasObjects {
      guard let objects = self.fields(in: data, head.rest.indices) else { return nil }
      fields = objects
    } else if !head.rest.isEmpty {
      fields.append(.octets("rest", head.rest))
    }
    fields.append(.init("product", .text(digits(head.product))))
    fields.append(.integer("sequence", head.counter))
    if let address = head.address { fields.append(.init("address", .text("\(address)"))) }
    return AdvertisedFormat(.miBeacon, fields.list)
  }

  /// The fields of the objects in a part of the data; nil when the first one is cut off.
  private static func fields(in data: [UInt8], _ part: Range<Int>) -> BTHome.Fields? {
    var fields = BTHome.Fields()
    var reader = OctetReader(data, part)
    var rest: [UInt8] = []
    do throws(ValueError) {
      while !reader.isAtEnd {
        rest = reader.rest
        let number = try reader.uint16("object")
        let octets = try reader.bytes(Int(try reader.byte("length")), "object")
        let known = decoded(number, OctetReader(data, octets.indices))
        for field in known ?? [.octets("object-\(digits(number))", octets)] {
          fields.append(field)
        }
        rest = []
      }
    } catch {
      guard !fields.list.isEmpty else { return nil }
    }
    if !rest.isEmpty { fields.append(.octets("rest", rest)) }
    return fields
  }

  private static func digits(_ number: UInt16) -> String {
    hexadecimal(UInt8(number >> 8)) + hexadecimal(UInt8(number & 0xff))
  }

  /// The fields of an object, in the first of its forms that takes all of its bytes.
  private static func decoded(_ number: UInt16, _ object: OctetReader) -> [AdvertisedField]? {
    if number == 0x000b { return lock(object) }
    return objects[number]?.lazy.compactMap { fields($0, object) }.first
  }

  private static func fields(_ form: ObjectForm, _ object: OctetReader) -> [AdvertisedField]? {
    var reader = object
    var fields: [AdvertisedField] = []
    do throws(ValueError) {
      for (name, form) in form { fields.append(try BTHome.read(form, name, &reader)) }
    } catch {
      return nil
    }
    return reader.isAtEnd ? fields : nil
  }

  /// An event of a lock: one byte with the action and the method, then the key, and the time.
  private static func lock(_ object: OctetReader) -> [AdvertisedField]? {
    var reader = object
    do throws(ValueError) {
      let event = UInt64(try reader.byte("lock"))
      let fields: [AdvertisedField] = [
        .init("lock", .text(lockActions.name(event & 0xf))),
        .init("method", .text(lockMethods.name(event >> 4))),
        try BTHome.read(unsigned(4), "key", &reader),
        try BTHome.read(time.form, time.name, &reader),
      ]
      return reader.isAtEnd ? fields : nil
    } catch {
      return nil
    }
  }

  // MARK: Objects

  private static func unsigned(
    _ octets: Int, over: Int64 = 1, _ unit: String? = nil
  ) -> BTHome.Form { .number(octets: octets, signed: false, step: 1, over: over, unit: unit) }

  private static func signed(_ octets: Int, over: Int64, _ unit: String) -> BTHome.Form {
    .number(octets: octets, signed: true, step: 1, over: over, unit: unit)
  }

  /// The fields of one form of an object, in order.
  private typealias ObjectForm = [(name: String, form: BTHome.Form)]

  private static let time: (name: String, form: BTHome.Form) = (
    "timestamp", unsigned(4, "s since 1970")
  )

  private static let presses = Names(["press", "double press", "long press", "triple press"])
  private static let doors = Names([
    "open", "closed", "left open", "knock", "forced", "stuck",
  ])
  private static let smoke = Names(["clear", "detected", "fault", "self-test", "drill"])
  private static let gas = Names([
    "clear", "detected", "fault", "worn out", "warming up", "self-test", "drill",
  ])
  private static let fingerprints = Names([
    "match", "no match", "timeout", "low quality", "insufficient area", "skin too dry",
    "skin too wet",
  ])
  private static let lockActions = Names([
    0: "unlocked outside", 1: "locked", 2: "anti-lock on", 3: "anti-lock off",
    4: "unlocked inside", 5: "locked inside", 6: "child lock on", 7: "child lock off",
    8: "locked outside", 15: "abnormal",
  ])
  private static let lockMethods = Names([
    0: "Bluetooth", 1: "password", 2: "biometrics", 3: "key", 4: "turntable", 5: "NFC",
    6: "one-time password", 7: "two-step verification", 8: "coercion", 9: "HomeKit", 10: "manual",
    11: "automatic", 15: "abnormal",
  ])
  private static let brushing = BTHome.Form.state("started", "ended")
  private static let detected = BTHome.Form.state("clear", "detected")
  private static let battery: ObjectForm = [("battery", unsigned(1, "%"))]
  private static let batteryState: ObjectForm = [("battery-state", .state("normal", "low"))]
  private static let opening = BTHome.Form.named(Names([1: "open", 2: "closed"]))

  /// The forms of the objects, by their identifiers. Devices leave out some fields at the end.
  private static let objects: [UInt16: [ObjectForm]] = [
    0x0006: [[("key", unsigned(4)), ("fingerprint", .named(fingerprints))]],
    0x0007: [[("door", .named(doors))], [("door", .named(doors)), time]],
    0x0008: [
      [("alarm", .state("armed", "disarmed"))], [("alarm", .state("armed", "disarmed")), time],
    ],
    0x000a: [[("temperature", signed(2, over: 100, "°C"))]],
    0x000c: [[("flooding", detected)]], 0x000d: [[("smoke", .named(smoke))]],
    0x000e: [[("gas", .named(gas))]], 0x000f: [[("motion-illuminance", unsigned(3, "lx"))]],
    0x0010: [[("brushing", brushing)], [("brushing", brushing), ("counter", unsigned(1))]],
    0x1001: [[("button", unsigned(2)), ("press", .named(presses))]],
    0x1002: [[("sleep", .state("awake", "asleep"))]],
    0x1004: [[("temperature", signed(2, over: 10, "°C"))]],
    0x1005: [[("switch", .state("off", "on")), ("temperature", unsigned(1, "°C"))]],
    0x1006: [[("humidity", unsigned(2, over: 10, "%"))]],
    0x1007: [[("illuminance", unsigned(3, "lx"))]],
    0x1008: [[("moisture", unsigned(1, "%"))]],
    0x1009: [[("conductivity", unsigned(2, "µS/cm"))]], 0x100a: [battery],
    0x100d: [
      [("temperature", signed(2, over: 10, "°C")), ("humidity", unsigned(2, over: 10, "%"))]
    ],
    0x100f: [[("door", .named(Names([0: "open", 1: "closed", 0xff: "abnormal"])))]],
    0x1010: [[("formaldehyde", unsigned(2, over: 100, "mg/m³"))]],
    0x1012: [[("switch", .state("off", "on"))]], 0x1013: [[("consumable", unsigned(1, "%"))]],
    0x1014: [[("flooding", detected)]],
    0x1015: [[("smoke", .named(Names(["clear", "detected", "fault"])))]],
    0x1016: [[("gas", detected)]], 0x1017: [[("no-motion", unsigned(4, "s"))]],
    0x1018: [[("light", .state("weak", "strong"))]],
    0x1019: [[("opening", .named(Names(["open", "closed", "left open", "reset"])))]],
    0x101a: [[("mass", unsigned(2, "g"))]],
    0x101b: [[("motion", .state("detected", "clear"))], [("no-motion", unsigned(4, "s"))]],
    0x3003: [
      [("brushing", brushing), time], [("brushing", brushing), time, ("score", unsigned(1))],
    ],
    // Objects of devices with MIoT properties and events.
    0x4803: [battery], 0x4804: [[("opening", opening)]],
    0x4805: [[("illuminance", .float(unit: "lx"))]], 0x4806: [[("flooding", detected)]],
    0x4818: [[("no-motion", unsigned(2, "s"))]], 0x4a01: [batteryState],
    0x4a08: [[("motion-illuminance", .float(unit: "lx"))]],
    0x4a0f: [[("forced", .state("no", "yes"))]], 0x4a12: [[("opening", opening)]],
    0x4a1a: [[("left-open", .state("no", "yes"))]],
    0x4c01: [[("temperature", .float(unit: "°C"))]], 0x4c02: [[("humidity", unsigned(1, "%"))]],
    0x4c03: [battery], 0x4c08: [[("humidity", .float(unit: "%"))]], 0x4e01: [batteryState],
  ]
}
