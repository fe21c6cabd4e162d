// The JSON Schema of chain files: every shipped chain fits it, and it knows the reader's keys.

import Bluetooth
import Documents
import Fixtures
import Foundation
import Testing

@testable import Jobs

@Suite("The JSON Schema of chains")
struct ChainSchemaTests {
  static let file = "chain.schema.json"
  static let docs = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs")

  let schema: JSONSchema

  init() throws {
    let text = try String(contentsOf: Self.docs.appending(path: Self.file), encoding: .utf8)
    let limits = DocumentLimits(depth: 64)
    schema = JSONSchema(files: [
      Self.file: JSON(try Document.parse(text, file: Self.file, limits: limits))
    ])
  }

  func problems(_ text: String) throws -> [String] {
    schema.problems(JSON(try Document.parse(text, file: "c")), Self.file)
  }

  static let shipped =
    ((try? FileManager.default.contentsOfDirectory(atPath: docs.path + "/examples")) ?? [])
    .filter { $0.hasSuffix(".yaml") }.sorted()

  @Test("every shipped chain fits its schema, and names it for editors", arguments: shipped)
  func fits(_ name: String) throws {
    let url = Self.docs.appending(path: "examples/" + name)
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(try problems(text) == [])
    #expect(text.hasPrefix("# yaml-language-server: $schema=../chain.schema.json\n"))
  }

  @Test("there are chains to be checked, and the one with every step fits")
  func some() throws {
    #expect(Self.shipped.count >= 10)
    #expect(try problems(ThreeFormsTests.file) == [])
    #expect(try problems(VariableTests.file) == [])
    #expect(try problems(TryStepTests.file) == [])
  }

  /// Chains that the reader refuses.
  static let unfit = [
    "steps: []", "name: x", "stepz: [connect]", "steps: [frobnicate]", "steps: [{ raed: 2a19 }]",
    "steps: [connect]\ndevice: { name: a, alias: b }", "steps: [connect]\ntimeout: soon",
    "steps: [connect]\nretry: { backoff: 1s }", "steps: [{ connect: now }]",
    "steps: [{ read: 2a19, offset: 513 }]", "steps: [{ write: 2a06 }]",
    "steps: [{ write: 2a06, value: { u8: 1, u16: 2 } }]", "steps: [{ notify: 2a37 }]",
    "steps: [{ notify: 2a37, until: { count: 0 } }]", "steps: [{ poll: 2a37, for: 1s }]",
    "steps: [{ combine: [{ notify: 2a37, as: h }], for: 1s }]",
    "steps: [{ combine: [{ notify: 2a37, as: h }, { poll: 2a19, as: b }], for: 1s }]",
    "steps: [{ repeat: 0, steps: [connect] }]", "steps: [{ repeat: 2 }]",
    "steps: [{ try: [connect] }]", "steps: [{ read: 2a19, expect: { percent: { equals: 1 } } }]",
    "steps: [{ read: 2a19, expect: { percent: { between: [1] } } }]",
    "steps: [{ read: 2a19, expect: { percent: { counter: 9 } } }]",
    "steps: [{ read: 2a19, expect: { error: refuse } }]",
    "steps: [{ read: 2a19, expect: { error: { not: refused } } }]",
    "steps: [{ write: 2a06, value: { u8: 1 }, expect: { percent: 1 } }]",
    "steps: [{ sleep: 1s, attempts: 2 }]", "steps: [{ log: a, on-failure: go-on }]",
    "steps: [{ read: 2a19, as: 1a }]", "steps: [connect]\nvariables: { a: { type: colour } }",
    "steps: [connect]\nnames: [soil]", "steps: [connect]\nnames: { soil: moist }",
    "steps: [connect]\nnames: { 'a b': ff01 }", "steps: [connect]\nenvironment: HOME",
    "steps: [{ pair: { capability: none } }]",
  ]

  @Test("what the reader refuses does not fit", arguments: unfit)
  func refused(_ text: String) throws {
    #expect(try !problems(text).isEmpty)
    #expect(!Plan.complaints(text).isEmpty)
  }

  // MARK: Keys

