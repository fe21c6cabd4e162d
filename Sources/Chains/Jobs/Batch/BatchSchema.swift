// The JSON Schema of batch files, derived from the descriptions of their keys.

import Documents

/// The JSON Schema (draft 7) of batch files, `docs/batch.schema.json`. It refers to
/// `chain.schema.json`.
public enum BatchSchema {
  /// The schema file, indented, without the final newline.
  ///
  /// ```swift
  /// print(BatchSchema.text)  // what `blerun schema batch` prints
  /// ```
  public static var text: String {
    let own = definitions.map { JSONValue.Member($0.key, $0.value.withoutVariables) }
    let text = Schema(["allOf": [.reference("batch")]], definitions: own).file(
      title: "A batch of blerun", doc: "A chain on many devices. Described in docs/batch.md.",
      others: [ChainSchema.file: ChainSchema.schema]
    )
    return String(text.dropLast())
  }

  private static var definitions: [JSONValue.Member] {
    let text: JSONValue = ["type": ["string", "integer"], "not": ["const": "*"]]
    let devices = JSONValue.list(
      of: .anyOf([text, .reference("device")]), 1...PlanLimits().devices)
    return ChainSchema.values.filter { ["duration", "address"].contains($0.key) } + [
      .init(
        "list",
        devices.described(
          "Addresses or names, in which * and ? are wildcards, or mappings with more."
        )
      ),
      .init(
        "device",
        ListedDevice.schema("which device, in one way, and values for the variables of the chain")
      ),
      .init("table", DeviceTable.schema("a device for each row; the columns are variables")),
      .init("found", FoundDevices.schema("the devices that a scan finds when the batch begins")),
      .init("failures", StopRule.schema("when the batch stops")),
      .init("batch", BatchFile.schema("a chain, its devices, and how it runs on them")),
    ]
  }
}

extension JSONValue {
  /// The schema without `{variable}` alternatives, for keys that are read before variables have
  /// values.
  fileprivate var withoutVariables: JSONValue {
    switch self {
    case .null, .boolean, .number, .string: return self
    case .array(let list): return .array(list.map(\.withoutVariables))
    case .object(let members):
      return .object(
        members.flatMap { member -> [Member] in
          guard member.key == "anyOf", case .array(let choices) = member.value,
            choices.contains(.reference("variable"))
          else { return [Member(member.key, member.value.withoutVariables)] }
          let others = choices.filter { $0 != .reference("variable") }
          guard others.count == 1, case .object(let only) = others[0] else {
            return [Member("anyOf", .array(others))]
          }
          return only
        }
      )
    }
  }
}
