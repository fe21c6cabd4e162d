// The JSON Schema of chain files, from the descriptions of their keys.

import Bluetooth
import Documents

/// The JSON Schema (draft 7) of chain files: `docs/chain.schema.json`.
public enum ChainSchema {
  /// The file, indented, without the newline at its end.
  ///
  /// ```swift
  /// print(ChainSchema.text)  // what `blerun schema chain` prints
  /// ```
  public static var text: String {
    JSONValue.object([
      ("$schema", .string("http://json-schema.org/draft-07/schema#")),
      ("title", .string("A chain of blerun")),
      (
        "description",
        .string("Described in docs/chains.md. An included file may be a list of steps.")
      ),
      ("anyOf", .array([.reference("chain"), .reference("steps")])),
      ("definitions", .object(values + comparisons + parts + steps + head)),
    ]).indented()
  }

  private typealias Definition = (key: String, value: JSONValue)

  // MARK: Values

  private static var values: [Definition] {
    [
      (
        "variable",
        pattern("\\{[A-Za-z][^{}]*\\}").described("A variable in braces: \"{level}\".")
      ),
      (
        "duration",
        pattern("^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$").orVariable
          .described("A number and ms, s, m or h: 500ms, 1.5h.")
      ),
      (
        "address",
        pattern("^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$").orVariable
          .described("An address such as C0:FF:EE:00:00:01.")
      ),
      (
        "name",
        JSONValue.type("string", "integer").described(
          "An assigned name such as battery-level, a name of names, or a UUID of 4, 8 or 32 "
            + "digits; for a characteristic also service/characteristic#instance, or @handle."
        )
      ),
      ("variableName", pattern("^[A-Za-z][A-Za-z0-9_-]*$")),
      ("attributeName", pattern("^[A-Za-z][A-Za-z0-9_-]{0,\(AttributeName.longest - 1)}$")),
      (
        "part",
        object(ValueFormat.names.map { ($0, .scalar) }, exactly: 1)
          .described("A value in a format: { u8: 1 }.")
      ),
      (
        "value",
        JSONValue.anyOf([.reference("part"), .list(of: .reference("part"))])
          .described("What is written; a list writes several in a row.")
      ),
      ("format", JSONValue.oneOf(ValueFormat.names).described("How the bytes are decoded.")),
    ]
  }

  // MARK: Comparisons

  private static var comparisons: [Definition] {
    let names = Measure.allCases.filter { !$0.isOfReads }.map(\.rawValue)
    let ofReads = Measure.allCases.filter(\.isOfReads).map(\.rawValue)
    let failure = [(ExpectedFailure.key, JSONValue.reference("failure"))]
    let scalarOrChecks = JSONValue.anyOf([.scalar, checks(and: failure)])
    return [
      (
        "check",
        JSONValue.anyOf([
          .scalar,
          object(Comparison.allCases.map { ($0.rawValue, $0.schema) }, atLeast: 1)
            .described("Comparisons. Times are compared with durations."),
        ]).described("What a value must be: a single value, or comparisons that must all hold.")
      ),
      (
        "counter",
        object(CounterKey.allCases.map { ($0.rawValue, $0.schema) }).described(
          "A counter: its width in bits, and how many values may be missing in total."
        )
      ),
      (
        "expect",
        scalarOrChecks.described(
          "What the value must be; or by name: a field, 'value', a format, and for many values "
            + (["count", "rate"] + names).joined(separator: ", ") + ", of poll "
            + ofReads.joined(separator: ", ") + "; or 'error', with what the step must fail with."
        )
      ),
      (
        "expectedFailure",
        object(failure, exactly: 1).described("What the step must fail with; it is ok then.")
      ),
      ("failure", namesOfFailures),
      (
        "condition",
        checks().described(
          "Captured values with what they must be: { reading.celsius: { above: 30 } }."
        )
      ),
      ("until", until),
    ]
  }

  /// Names of failures.
  private static var namesOfFailures: JSONValue {
    let names = JSONValue.anyOf([
      .oneOf(ExpectedFailure.Name.all), .type("integer"),
      pattern("^0x[0-9A-Fa-f]{2}$"),
    ])
    let either = JSONValue.anyOf([names, .list(of: names)])
    return .anyOf([either, object([("is", names), ("in", .list(of: names))], exactly: 1)])
      .described("A code, a class, what the device answers, or any; of a list, any of them.")
  }

