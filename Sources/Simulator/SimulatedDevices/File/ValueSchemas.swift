// The schemas of values: one key for each format, with the schema of its value.

import Bluetooth
import Documents

enum ValueSchemas {
  private static let part = part("A value in a format: { u8: 87 }.") { format in
    let isWhole = ValueFormat(format)?.whole != nil
    return Schema(["type": isWhole ? ["integer", "string"] : ["string", "number", "integer"]])
  }.named("part")

  static let value = row(of: .any([part, described])).described("A value, or several in a row.")
    .named("value")

  /// The name of a description with its fields.
  private static let described = Schema([
    "type": "object", "description": "A described value: { log-record: { sequence: 7 } }.",
    "propertyNames": ["not": .oneOf(DeviceReader.formats + words)], "minProperties": 1,
    "maxProperties": 1,
  ]).named("describedPart")

  /// The keys of a part that are no formats.
  private static let words = ["fields", "octets", "decimal", "row", "at"]

  static let valueOrFields = Schema.any([
    value,
    Schema([
      "type": "object", "required": ["fields"], "additionalProperties": false,
      "properties": ["fields": ["description": "The fields of a described value."]],
    ]),
  ]).named("valueOrFields")

  // MARK: Values with names

  static let expression = Schema([
    "type": ["string", "integer"],
    "description": "A number or a calculation with names: ($last - $first + 1) * 2, crc32($image).",
  ]).named("expression")

  static let templatePart: Schema = {
    let words: [(String, Schema)] = [
      ("octets", Schema(["type": "string", "description": "$name: the bytes of a name."])),
      ("decimal", expression.described("A number as text in decimal digits.")),
      (
        "row",
        Schema(["type": "string", "description": "The name of a table, of which one row is taken."])
      ),
      ("at", expression.described("Which row, counted from 0.")),
    ]
    return part(
      "A value that may contain names: { u16: $size + 1 }, { octets: $rest }, "
        + "{ row: records, at: $next }.",
      words, atMost: 2
    ) { _ in scalar }.named("templatePart")
  }()

  static let template = Schema.any([
    Schema(["type": "string", "description": "written, or $name."]), templatePart, described,
    .list(of: .any([templatePart, described])),
  ]).described("A value that is made when it is needed.").named("template")

  // MARK: Numbers that move, and columns

  static let movingParts = row(
    of: part("A value, or a number that moves: { u8: { low: 62, high: 88 } }.") { _ in
      .any([scalar, DeviceReader.movingForm.schema])
    }.named("movingPart")
  ).named("movingParts")

  static let columnParts = row(
    of: .any([
      part("A value, or a column of a table: { u8: { column: bpm } }.") { _ in
        .any([scalar, DeviceReader.columnForm.schema])
      }.named("columnPart"), described,
    ])
  ).described("What each row is made of.").named("columnParts")

  // MARK: Fragments

  private static let scalar = Schema(["type": ["string", "number", "integer"]])

  private static func row(of part: Schema) -> Schema { .any([part, .list(of: part)]) }

  /// The schema of a mapping with one key: a format or another key, with the schema that `value`
  /// returns.
  private static func part(
    _ doc: String, _ words: [(String, Schema)] = [], atMost: Int = 1, _ value: (String) -> Schema
  ) -> Schema {
    let all = DeviceReader.formats.map { ($0, value($0)) } + words
    let properties = all.map { JSONValue.Member($0.0, $0.1.json) }
    let json: JSONValue = [
      "type": "object", "description": .string(doc), "properties": .object(properties),
      "additionalProperties": false, "minProperties": 1, "maxProperties": JSONValue(atMost),
    ]
    return Schema(json, of: all.map(\.1))
  }
}
