// The JSON Schema of chain files, derived from the descriptions of their keys.

import Bluetooth
import Descriptions
import Documents

/// The JSON Schema (draft 7) of chain files, `docs/chain.schema.json`.
public enum ChainSchema {
  /// The schema file, indented, without the final newline.
  ///
  /// ```swift
  /// print(ChainSchema.text)  // what `blerun schema chain` prints
  /// ```
  public static var text: String {
    let text = schema.file(
      title: "A chain of blerun",
      doc: "Described in docs/chains.md. An included file may be a list of steps."
    )
    return String(text.dropLast())
  }

  /// The file name, for schemas that refer to this one.
  static let file = "chain.schema.json"

  static var schema: Schema {
    let definitions = values + comparisons + parts + steps + head
    return Schema(.anyOf([.reference("chain"), .reference("steps")]), definitions: definitions)
  }

  typealias Definition = JSONValue.Member

  // MARK: Values

  static var values: [Definition] {
    [
      .init(
        "variable", pattern("\\{[A-Za-z][^{}]*\\}").described("A variable in braces: \"{level}\".")
      ),
      .init("duration", pattern(Duration.pattern).orVariable.described(Duration.documentation)),
      .init(
        "address",
        pattern(BluetoothAddress.pattern).orVariable
          .described("An address such as C0:FF:EE:00:00:01.")
      ),
      .init(
        "name",
        JSONValue.type("string", "integer").described(
          "An assigned name such as battery-level, a name of names, or a UUID of 4, 8 or 32 "
            + "digits; for a characteristic also service/characteristic#instance, or @handle."
        )
      ),
      .init(
        "attribute",
        JSONValue.type("string", "integer").described(
          "A service such as battery, a characteristic such as battery/battery-level, also with "
            + "properties as in battery/battery-level:read,notify, or a descriptor such as "
            + "battery/battery-level/2902; each part is an assigned name, a name of names, or a UUID."
        )
      ),
      .init("variableName", pattern("^[A-Za-z][A-Za-z0-9_-]*$")),
      .init("attributeName", pattern("^[A-Za-z][A-Za-z0-9_-]{0,\(AttributeName.longest - 1)}$")),
      .init(
        "writtenFields",
        [
          "type": "object", "propertyNames": ["not": .oneOf(ValueFormat.names)], "minProperties": 1,
        ]
      ),
      .init(
        "part",
        object(ValueFormat.names.map { .init($0, .scalar) }, exactly: 1)
          .described("A value in a format: { u8: 1 }.")
      ),
      .init(
        "value",
        JSONValue.anyOf([
          .reference("part"), .list(of: .reference("part")), .reference("writtenFields"),
        ]).described(
          "What is written; a list writes several in a row, names of fields write a described value."
        )
      ),
      .init(
        "format",
        JSONValue.anyOf([.oneOf(ValueFormat.names), .type("string")]).described(
          "How the bytes are decoded: a format, or the name of a description of values."
        )
      ),
    ] + DescriptionSchema.definitions
  }

  // MARK: Comparisons

  private static var comparisons: [Definition] {
    let names = Measure.allCases.filter { !$0.isOfReads }.map(\.rawValue)
    let ofReads = Measure.allCases.filter(\.isOfReads).map(\.rawValue)
    let failure = [Definition(ExpectedFailure.key, .reference("failure"))]
    let scalarOrChecks = JSONValue.anyOf([.scalar, checks(and: failure)])
    return [
      .init(
        "check",
        JSONValue.anyOf([
          .scalar,
          object(Comparison.allCases.map { .init($0.rawValue, $0.schema) }, atLeast: 1)
            .described("Comparisons. Times are compared with durations."),
        ]).described("What a value must be: a single value, or comparisons that must all hold.")
      ),
      .init(
        "counter",
        object(CounterKey.allCases.map { .init($0.rawValue, $0.schema) }).described(
          "A counter: its width in bits, and how many values may be missing in total."
        )
      ),
      .init(
        "expect",
        scalarOrChecks.described(
          "What the value must be; or by name: a field, 'value', a format, and for many values "
            + (["count", "rate"] + names).joined(separator: ", ") + ", of poll "
            + ofReads.joined(separator: ", ")
            + ", and functions over all values such as sum(energy); "
            + "or 'error', with what the step must fail with."
        )
      ),
      .init(
        "expectedFailure",
        object(failure, exactly: 1).described("What the step must fail with; it is ok then.")
      ),
      .init("failure", namesOfFailures),
      .init(
        "condition",
        JSONValue.anyOf([.type("string"), checks()]).described(
          "Captured values with what they must be: { reading.celsius: { above: 30 } }; "
            + "or a calculation: reading.celsius * 2 > 60."
        )
      ),
      .init("until", until),
    ]
  }

