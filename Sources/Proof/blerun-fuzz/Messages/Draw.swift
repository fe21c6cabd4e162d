// Draws valid and invalid values, names and paths for messages.

import DBus
import Glibc
import Signals

struct Draw {
  /// Existing and missing objects of the simulator.
  let paths: [ObjectPath]
  var generator: SeededGenerator

  private static let strings = [
    "", "a", "le", "auto", "bredr", "reliable", "command", "request", "KeyboardDisplay", "x\u{0}",
    "org.bluez.Device1", "Connected", "é🦷", "0000180f-0000-1000-8000-00805f9b34fb", "180f",
    "C0:FF:EE:00:00:01", "00:00:00:00:00:00", "none", "device", ":1.1", "org.bluez",
  ]

  /// Made once, because creating them costs more than everything done with them.
  private static let longStrings = [255, 4_096, 70_000].map { String(repeating: "x", count: $0) }

  static let keys = [
    "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern", "offset",
    "mtu", "device", "type", "prepare-authorize", "link", "Address", "AddressType", "", "Unknown",
  ]

  mutating func string() -> String {
    switch generator.index(12) {
    case 0: generator.pick(Self.longStrings)
    case 1: generator.pick(paths).text
    case 2: String(generator.next(), radix: 36)
    default: generator.pick(Self.strings)
    }
  }

  mutating func path() -> ObjectPath {
    let path = generator.pick(paths)
    switch generator.index(12) {
    case 0: return path.parent ?? .root
    case 1: return (try? path.appending(generator.pick(["x", "service0001", "_", "char"]))) ?? path
    case 2: return (try? ObjectPath(String(path.text.dropLast()))) ?? path
    default: return path
    }
  }

  mutating func integer() -> UInt64 {
    generator.pick([0, 1, 2, 23, 127, 128, 255, 512, 513, 65_535, 65_536, 1 << 31, .max, 1 << 63])
  }

  /// Draws options: known and unknown keys, with values of the right and of wrong types.
  mutating func options(depth: Int = 2) -> DBusValue {
    var properties = PropertyMap()
    for _ in 0..<generator.pick([0, 0, 1, 1, 2, 5, 40]) {
      properties[generator.hits(1, in: 8) ? string() : generator.pick(Self.keys)] =
        value(depth: depth)
    }
    return .properties(properties)
  }

  /// Draws a value of any type.
  mutating func value(depth: Int = 3) -> DBusValue {
    let number = integer()
    switch generator.index(depth > 0 ? 18 : 11) {
    case 0: return .byte(UInt8(truncatingIfNeeded: number))
    case 1: return .boolean(number % 2 == 0)
    case 2: return .int16(Int16(truncatingIfNeeded: number))
    case 3: return .uint16(UInt16(truncatingIfNeeded: number))
    case 4: return .int32(Int32(truncatingIfNeeded: number))
    case 5: return .uint32(UInt32(truncatingIfNeeded: number))
    case 6: return generator.hits(1, in: 2) ? .uint64(number) : .int64(Int64(bitPattern: number))
    case 7: return .double(generator.pick([0, -1, .nan, .infinity, 1e308, 0.5]))
    case 8: return .string(string())
    case 9: return .objectPath(path())
    case 10: return bytes()
    case 11: return .variant(of: value(depth: depth - 1))
    case 12: return options(depth: depth - 1)
    case 13:
      let strings = (0..<generator.pick([0, 1, 3, 300])).map { _ in string() }
      return .strings(strings.map { String($0.prefix(64)) })
    case 14: return .objectPaths((0..<generator.pick([0, 1, 20])).map { _ in path() })
    case 15:
      let fields = (0...generator.index(3)).map { _ in value(depth: depth - 1) }
      return (try? .structure(of: fields)) ?? .boolean(true)
    case 16: return descriptor()
    default:
      let element = value(depth: depth - 1)
      let elements = Array(repeating: element, count: generator.pick([0, 1, 2, 30]))
      return (try? DBusArray(element.signature, elements)).map { .array($0) } ?? .byte(0)
    }
  }

  mutating func bytes() -> DBusValue {
    let count = generator.pick([0, 1, 2, 20, 23, 244, 512, 513, 4_096, 70_000])
    return .bytes([UInt8](repeating: UInt8(truncatingIfNeeded: generator.next()), count: count))
  }

  private mutating func descriptor() -> DBusValue {
    let descriptor = open("/dev/null", O_RDWR | O_CLOEXEC)
    return descriptor >= 0 ? .unixFD(UnixFD(owning: descriptor)) : .boolean(false)
  }
}
