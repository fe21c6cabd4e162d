// The objects of BTHome; both versions have the same numbers.

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
  static let objects: [UInt8: (name: String, form: Form)] = [
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
