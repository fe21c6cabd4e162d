// The JSON Schemas of device and scenario files, and the tables of Simulators/README.md. Both are
// generated from the descriptions that also read the files.

import Documents

extension DeviceFile {
  private static let root = Schema.any([
    DeviceReader.deviceShape.schema, DeviceReader.devicesForm.schema,
  ])

  /// The text of `device.schema.json`.
  public static var schema: String {
    root.file(title: "A simulated device of blerun", doc: "Described in Simulators/README.md.")
  }

  fileprivate static var rootSchema: Schema { root }
}

extension ScenarioFile {
  /// The text of `scenario.schema.json`.
  public static var schema: String {
    DeviceReader.scenarioForm.schema.file(
      title: "A scenario of blerun", doc: DeviceReader.scenarioForm.doc,
      others: ["device.schema.json": DeviceFile.rootSchema]
    )
  }

  /// The tables of Simulators/README.md in Markdown, by the names in their markers.
  public static var tables: [(name: String, text: String)] {
    [
      ("device", DeviceReader.deviceForm.table),
      ("advertisement", DeviceReader.advertisementForm.table),
      ("rssi", DeviceReader.movementForm.table), ("walk", DeviceReader.walkForm.table),
      ("private-address", DeviceReader.privateAddressForm.table),
      ("link", DeviceReader.linkForm.table),
      ("speed", DeviceReader.speedForm.table),
      ("security-request", DeviceReader.securityRequestForm.table),
      ("service", DeviceReader.serviceForm.table),
      ("characteristic", DeviceReader.characteristicForm.table),
      ("descriptor", DeviceReader.descriptorForm.table),
      ("response", DeviceReader.responseForm.table),
      ("action", DeviceReader.responseActionForm.table), ("view", DeviceReader.viewForm.table),
      ("machine", DeviceReader.machineForm.table),
      ("transition", DeviceReader.transitionForm.table),
      ("machine-action", DeviceReader.machineActionForm.table),
      ("logic", DeviceReader.logicForm.table), ("firmware", DeviceReader.firmwareForm.table),
      ("fault-rule", DeviceReader.ruleForm.table), ("do", OperationFault.Row.table),
      ("scenario", DeviceReader.scenarioForm.table), ("used", DeviceReader.usedForm.table),
      ("host", DeviceReader.hostForm.table), ("adapter", DeviceReader.adapterForm.table),
      ("operations", DeviceForm("", FaultEntry(), DeviceReader.operationKeys).table),
      ("when", DeviceForm("", FaultEntry(), DeviceReader.triggerKeys).table),
      ("faults", NamedFault.table), ("device-faults", NamedFault.fileList),
    ] + Behaviour.inFiles.compactMap { row in row.table.map { (row.key.name, $0) } }
  }
}

extension NamedFault {
  fileprivate static var table: String {
    let rows = all.map { fault in
      let entry = FaultEntry(settings: fault.settings)
      let keys = fault.parameters.map { parameter in
        let usual = parameter.key.usual(entry)
        return "`\(parameter.key.name)`" + (usual.isEmpty ? "" : " (\(usual))")
      }
      return "| `\(fault.name)`\(fault.lasts ? " *" : "") | \(fault.symptom) | \(fault.doc) | "
        + (keys.isEmpty ? "–" : keys.joined(separator: ", ")) + " |"
    }
    let head = ["| fault | problem | what it does | its keys |", "|---|---|---|---|"]
    return (head + rows).joined(separator: "\n") + "\n"
  }
}

extension DeviceReader {
  /// The schema of a mapping whose keys depend on the fault that its key `fault` names.
  static func schema(of forms: [NamedFault.Described], _ doc: String) -> Schema {
    let keys = forms.flatMap(\.form.keys)
    var names: [String] = []
    for key in keys where !names.contains(key.name) { names.append(key.name) }
    // The different schemas that the faults have for one key.
    var shared: [String: [Schema]] = [:]
    for key in keys where !shared[key.name, default: []].contains(key.schema) {
      shared[key.name, default: []].append(key.schema)
    }
    let properties = names.map { name in
      let doc = keys.first { $0.name == name }?.doc ?? ""
      let schema = Schema.any(shared[name] ?? []).described(doc.withoutMarkdown)
      return JSONValue.Member(name, schema.json)
    }
    let cases = forms.map { fault, form -> JSONValue in
      let own = form.keys.filter { shared[$0.name]?.count != 1 }
      let required = form.keys.filter(\.isRequired).map { JSONValue.string($0.name) }
      var then: JSONValue = [
        "propertyNames": ["enum": .array(form.keys.map { .string($0.name) })]
      ]
      if !own.isEmpty {
        let members = own.map { JSONValue.Member($0.name, $0.schema.json) }
        then = then.adding("properties", .object(members))
      }
      if required.count > 1 { then = then.adding("required", .array(required)) }
      if !form.rules.isEmpty {
        then = then.adding("allOf", .array(form.rules.compactMap(\.schema)))
      }
      return ["if": ["properties": ["fault": ["const": .string(fault.name)]]], "then": then]
    }
    let json: JSONValue = [
      "type": "object", "description": .string(doc),
      "properties": .object(properties), "additionalProperties": false, "required": ["fault"],
      "allOf": .array(cases),
    ]
    return Schema(json, of: keys.map(\.schema))
  }
}
