// Validates against JSON Schema, as far as the shipped schemas use it.
//
// An unknown keyword is an error, so that no rule is ignored.

public import Documents
import Foundation

/// A JSON value, as an editor interprets a YAML file.
public indirect enum JSON: Hashable {
  case null
  case truth(Bool)
  case number(Double)
  case text(String)
  case list([JSON])
  case object([String: JSON])

  /// The JSON value of a YAML 1.2 node.
  public init(_ node: Node) {
    if let entries = node.mapping {
      self = .object(Dictionary(entries.map { ($0.key, JSON($0.value)) }) { $1 })
    } else if let nodes = node.sequence {
      self = .list(nodes.map { JSON($0) })
    } else if node.isNull {
      self = .null
    } else if let truth = node.truth {
      self = .truth(truth)
    } else if let number = node.number {
      self = .number(number)
    } else {
      self = .text(node.text ?? "")
    }
  }

  public subscript(key: String) -> JSON? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  public var texts: [String] {
    switch self {
    case .text(let text): [text]
    case .list(let list): list.flatMap(\.texts)
    default: []
    }
  }

  public var list: [JSON] { if case .list(let list) = self { list } else { [] } }
  public var number: Double? { if case .number(let number) = self { number } else { nil } }
  public var object: [String: JSON] { if case .object(let object) = self { object } else { [:] } }
}

/// Schemas by the names of their files.
public struct JSONSchema {
  public let files: [String: JSON]

  public init(files: [String: JSON]) {
    self.files = files
  }

  /// The violations in a value: its path and the keyword of the schema.
  public func problems(_ value: JSON, _ file: String) -> [String] {
    check(value, files[file] ?? .null, file, at: "")
  }

  /// The schema that a reference such as `#/definitions/device` means.
  public func resolve(_ reference: String, in file: String) -> (schema: JSON, file: String) {
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].isEmpty ? file : String(parts[0])
    var schema = files[name] ?? .null
    for key in parts[1].split(separator: "/") { schema = schema[String(key)] ?? .null }
    return (schema, name)
  }

  private func check(_ value: JSON, _ schema: JSON, _ file: String, at path: String) -> [String] {
    guard case .object(let keywords) = schema else { return ["\(path): there is no such schema"] }
    return keywords.keys.sorted().flatMap { keyword -> [String] in
      check(value, keyword, keywords[keyword] ?? .null, schema, file, at: path)
    }
  }

  private func check(
    _ value: JSON, _ keyword: String, _ rule: JSON, _ schema: JSON, _ file: String, at path: String
  ) -> [String] {
    func isFit(_ other: JSON) -> Bool { check(value, other, file, at: path).isEmpty }
    func unless(_ isRight: Bool) -> [String] { isRight ? [] : ["\(path): \(keyword)"] }
    switch keyword {
    case "$schema", "title", "description", "definitions", "then": return []
    case "$ref":
      let (other, name) = resolve(rule.texts[0], in: file)
      return check(value, other, name, at: path)
    case "type": return unless(rule.texts.contains { Self.isOfType(value, $0) })
    case "enum": return unless(rule.list.contains(value))
    case "const": return unless(rule == value)
    case "anyOf":
      if rule.list.contains(where: isFit) { return [] }
      let all = rule.list.map { check(value, $0, file, at: path) }
      return ["\(path): anyOf"] + (all.min { $0.count < $1.count } ?? [])
    case "oneOf": return unless(rule.list.count(where: isFit) == 1)
    case "allOf": return rule.list.flatMap { check(value, $0, file, at: path) }
    case "not": return unless(!isFit(rule))
    case "if": return isFit(rule) ? check(value, schema["then"] ?? .null, file, at: path) : []
    default: return checkContents(value, keyword, rule, schema, file, at: path)
    }
  }

  private func checkContents(
    _ value: JSON, _ keyword: String, _ rule: JSON, _ schema: JSON, _ file: String, at path: String
  ) -> [String] {
    let limit = rule.number ?? 0
    func unless(_ isRight: Bool) -> [String] { isRight ? [] : ["\(path): \(keyword)"] }
    switch (keyword, value) {
    case ("minimum", .number(let number)): return unless(number >= limit)
    case ("maximum", .number(let number)): return unless(number <= limit)
    case ("maxLength", .text(let text)): return unless(Double(text.count) <= limit)
    case ("pattern", .text(let text)):
      return unless(text.range(of: rule.texts[0], options: .regularExpression) != nil)
    case ("minItems", .list(let list)): return unless(Double(list.count) >= limit)
    case ("maxItems", .list(let list)): return unless(Double(list.count) <= limit)
    case ("items", .list(let list)):
      return list.enumerated().flatMap { check($1, rule, file, at: "\(path)/\($0)") }
    case ("minProperties", .object(let object)): return unless(Double(object.count) >= limit)
    case ("maxProperties", .object(let object)): return unless(Double(object.count) <= limit)
    case ("required", .object(let object)):
      return rule.texts.filter { object[$0] == nil }.map { "\(path): \($0) is missing" }
    case ("properties", .object(let object)):
      return object.keys.sorted().flatMap { key -> [String] in
        rule[key].map { check(object[key] ?? .null, $0, file, at: "\(path)/\(key)") } ?? []
      }
    case ("propertyNames", .object(let object)):
      return object.keys.sorted().flatMap { check(.text($0), rule, file, at: "\(path)/\($0)") }
    case ("additionalProperties", .object(let object)):
      let known = schema["properties"]?.object ?? [:]
      return object.keys.sorted().filter { known[$0] == nil }.flatMap { key -> [String] in
        if rule == .truth(false) { return ["\(path): \(key) is not known"] }
        return check(object[key] ?? .null, rule, file, at: "\(path)/\(key)")
      }
    case ("minimum", _), ("maximum", _), ("maxLength", _), ("pattern", _), ("minItems", _),
      ("maxItems", _), ("items", _), ("minProperties", _), ("maxProperties", _), ("required", _),
      ("properties", _), ("propertyNames", _), ("additionalProperties", _):
      return []
    default: return ["\(path): the keyword \(keyword) is not known"]
    }
  }

  private static func isOfType(_ value: JSON, _ type: String) -> Bool {
    switch (type, value) {
    case ("null", .null), ("boolean", .truth), ("number", .number), ("string", .text),
      ("array", .list), ("object", .object):
      true
    case ("integer", .number(let number)): number == number.rounded()
    default: false
    }
  }
}