  private static var namesOfFailures: JSONValue {
    let names = JSONValue.anyOf([
      .oneOf(ExpectedFailure.Name.all), .type("integer"),
      pattern("^0x[0-9A-Fa-f]{2}$"),
    ])
    let either = JSONValue.anyOf([names, .list(of: names)])
    let members = [Definition("is", names), Definition("in", .list(of: names))]
    return .anyOf([either, object(members, exactly: 1)])
      .described("A code, a class, what the device answers, or any; of a list, any of them.")
  }

  /// The schema of a mapping from names to checks.
  private static func checks(and others: [Definition] = []) -> JSONValue {
    let type: JSONValue = ["type": "object"]
    return (others.isEmpty ? type : type.adding("properties", .object(others)))
      .adding("additionalProperties", .reference("check")).adding("minProperties", 1)
  }

  private static var until: JSONValue {
    let schema: JSONValue = [
      "type": "object", "minProperties": 1,
      "properties": [
        "count": Shape<Int>.valueCount.description.schema, "silence": .reference("duration"),
      ],
      "additionalProperties": .reference("check"),
    ]
    return schema.described(
      "What ends the step, whichever comes first: a number of values, a time without values, or "
        + "a value that meets a condition."
    )
  }

  // MARK: Steps

  private static var parts: [Definition] {
    [
      .init(
        "trigger",
        WriteStep.schema("the write that triggers notifications, once the subscription is active")
      ),
      .init("input", CombineStep.Input.schema("one input of a combination")),
      .init("pairing", PairingRule.schema("how pairing is answered")),
      .init(
        "passkey",
        object(SecretKey.allCases.map { .init($0.rawValue, .type("string")) }, exactly: 1)
          .described("Where the passkey is.")
      ),
    ]
  }

  private static var steps: [Definition] {
    let bare = Step.entries.filter { $0.mayBeBare }.map { $0.verb }
    return Step.entries.map { .init($0.verb, $0.stepSchema) } + [
      .init("step", .anyOf([.oneOf(bare)] + Step.verbs.map { .reference($0) })),
      .init("steps", .list(of: .reference("step"))),
    ]
  }

  // MARK: The head

  private static var head: [Definition] {
    let declaration: [Definition] = [
      .init("type", .oneOf(VariableType.allCases.map(\.rawValue))), .init("default", .scalar),
      .init("description", .type("string")),
    ]
    return [
      .init(
        "declaration",
        object(declaration)
          .described("A variable with its type; without a default it must be set.")
      ),
      .init("device", DeviceKeys.schema("which device, by one of these keys")),
      .init(
        "retry",
        RetryRule.schema("how often the chain is tried when it ends in a transient failure")
      ),
      .init("chain", Plan.schema("a chain of steps on one device", and: Declarations.descriptions)),
    ]
  }

  // MARK: Pieces

  private static func pattern(_ pattern: String) -> JSONValue {
    ["type": "string", "pattern": .string(pattern)]
  }

  private static func object(
    _ properties: [Definition], exactly count: Int? = nil, atLeast least: Int? = nil
  ) -> JSONValue {
    var object: JSONValue = [
      "type": "object", "properties": .object(properties), "additionalProperties": false,
    ]
    if let least = count ?? least { object = object.adding("minProperties", JSONValue(least)) }
    return count.map { object.adding("maxProperties", JSONValue($0)) } ?? object
  }
}

extension StepEntry {
  fileprivate static var stepSchema: JSONValue {
    var all = descriptions
    if all.first?.name != verb {
      let nothing = ShapeDescription("no value", schema: .type("null"))
      all.insert(KeyDescription(name: verb, documentation: "no value", shape: nothing), at: 0)
    }
    // The verb identifies the entry, so it is required even if it has no value.
    all[0].isRequired = true
    return .mapping(all, documentation, rules.compactMap(\.schema))
  }
}
