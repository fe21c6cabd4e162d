// `keys`: the keys with which devices encrypt what they advertise, in a file of names.
//
// No message has a key in it, nor a text that may be one.

import Bluetooth
import Documents

extension Shape where Value == [BindKey] {
  static var bindKeys: Self {
    let key = JSONValue.object([
      .init("type", .string("string")), .init("pattern", .string("^[0-9A-Fa-f]{32}$")),
    ])
    return Shape(
      "devices with their keys",
      schema: .object([.init("type", .string("object")), .init("additionalProperties", key)]),
      words: { _ in [] }
    ) { node, reader in reader.bindKeys(node) }
  }
}

extension StepReader {
  private static let expectedKey = "a key of 16 bytes: 32 hexadecimal digits"

  /// The keys of a mapping. No path of an error names a device, which may be a key in the wrong place.
  fileprivate mutating func bindKeys(_ node: Node) -> [BindKey]? {
    guard let entries = node.mapping else {
      complain(node, Problem(found: node.kind, expected: "devices with their keys"))
      return nil
    }
    guard entries.count <= limits.names else {
      complain(node, Problem("more than \(limits.names) keys"))
      return nil
    }
    var owners: [BindKey.Device: Place] = [:]
    return entries.compactMap { entry in
      do throws(Problem) {
        let device = try Self.device(entry)
        if let first = owners.updateValue(entry.keyPlace, forKey: device) {
          throw Problem("a device has two keys, the first at \(first)", at: entry.keyPlace)
        }
        return try Self.key(entry.value, of: device)
      } catch {
        problems.append(error.at(error.place, path: node.path))
        return nil
      }
    }
  }

  private static func key(_ node: Node, of device: BindKey.Device) throws(Problem) -> BindKey {
    guard let digits = node.text else {
      throw Problem(found: node.kind, expected: expectedKey, at: node.place)
    }
    do {
      return try BindKey(digits, of: device)
    } catch {
      throw Problem("\(error)", expected: expectedKey, at: node.place)
    }
  }

  /// An address, else a name.
  private static func device(_ entry: Node.Entry) throws(Problem) -> BindKey.Device {
    let text = entry.key
    if let address = BluetoothAddress(text) { return .address(address) }
    let digits = text.filter { $0 != ":" && $0 != "-" }
    let isHexadecimal = digits.allSatisfy(\.isHexDigit)
    if isHexadecimal, digits.count >= 24 {
      // Not quoted: it may be a key.
      let expected = "its address or name, then the key"
      throw Problem("the device comes first", expected: expected, at: entry.keyPlace)
    }
    if text.isEmpty || isHexadecimal && text.contains(":") {
      let expected = "\(BluetoothAddress.expected), or a name"
      throw Problem(found: "'\(text)'", expected: expected, at: entry.keyPlace)
    }
    return .name(text)
  }
}