  static let z = "zzzzzzzz: 1"

  /// Texts in which a key stands that nobody knows, by the definition that it is of.
  static let unknown: [(definition: String, text: String)] =
    [
      ("chain", "steps: [connect]\n\(z)"), ("device", "steps: [connect]\ndevice: { \(z) }"),
      ("retry", "steps: [connect]\nretry: { \(z) }"),
      ("pairing", "steps: [connect]\npairing: { \(z) }"),
      ("passkey", "steps: [connect]\npairing: { passkey: { \(z) } }"),
      ("declaration", "steps: [connect]\nvariables: { a: { \(z) } }"),
      ("trigger", "steps: [{ notify: 2a37, after: { \(z) } }]"),
      ("input", "steps: [{ combine: [{ poll: 2a19, \(z) }] }]"),
    ]
    + StepVerb.names.map { ($0, "steps: [{ \($0): \(values[$0] ?? ""), \(z) }]") }

  /// What stands behind a verb where the rest of its step is read only then.
  private static let values = [
    "combine": "[]", "include": "a.yaml", "scan": "1s", "repeat": "1", "try": "[connect]",
  ]

  @Test("the schema has the keys that the reader knows, and no others")
  func keys() throws {
    for (definition, text) in Self.unknown {
      let known = try #require(
        JSONSchema.known(in: Plan.complaints(text)),
        "\(definition): \(Plan.complaints(text))"
      )
      #expect(schema.keys("definitions/\(definition)", Self.file) == known, "\(definition)")
    }
  }

  @Test("every closed mapping of the schema is in the list above, or has one key a format")
  func complete() {
    let definitions = schema.files[Self.file]?["definitions"]?.object ?? [:]
    let closed = definitions.keys.filter { name in
      definitions[name]?["additionalProperties"] == .truth(false)
    }
    #expect(
      Set(closed) == Set(Self.unknown.map(\.definition) + ["part", "counter", "expectedFailure"])
    )
  }

  @Test("comparisons, formats, steps and choices are those that the reader knows")
  func words() throws {
    func known(_ text: String, after sign: String) throws -> Set<String> {
      let said = try #require(Plan.complaints(text).first { $0.contains(sign) })
      let list = try #require(said.range(of: "expected one of ")).upperBound
      return Set(said[list...].dropLast().components(separatedBy: ", "))
    }
    let check = try known(
      "steps: [{ read: 2a19, expect: { percent: { zzzzzzzz: 1 } } }]",
      after: "unknown comparison"
    )
    let forms = schema.files[Self.file]?["definitions"]?["check"]?["anyOf"]?.list ?? []
    #expect(Set(forms.flatMap { $0["properties"]?.object.keys.sorted() ?? [] }) == check)
    #expect(schema.keys("definitions/part", Self.file) == Set(ValueFormat.names))
    let steps = schema.resolve("#/definitions/step", in: Self.file).schema["anyOf"]?.list ?? []
    let verbs = steps.flatMap { $0["$ref"]?.texts ?? [] }.map {
      $0.split(separator: "/").last ?? ""
    }
    #expect(verbs.map(String.init) == StepVerb.names)
    func choices(_ definition: String, _ key: String) -> [String] {
      let found = schema.resolve("#/definitions/\(definition)", in: Self.file).schema
      return found["properties"]?[key]?["enum"]?.texts ?? []
    }
    #expect(choices("write", "kind") == WriteKind.allCases.map(\.rawValue))
    #expect(choices("write", "delivery") == Write.Delivery.allCases.map(\.rawValue))
    #expect(
      choices("notify", "delivery") == SubscriptionOptions.Delivery.allCases.map(\.rawValue)
    )
    #expect(
      choices("notify", "on-link-loss") == SubscriptionOptions.LossPolicy.allCases.map(\.rawValue)
    )
    #expect(
      choices("notify", "overflow") == SubscriptionOptions.OverflowRule.allCases.map(\.rawValue)
    )
    #expect(choices("pairing", "capability") == AgentCapability.allCases.map(\.rawValue))
    #expect(choices("declaration", "type") == VariableType.allCases.map(\.rawValue))
  }
}
