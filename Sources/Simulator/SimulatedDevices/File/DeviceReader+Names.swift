// `names` of device and scenario files: names for the UUIDs of vendors, as in chains.
//
// The rules for names are in Bluetooth.

import Bluetooth
import Descriptions
import Documents

extension DeviceReader {
  /// The key `names`. Keys after it may use these names.
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

  /// Reads names, which take precedence over the known ones; nil if the node is not a mapping.
  private mutating func names(_ node: Node) -> AttributeNames? {
    guard let entries = node.mapping else { return nil }
    if entries.count > FileLimits.names {
      problems.append(node.problem("more than \(FileLimits.names) names"))
      return attributeNames
    }
    let (names, problems, warnings) = AttributeNames.read(
      entries, over: attributeNames, mayShadow: true
    )
    self.problems += problems
    self.warnings += warnings
    attributeNames = names
    return attributeNames
  }
}
