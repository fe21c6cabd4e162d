// `names` of device and scenario files: names for the UUIDs of vendors, as in chains.
//
// The rules for names are in Bluetooth.

import Bluetooth
import Descriptions
import Documents

extension DeviceReader {
  /// Names for UUIDs. They are known to whatever is read after them.
  static func namesKey<Payload>(_ doc: String) -> DeviceKey<Payload> {
    DeviceKey("names", names, usual: "none", doc) { _, _, _ in }
  }

  private static let names: DeviceShape<AttributeNames> = {
    let value: JSONValue = .anyOf([DescriptionSchema.uuid, .reference("valueDescription")])
    let schema = Schema(
      [
        "type": "object", "propertyNames": ["pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$"],
        "additionalProperties": value,
      ],
      definitions: DescriptionSchema.definitions
    )
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
    let (names, problems) = AttributeNames.read(entries, over: attributeNames)
    self.problems += problems
    attributeNames = names
    return attributeNames
  }
}