  /// Names with what their values must be.
  private static func checks(and others: [Definition] = []) -> JSONValue {
    let properties = others.isEmpty ? [] : [("properties", JSONValue.object(others))]
    return .object(
      [("type", .string("object"))] + properties + [
        ("additionalProperties", .reference("check")), ("minProperties", JSONValue(1)),
      ]
    )
  }

  private static var until: JSONValue {
    let count = Shape<Int>.valueCount.description.schema
    return JSONValue.object([
      ("type", .string("object")), ("minProperties", JSONValue(1)),
      ("properties", .object([("count", count), ("silence", .reference("duration"))])),
      ("additionalProperties", .reference("check")),
    ]).described(
      "What ends the step, whichever comes first: a number of values, a time without values, or "
        + "a value that meets a condition."
    )
  }

  // MARK: Steps

  private static var parts: [Definition] {
    [
      (
        "trigger",
        Write.schema("the write that triggers notifications, once the subscription is active")
      ),
      ("input", Combining.Input.schema("one input of a combination")),
      ("pairing", PairingRule.schema("how pairing is answered")),
      (
        "passkey",
        object(SecretKey.allCases.map { ($0.rawValue, .type("string")) }, exactly: 1)
          .described("Where the passkey or PIN is.")
      ),
    ]
  }

  private static var steps: [Definition] {
    let verbs = StepVerb.allCases
    let bare = verbs.filter(\.mayBeBare).map(\.rawValue)
    return verbs.map { ($0.rawValue, schema(of: $0)) } + [
      (
        "step",
        .anyOf([.oneOf(bare)] + verbs.map { .reference($0.rawValue) })
      ),
      ("steps", .list(of: .reference("step"))),
    ]
  }

  private static func schema(of verb: StepVerb) -> JSONValue {
    switch verb.meaning {
    case .kind(let kind): kind.stepSchema
    case .file: Inclusion.schema(Inclusion.documentation)
    }
  }

  // MARK: The head

  private static var head: [Definition] {
    let declaration: [Definition] = [
      ("type", .oneOf(VariableType.allCases.map(\.rawValue))), ("default", .scalar),
      ("description", .type("string")),
    ]
    return [
      (
        "declaration",
        object(declaration)
          .described("A variable with its type; without a default it must be set.")
      ),
      ("device", DeviceKeys.schema("which device, by one of these keys")),
      (
        "retry",
        RetryRule.schema(
          "how often the chain is tried when it ends in a transient failure"
        )
      ),
      ("chain", Plan.schema("a chain of steps on one device", and: Declarations.descriptions)),
    ]
  }

  // MARK: Pieces

  private static func pattern(_ pattern: String) -> JSONValue {
    .object([("type", .string("string")), ("pattern", .string(pattern))])
  }

  private static func object(
    _ properties: [Definition],
    exactly count: Int? = nil,
    atLeast least: Int? = nil
  ) -> JSONValue {
    let bounds =
      [("minProperties", count ?? least), ("maxProperties", count)]
      .compactMap { key, count in count.map { (key, JSONValue($0)) } }
    return .object(
      [
        ("type", .string("object")), ("properties", .object(properties)),
        ("additionalProperties", .boolean(false)),
      ] + bounds
    )
  }
}

extension StepKind {
  /// A step as an object.
  fileprivate static var stepSchema: JSONValue {
    let verb = KeyDescription(
      name: Self.verb.rawValue,
      documentation: "no value",
      shape: ShapeDescription(
        file: { _ in "no value" },
        line: { _ in "no value" },
        schema: .type("null")
      ),
      form: .target,
      isRequired: true
    )
    let own = keys.first?.name == Self.verb.rawValue ? descriptions : [verb] + descriptions
    // The verb is required, even where it needs no value: it identifies the step.
    let all = own.map { $0.name == Self.verb.rawValue ? $0.required : $0 }
    return .mapping(all, documentation, rules.flatMap(\.schema))
  }
}

extension KeyDescription {
  /// The same key as a required one.
  fileprivate var required: KeyDescription {
    KeyDescription(
      name: name,
      documentation: documentation,
      shape: shape,
      form: form,
      isRequired: true
    )
  }
}
