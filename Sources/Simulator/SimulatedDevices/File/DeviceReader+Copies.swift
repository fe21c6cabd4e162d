// Several devices from one description, with the key `count`.

import Bluetooth
import Documents

extension DeviceReader {
  /// Reads a device, or with `count` that many copies of it.
  mutating func copies(_ node: Node) -> [DeviceDefinition] {
    let entry = entry(node)
    guard let count = entry.count else {
      checkSizes(of: entry.device, node)
      return [entry.device]
    }
    if let name = entry.device.name, name.utf8.count > FileLimits.name - Self.digits {
      problems.append(
        node.problem("with a number the name is longer than \(FileLimits.name) bytes")
      )
    }
    return copies(of: entry.device, count: count, node)
  }

  /// The bytes that a name needs for the number of a copy: a hyphen and four digits.
  static let digits = 5

  /// Copies a device `count` times, with numbered names and consecutive addresses.
  mutating func copies(
    of device: DeviceDefinition, count: Int, _ node: Node
  ) -> [DeviceDefinition] {
    let last: UInt64 = 0xffff_ffff_ffff
    guard UInt64(count - 1) <= last - device.address.number else {
      problems.append(
        node.problem(
          "count \(count) from address \(device.address) goes beyond "
            + "\(BluetoothAddress(number: last)): lower the address or the count"
        )
      )
      return [device]
    }
    // The last copy has the longest name.
    var longest = device
    longest.name = device.name.map { Self.name($0, number: count) }
    checkSizes(of: longest, node)
    return (0..<count).map { index in
      var copy = device
      copy.address = BluetoothAddress(number: device.address.number + UInt64(index))
      copy.name = device.name.map { Self.name($0, number: index + 1) }
      // A `gap-name` without `#` is a model name, which all copies share.
      if let name = device.gapName, name.contains("#") {
        copy.gapName = Self.name(name, number: index + 1)
      }
      return copy
    }
  }

  /// Replaces `#` by the number. Without `#` the number replaces the digits at the end of the name,
  /// or is appended.
  private static func name(_ name: String, number: Int) -> String {
    if let place = name.firstIndex(of: "#") {
      return name[..<place] + "\(number)" + name[name.index(after: place)...]
    }
    var base = name[...]
    while base.last?.isASCII == true, base.last?.isNumber == true { base = base.dropLast() }
    return base + (base.count == name.count ? "-" : "") + "\(number)"
  }
}
