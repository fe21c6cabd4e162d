// `keys`: the keys with which devices encrypt what they advertise, in a file of names.
//
// No message has a key in it, nor a text that may be one.

import Bluetooth
import Documents

extension Shape where Value == [BindKey] {
  /// Devices with their keys.
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

  /// The keys of a mapping.
  fileprivate mutating func bindKeys(_ node: Node) -> [BindKey]? {
    guard let entries = node.mapping else {
      complain(
        node,
        Problem(found: node.kind, expected: "devices with their keys")
      )
      return nil
    }
    guard entries.count <= limits.names else {
      complain(node, Problem("more than \(limits.names) keys"))
      return nil
    }
    var owners: [BindKey.Device: Node.Entry] = [:]
    return entries.compactMap { entry in
      guard let device = device(entry, of: node) else { return nil }
      if let first = owners.updateValue(entry, forKey: device) {
        complain(
          entry,
          of: node,
          Problem("a device has two keys, the first at \(first.keyPlace)")
        )
        return nil
      }
      guard let digits = entry.value.text else {
        complain(
          valueOf: entry,
          of: node,
          Problem(found: entry.value.kind, expected: Self.expectedKey)
        )
        return nil
      }
      do {
        return try BindKey(digits, of: device)
      } catch {
        complain(valueOf: entry, of: node, Problem("\(error)", expected: Self.expectedKey))
        return nil
      }
    }
  }

  /// An address, else a name; nil after an error.
  private mutating func device(_ entry: Node.Entry, of node: Node) -> BindKey.Device? {
    let text = entry.key
    if let address = BluetoothAddress(text) { return .address(address) }
    let digits = text.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "-") }
    let isHexadecimal = digits.allSatisfy {
      Character(Unicode.Scalar($0)).isHexDigit
    }
    if isHexadecimal, digits.count >= 24 {
      // Not quoted: it may be a key.
      complain(
        entry,
        of: node,
        Problem("the device comes first", expected: "its address or name, then the key")
      )
      return nil
    }
    if text.isEmpty || isHexadecimal && text.contains(":") {
      complain(
        entry,
        of: node,
        Problem(found: "'\(text)'", expected: "\(BluetoothAddress.expected), or a name")
      )
      return nil
    }
    return .name(text)
  }

  /// An error about the key of an entry. The path does not name the device, which may be the key.
  private mutating func complain(
    valueOf entry: Node.Entry,
    of node: Node,
    _ complaint: Problem
  ) {
    problems.append(complaint.at(entry.value.place, path: node.path))
  }

  /// An error about the device of an entry, which may be a key in the wrong place.
  private mutating func complain(_ entry: Node.Entry, of node: Node, _ complaint: Problem) {
    problems.append(complaint.at(entry.keyPlace, path: node.path))
  }
}
