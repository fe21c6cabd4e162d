// The JSON Schema of descriptions of values, made of their vocabulary.

import Bluetooth
package import Documents

/// The schema of `names`, in files of chains and in those of devices.
package enum DescriptionSchema {
  /// A UUID in a file.
  package static let uuid = JSONValue.type("string", "integer")
    .adding("pattern", .string(AttributeNames.uuidPattern))

  /// The definitions that the entries of `names` refer to.
  package static var definitions: [JSONValue.Member] {
    [
      .init("describedFormat", format), .init("describedNames", names),
      .init("describedField", field),
      .init("describedFields", .list(of: .reference("describedField"))),
      .init("describedCases", cases),
      .init("describedBits", bits), .init("describedChecksum", checksum),
      .init("valueDescription", entry),
    ]
  }

  private static let any: JSONValue = [:]
  private static let number = JSONValue.type("number", "string")
  private static let expression = JSONValue.type("string", "number", "boolean")
  private static let count = JSONValue.type("integer", "string")

  private static var format: JSONValue {
    let choice = object([
      .init("switch", expression.described(FieldKey.switch.documentation)),
      .init("cases", .reference("describedCases")),
    ])
    let named: JSONValue = [
      "type": "string",
      "description": .string(
        "One of \(FieldWord.names.joined(separator: ", ")), or the name of a description."),
    ]
    return .anyOf([named, .reference("describedFields"), choice])
  }

  private static var names: JSONValue {
    [
      "type": "object", "additionalProperties": .type("string", "number", "boolean"),
      "minProperties": 1,
    ]
  }

  private static func value(of key: FieldKey) -> JSONValue {
    switch key {
    case .fields: .reference("describedFields")
    case .switch, .when: expression
    case .pad, .size, .repeats, .padTo, .terminator: count
    case .constant: .type("string", "number")
    case .name, .unit: .type("string")
    case .format: .reference("describedFormat")
    case .cases: .reference("describedCases")
    case .scale, .offset: number
    case .names: ["type": "object"]
    case .special: .reference("describedNames")
    case .unknown: .anyOf([count, .list(of: count)])
    case .bits: .reference("describedBits")
    case .optional, .closed: .type("boolean")
    case .checksum: .reference("describedChecksum")
    case .over: .anyOf([.type("string"), .list(of: .type("string"))])
    case .range: .list(of: .type("number"))
    case .decimals: .type("integer")
    case .exponent, .negative: expression
    case .sign: .oneOf(["magnitude"])
    case .since: .type("string")
    case .at: .type("integer")
    }
  }

  private static func members(_ keys: [FieldKey]) -> [JSONValue.Member] {
    keys.map { .init($0.rawValue, value(of: $0).described($0.documentation)) }
  }

  /// The first key of a field is its name, which a schema cannot tell from the others.
  private static var field: JSONValue {
    let type: JSONValue = ["type": "object", "minProperties": 1]
    return type.adding("properties", .object(members(FieldKey.allCases)))
      .adding("additionalProperties", .reference("describedFormat"))
      .described(
        "The first key is the name of the field, with its format; the others are attributes.")
  }

  private static var cases: JSONValue {
    let one = JSONValue.anyOf([.type("string"), .reference("describedFields")])
    return ["type": "object", "additionalProperties": one, "minProperties": 1]
  }

  private static var bits: JSONValue {
    let members = BitsKey.allCases.map { key in
      JSONValue.Member(key.rawValue, value(of: key).described(key.documentation))
    }
    let one = JSONValue.anyOf([count, object(members)])
    return ["type": "object", "additionalProperties": one, "minProperties": 1]
  }

  private static func value(of key: BitsKey) -> JSONValue {
    switch key {
    case .at: count
    case .sign: .oneOf(["two", "magnitude"])
    case .scale: value(of: FieldKey.scale)
    case .offset: value(of: FieldKey.offset)
    case .unit: value(of: FieldKey.unit)
    case .names, .special: .reference("describedNames")
    case .unknown: value(of: FieldKey.unknown)
    case .range: value(of: FieldKey.range)
    case .closed: value(of: FieldKey.closed)
    case .decimals: value(of: FieldKey.decimals)
    }
  }

  private static var checksum: JSONValue {
    let members = ChecksumKey.allCases.map { key in
      let value: JSONValue =
        switch key {
        case .refin, .refout, .negate, .invert: .type("boolean")
        case .sum, .xor, .crc, .poly, .initial, .xorout, .every, .first: .type("integer", "string")
        }
      return JSONValue.Member(key.rawValue, value.described(key.documentation))
    }
    return .anyOf([.type("string"), object(members)])
  }

  private static var entry: JSONValue {
    let own = EntryKey.allCases.map { key in
      JSONValue.Member(key.rawValue, value(of: key).described(key.documentation))
    }
    let attributes = FieldKey.allCases.filter { key in
      !EntryKey.allCases.contains { $0.rawValue == key.rawValue }
    }
    return object(own + members(attributes))
      .described("The description of a value: docs/values.md.")
  }

  private static func value(of key: EntryKey) -> JSONValue {
    switch key {
    case .uuid, .serviceData: uuid
    case .manufacturer: count
    case .fields: .reference("describedFields")
    case .format: .reference("describedFormat")
    case .exact, .pieces: .type("boolean")
    case .examples:
      .list(
        of: object([
          .init("hex", .type("string", "integer")), .init("value", any), .init("error", any),
        ])
      )
    }
  }

  private static func object(_ members: [JSONValue.Member]) -> JSONValue {
    ["type": "object", "properties": .object(members), "additionalProperties": false]
  }
}

extension JSONValue {
  fileprivate func described(_ text: String) -> JSONValue {
    adding("description", .string(text.replacing("`", with: "")))
  }
}
