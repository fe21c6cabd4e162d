// JSON Schema fragments with their definitions, and the keywords that they are made of.

/// A fragment of a JSON Schema (draft 7), with the definitions that it refers to.
///
/// A schema file is one fragment with its definitions, so none is missing and none is unused.
public struct Schema: Hashable, Sendable {
  /// The fragment; it may refer to the definitions.
  public var json: JSONValue
  /// The definitions, named as in `#/definitions/NAME`. Each precedes those that refer to it.
  public private(set) var definitions: [JSONValue.Member]

  /// A fragment with the given definitions.
  public init(_ json: JSONValue, definitions: [JSONValue.Member] = []) {
    (self.json, self.definitions) = (json, definitions)
  }

  /// A fragment made of others, with the definitions of these.
  public init(_ json: JSONValue, of parts: [Schema]) {
    self.json = json
    definitions = []
    for definition in parts.flatMap(\.definitions) where !definitions.contains(definition) {
      definitions.append(definition)
    }
  }

  // MARK: Fragments

  /// Makes this fragment a definition, and returns a reference to it.
  public func named(_ name: String) -> Schema {
    var result = Schema(.reference(name))
    result.definitions = definitions
    result.definitions.append(JSONValue.Member(name, json))
    return result
  }

  /// The fragment with a description, which replaces the existing one.
  public func described(_ text: String) -> Schema {
    guard !text.isEmpty else { return self }
    // Draft 7 ignores the members beside a reference.
    let isReference = json["$ref"] != nil
    let base: JSONValue = isReference ? ["allOf": [json]] : json
    return Schema(base.adding("description", .string(text)), of: [self])
  }

  /// One of several fragments; a single fragment is returned as it is.
  public static func any(_ parts: [Schema]) -> Schema {
    parts.count == 1 ? parts[0] : Schema(.anyOf(parts.map(\.json)), of: parts)
  }

  /// One of several texts.
  public static func words(_ words: [String]) -> Schema {
    Schema(.oneOf(words))
  }

  /// A list.
  public static func list(of element: Schema, _ count: ClosedRange<Int>? = nil) -> Schema {
    Schema(.list(of: element.json, count ?? 0...(.max)), of: [element])
  }

  /// A mapping whose keys the user chooses.
  ///
  /// - Parameters:
  ///   - value: The schema of each value.
  ///   - names: A regular expression that every key matches.
  ///   - atLeast: The least number of entries.
  public static func map(of value: Schema, names: String? = nil, atLeast: Int = 0) -> Schema {
    var json: JSONValue = ["type": "object"]
    if let names { json = json.adding("propertyNames", ["pattern": .string(names)]) }
    if atLeast > 0 { json = json.adding("minProperties", JSONValue(atLeast)) }
    return Schema(json.adding("additionalProperties", value.json), of: [value])
  }

  // MARK: Files

  /// The text of a schema file.
  ///
  /// - Parameters:
  ///   - title: The title of the schema.
  ///   - doc: The description of the file.
  ///   - others: Schemas of other files by file name. Their definitions are referenced, not
  ///     repeated.
  public func file(title: String, doc: String, others: [String: Schema] = [:]) -> String {
    let own = definitions.filter { definition in
      !others.values.contains { $0.definitions.contains(definition) }
    }
    let ownNames = Set(own.map(\.key))
    precondition(ownNames.count == own.count, "each definition of a file has a name of its own")
    let names = others.mapValues { Set($0.definitions.map(\.key)).subtracting(ownNames) }
    let head: JSONValue = [
      "$schema": "http://json-schema.org/draft-07/schema#", "title": .string(title),
      "description": .string(doc),
    ]
    var result = head
    if case .object(let members) = json {
      for member in members where member.key != "description" {
        result = result.adding(member.key, member.value)
      }
    }
    return result.adding("definitions", .object(own)).referring(names).text()
  }
}

extension JSONValue {
  /// The schema with references to definitions of other files.
  ///
  /// - Parameter names: The names of definitions, by file.
  fileprivate func referring(_ names: [String: Set<String>]) -> JSONValue {
    switch self {
    case .null, .boolean, .number, .string: return self
    case .array(let list): return .array(list.map { $0.referring(names) })
    case .object(let members):
      return .object(
        members.map { member in
          let prefix = "#/definitions/"
          guard member.key == "$ref", case .string(let target) = member.value,
            target.hasPrefix(prefix),
            let file = names.first(where: {
              $0.value.contains(String(target.dropFirst(prefix.count)))
            })
          else { return Member(member.key, member.value.referring(names)) }
          return Member(member.key, .string(file.key + target))
        }
      )
    }
  }
}

extension JSONValue {
  package static func reference(_ definition: String) -> JSONValue {
    ["$ref": .string("#/definitions/\(definition)")]
  }

  package static func anyOf(_ schemas: [JSONValue]) -> JSONValue { ["anyOf": .array(schemas)] }

  package static func type(_ names: String...) -> JSONValue {
    ["type": names.count == 1 ? .string(names[0]) : texts(names)]
  }

  package static func oneOf(_ words: [String]) -> JSONValue { ["enum": texts(words)] }

  /// A list of `items`; by default of one or more.
  package static func list(
    of items: JSONValue, _ count: ClosedRange<Int> = 1...(.max)
  ) -> JSONValue {
    var list: JSONValue = ["type": "array", "items": items]
    if count.lowerBound > 0 { list = list.adding("minItems", JSONValue(count.lowerBound)) }
    if count.upperBound < .max { list = list.adding("maxItems", JSONValue(count.upperBound)) }
    return list
  }

  /// Requires keys of a mapping.
  package static func required(_ names: String...) -> JSONValue { ["required": texts(names)] }

  /// A list of schemas, each of which requires one of the keys.
  package static func requiring(each names: [String]) -> JSONValue {
    .array(names.map { .required($0) })
  }

  private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
