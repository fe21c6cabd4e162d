// Many devices of one description.

import Bluetooth
import Documents

extension DeviceReader {
  /// The device of a node, or with `count` that many copies.
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

  /// How many digits the number of a copy has, with what parts it from the name.
  static let digits = 5

  /// So many of a device, with numbers in their names, at addresses that count up.
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
    // The last one has the longest name.
    var longest = device
    longest.name = device.name.map { Self.name($0, number: count) }
    checkSizes(of: longest, node)
    return (0..<count).map { index in
      var copy = device
      copy.address = BluetoothAddress(number: device.address.number + UInt64(index))
      copy.name = device.name.map { Self.name($0, number: index + 1) }
      // Without a # it is the name of the model, which all have.
      if let name = device.gapName, name.contains("#") {
        copy.gapName = Self.name(name, number: index + 1)
      }
      return copy
    }
  }

  /// `#` is the number; without one it is put behind, in the place of a number.
  private static func name(_ name: String, number: Int) -> String {
    if let place = name.firstIndex(of: "#") {
      return name[..<place] + "\(number)" + name[name.index(after: place)...]
    }
    var base = name[...]
    while base.last?.isASCII == true, base.last?.isNumber == true { base = base.dropLast() }
    return base + (base.count == name.count ? "-" : "") + "\(number)"
  }
}
