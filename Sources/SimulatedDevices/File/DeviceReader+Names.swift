// `names` of device and scenario files: names for the UUIDs of vendors, as in chains.
//
// The rules for a single name are in Bluetooth.

import Bluetooth
import Documents

extension DeviceReader {
  /// Names for UUIDs. They are known to whatever is read after them.
  static func namesKey<Payload>(_ doc: String) -> DeviceKey<Payload> {
    DeviceKey("names", names, usual: "none", doc) { _, _, _ in }
  }

  private static let names: DeviceShape<AttributeNames> = {
    let uuid = "[0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    let schema = Schema([
      "type": "object", "propertyNames": ["pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$"],
      "additionalProperties": [
        "type": ["string", "integer"], "pattern": .text("^(0[xX])?(\(uuid))$"),
      ],
    ])
    return DeviceShape("names with their UUIDs", schema: schema.named("attributeNames")) {
      node,
      reader in reader.names(node)
    }
  }()

  /// The names of a mapping, before those that are known already; nil for another node.
  private mutating func names(_ node: Node) -> AttributeNames? {
    guard let entries = node.mapping else { return nil }
    if entries.count > FileLimits.names {
      problems.append(node.problem("more than \(FileLimits.names) names"))
      return attributeNames
    }
    var read: [AttributeName] = []
    for entry in entries {
      guard let uuid = entry.value.text.flatMap({ BluetoothUUID($0) }) else {
        problems.append(entry.value.problem(expected: "a UUID of 4, 8 or 32 digits"))
        continue
      }
      do throws(InvalidAttributeName) {
        let name = try AttributeName(entry.key, uuid)
        if let first = read.first(where: { $0.uuid == uuid }) {
          let problem = "\(uuid) has two names; the first is '\(first.name)'"
          problems.append(self.name(entry).problem(problem))
        } else if read.contains(where: { $0.name.lowercased() == name.name.lowercased() }) {
          problems.append(self.name(entry).problem("duplicate name '\(name.name)'"))
        } else {
          read.append(name)
        }
      } catch {
        problems.append(self.name(entry).problem("\(error)"))
      }
    }
    attributeNames = AttributeNames(read, over: attributeNames)
    return attributeNames
  }
}
