// The JSON Schemas for editors accept every shipped file and reject what the readers reject.

import Documents
import Fixtures
import Foundation
import SimulatedDevices
import Testing

@Suite("JSON Schemas")
struct SchemaTests {
  static let folder = ShippedDeviceTests.folder.deletingLastPathComponent()

  let schema: JSONSchema

  init() throws {
    var files: [String: JSON] = [:]
    for name in ["device.schema.json", "scenario.schema.json"] {
      files[name] = try Self.json(Self.folder.appending(path: name))
    }
    schema = JSONSchema(files: files)
  }

  static func json(_ file: URL) throws -> JSON {
    let text = try String(contentsOf: file, encoding: .utf8)
    return JSON(try Document.parse(text, file: file.path))
  }

  static let shipped = ["devices", "scenarios"].flatMap { kind in
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(kind)"))
    return (names ?? []).filter { $0.hasSuffix(".yaml") }.sorted().map { "\(kind)/\($0)" }
  }

  @Test(
    "every shipped file is valid under its schema, and names the schema for editors",
    arguments: shipped)
  func fits(_ file: String) throws {
    let name = file.hasPrefix("devices/") ? "device.schema.json" : "scenario.schema.json"
    let url = Self.folder.appending(path: file)
    #expect(schema.problems(try Self.json(url), name) == [])
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(text.hasPrefix("# yaml-language-server: $schema=../\(name)\n"))
  }

  @Test(
    "unknown keys are invalid under the schema",
    arguments: [
      "nam: A", "link: { mtu: 22 }", "address-type: secret",
      "services: [{ service: battery, characteristics: [{ characteristic: fff1 }] }]",
      "advertisement: { interval: soon }", "faults: [{ on: read, do: nothing }]",
      "security: { pairing: maybe }", "machines: [{ machine: m, states: {} }]",
    ]
  )
  func unfit(keys: String) throws {
    let text = "address: C0:FF:EE:00:00:01\n\(keys)"
    let value = JSON(try Document.parse(text, file: "device.yaml"))
    #expect(!schema.problems(value, "device.schema.json").isEmpty)
  }
}
