// The JSON Schema of chain files: every shipped chain fits it, and what the reader refuses does not.

import Bluetooth
import Documents
import Fixtures
import Foundation
import Testing

@testable import Jobs

@Suite("The JSON Schema of chains")
struct ChainSchemaTests {
  static let file = "chain.schema.json"
  static let docs = URL(filePath: projectFolder).appending(path: "docs")

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

  @Test("every shipped chain fits the schema and references it for editors", arguments: shipped)
  func fits(_ name: String) throws {
    let url = Self.docs.appending(path: "examples/" + name)
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(try problems(text) == [])
    #expect(text.hasPrefix("# yaml-language-server: $schema=../chain.schema.json\n"))
  }

  @Test("chains are shipped, and a chain with every step fits the schema")
  func some() throws {
    #expect(Self.shipped.count >= 10)
    #expect(try problems(ThreeFormsTests.file) == [])
    #expect(try problems(VariableTests.file) == [])
    #expect(try problems(TryStepTests.file) == [])
  }

  @Test("a device name may be combined with exact, unique and similar keys")
  func device() throws {
    for keys in [
      "name: a, exact: true", "alias: a, unique: true", "service: battery, unique: true",
    ] {
      let text = "steps: [connect]\ndevice: { \(keys) }"
      #expect(try problems(text) == [], "\(keys)")
      #expect(try Plan.parse(text, file: "c").link.isUnique == keys.contains("unique"))
    }
  }

  @Test("the time for the choice of a device may be zero, and is part of the plan")
  func choice() throws {
    let text = "steps: [connect]\ndevice: { name: a, choice: 0s }"
    #expect(try problems(text) == [])
    let plan = try Plan.parse(text, file: "c")
    #expect(plan.link.choice == .zero)
    #expect(plan.lines.contains { $0.contains("is chosen 0s after the scan begins") })
    #expect(try Plan.parse("steps: [connect]\ndevice: a", file: "c").link.choice == nil)
  }

  /// Chains that the reader refuses.
  static let unfit = [
    "steps: []", "name: x", "stepz: [connect]", "steps: [frobnicate]", "steps: [{ raed: 2a19 }]",
    "steps: [connect]\ndevice: { name: a, alias: b }",
    "steps: [connect]\ndevice: { exact: true }",
    "steps: [connect]\ndevice: { service: battery, exact: true }",
    "steps: [connect]\ndevice: { address: C0:FF:EE:00:00:01, unique: true }",
    "steps: [connect]\ndevice: { address: C0:FF:EE:00:00:01, choice: 0s }",
    "steps: [{ scan: 1s, exact: true }]", "steps: [connect]\ntimeout: soon",
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

  @Test("a chain that the parser rejects does not fit the schema", arguments: unfit)
  func refused(_ text: String) throws {
    #expect(try !problems(text).isEmpty)
    #expect(!Plan.complaints(text).isEmpty)
  }
}
