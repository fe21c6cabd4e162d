// The JSON Schema of batch files: what the page shows fits it, and what the reader refuses does not.

import Documents
import Fixtures
import Foundation
import Testing

@testable import Jobs

@Suite("The JSON Schema of batches")
struct BatchSchemaTests {
  private static let file = "batch.schema.json"
  private static let files = [file, ChainSchemaTests.file]

  private let schema: JSONSchema

  init() throws {
    let limits = DocumentLimits(depth: 64)
    let read = try Self.files.map { name in
      let url = ChainSchemaTests.docs.appending(path: name)
      let text = try String(contentsOf: url, encoding: .utf8)
      return (name, JSON(try Document.parse(text, file: name, limits: limits)))
    }
    schema = JSONSchema(files: Dictionary(uniqueKeysWithValues: read))
  }

  private func problems(_ text: String) throws -> [String] {
    schema.problems(JSON(try Document.parse(text, file: "b")), Self.file)
  }

  private func complaints(_ text: String) throws -> [String] {
    let folder = try FolderOfFiles([
      "batch.yaml": text, "chain.yaml": "steps: [connect]",
      "t.csv": "mac,room\nC0:FF:EE:00:00:01,hall\n",
    ])
    return folder.complaints { _ = try Batch.load(path: folder.path + "/batch.yaml") }
  }

  /// The batches that docs/batch.md shows.
  private func shown() throws -> [String] {
    let url = ChainSchemaTests.docs.appending(path: "batch.md")
    let page = try String(contentsOf: url, encoding: .utf8)
    let blocks = page.components(separatedBy: "```yaml\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    return blocks.filter { block in
      let keys = (try? Document.parse(block, file: "b"))?.mapping?.map(\.key) ?? []
      return keys.contains("devices") && !keys.contains("scenario")
    }
  }

  @Test("every batch shown in the documentation fits the schema")
  func fits() throws {
    let batches = try shown()
    #expect(batches.count >= 4)
    for text in batches { #expect(try problems(text) == [], "\(text)") }
  }

  /// Batches that the reader takes, with each key at least once.
  static let fit = [
    "chain: chain.yaml\ndevices: { csv: t.csv, address: mac }\nevery: 1s",
    "chain: chain.yaml\ndevices: { csv: t.csv, address: mac, pin: room, prefer: room }",
    """
    name: All
    names: { soil: ff01 }
    steps: [connect]
    variables: { a: 1 }
    environment: []
    timeout: 5s
    pairing: { confirm: true }
    keep: false
    fresh: true
    take-over: true
    wait-for-adapter: 5s
    with: { a: 2 }
    devices: [ Lamp-1, "Lamp-*", 17, { alias: x, with: { a: 3 } }, { service: battery, unique: true } ]
    concurrency: 64
    on-failure: { stop-after: 2 }
    retry: { attempts: 2, backoff: 1s }
    deadline: 10m
    every: 15m
    pin: hall-1
    """,
    "steps: [connect]\nprefer: hall-1\ndevices: [ { name: a, pin: hall-1, prefer: attic_2 }, b ]",
    """
    steps: [connect]
    devices:
      { scan: 5s, name: "a*", service: battery, rssi: -70, manufacturer: 76, passive: false,
        at-least: 1, at-most: 2 }
    on-failure: stop
    first: 2
    """,
  ]

  @Test("every batch that the parser accepts fits the schema", arguments: fit)
  func taken(_ text: String) throws {
    #expect(try complaints(text) == [])
    #expect(try problems(text) == [])
  }

  /// Batches that the reader refuses.
  static let unfit = [
    "devices: [a]", "steps: [connect]", "steps: [connect]\ndevices: []",
    "steps: [connect]\ndevices: [\"*\"]", "steps: [connect]\ndevices: a",
    "steps: [connect]\ndevices: { csv: t.csv }", "steps: [connect]\ndevices: { address: mac }",
    "steps: [connect]\ndevices: { csv: t.csv, address: mac, name: mac }",
    "steps: [connect]\ndevices: { csv: t.csv, pin: room }",
    "steps: [connect]\ndevices: { csv: t.csv, address: mac, pin: [room] }",
    "steps: [connect]\ndevices: [ { name: a, alias: b } ]",
    "steps: [connect]\ndevices: [ { with: { a: 1 } } ]", "steps: [connect]\ndevices: [ { } ]",
    "steps: [connect]\ndevices: [ { address: C0FFEE } ]",
    "steps: [connect]\ndevices: [ { address: C0:FF:EE:00:00:01, unique: true } ]",
    "steps: [connect]\ndevices: { scan: 1s, exact: true }",
    "steps: [connect]\ndevices: { scan: soon }", "steps: [connect]\ndevices: { scan: 1s, for: 2 }",
    "steps: [connect]\ndevices: { scan: 1s, at-least: 0 }",
    "steps: [connect]\ndevices: { scan: 1s, at-most: 10001 }",
    "chain: chain.yaml\nsteps: [connect]\ndevices: [a]",
    "chain: chain.yaml\ntimeout: 5s\ndevices: [a]", "steps: []\ndevices: [a]",
    "steps: [{ raed: 2a19 }]\ndevices: [a]", "steps: [connect]\ndevices: [a]\nconcurrency: 65",
    "steps: [connect]\ndevices: [a]\nconcurrency: 0",
    "steps: [connect]\ndevices: [a]\non-failure: ignore",
    "steps: [connect]\ndevices: [a]\non-failure: { stop-after: 0 }",
    "steps: [connect]\ndevices: [a]\non-failure: { stop-above: 100 }",
    "steps: [connect]\ndevices: [a]\non-failure: { stop-after: 1, stop-above: 10 }",
    "steps: [connect]\ndevices: [a]\nfirst: 0",
    "steps: [connect]\ndevices: [a]\nretry: { backoff: 1s }",
    "steps: [connect]\ndevices: [a]\ndeadline: never",
    "steps: [connect]\ndevices: [a]\ncron: \"* * * * *\"",
    "steps: [connect]\ndevices: [a]\nevery: 1m\njitter: 5s",
    "steps: [connect]\ndevices: [a]\nschedule: 5s",
    "steps: [connect]\ndevices: [a]\nwith: 3", "- connect",
    "steps: [connect]\ndevices: [a]\npin: hall 1", "steps: [connect]\ndevices: [a]\nprefer: [b]",
    "steps: [connect]\ndevices: [ { name: a, pin: \"\" } ]",
  ]

  @Test("a batch that the parser rejects does not fit the schema", arguments: unfit)
  func refused(_ text: String) throws {
    #expect(try !complaints(text).isEmpty)
    #expect(try !problems(text).isEmpty)
  }
}
