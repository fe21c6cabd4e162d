// The JSON Schemas that editors use: every shipped file fits them, and they know the readers' keys.

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

  @Test("every shipped file fits its schema, and names it for editors", arguments: shipped)
  func fits(_ file: String) throws {
    let name = file.hasPrefix("devices/") ? "device.schema.json" : "scenario.schema.json"
    let url = Self.folder.appending(path: file)
    #expect(schema.problems(try Self.json(url), name) == [])
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(text.hasPrefix("# yaml-language-server: $schema=../\(name)\n"))
  }

  @Test("there are files to be checked")
  func some() { #expect(Self.shipped.count >= 30) }

  @Test(
    "what a schema does not know is not fit",
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

  // MARK: Keys

  /// The keys that a reader expects where it met one that nobody knows.
  static func expected(_ complaints: [String]) throws -> Set<String> {
    try #require(JSONSchema.known(in: complaints), "\(complaints)")
  }

  func keys(_ pointer: String, _ file: String = "device.schema.json") -> Set<String> {
    schema.keys(pointer, file)
  }

  static let z = "zzzzzzzz: 1"
  static let unknown: [(pointer: String, keys: String)] = [
    ("definitions/device", z), ("definitions/device/properties/private-address", "{ \(z) }"),
    ("definitions/advertisement", "advertisement: { \(z) }"),
    ("definitions/rssi", "advertisement: { rssi: { \(z) } }"),
    ("definitions/walk", "advertisement: { rssi: { walk: { \(z) } } }"),
    ("definitions/view", "advertisement: { with: { a: { \(z) } } }"),
    ("definitions/link", "link: { \(z) }"), ("definitions/pairing", "security: { \(z) }"),
    ("definitions/service", "services: [{ \(z) }]"),
    ("definitions/fault", "faults: [{ \(z) }]"),
    ("definitions/machine", "machines: [{ \(z) }]"),
    ("definitions/state", "machines: [{ states: { a: { \(z) } } }]"),
    ("definitions/transition", "machines: [{ states: { a: { on: { \(z) } } } }]"),
    ("definitions/table", "machines: [{ tables: { a: { \(z) } } }]"),
  ]

  static let unknownOfCharacteristics: [(pointer: String, keys: String)] = [
    ("definitions/characteristic", z), ("definitions/counter", "counter: { \(z) }"),
    ("definitions/wave", "wave: { \(z) }"), ("definitions/noise", "noise: { \(z) }"),
    ("definitions/series", "series: { \(z) }"),
    ("definitions/response", "responses: [{ \(z) }]"),
    ("definitions/action", "responses: [{ then: { \(z) } }]"),
    ("definitions/descriptor", "descriptors: [{ \(z) }]"),
    ("definitions/attributeSecurity", "security: { \(z) }"),
  ]

  @Test("the schema of devices has the keys that the reader knows, and no others")
  func deviceKeys() throws {
    for (pointer, keys) in Self.unknown where !keys.isEmpty {
      let text = keys.hasPrefix("{") ? "private-address: \(keys)" : keys
      let known = try Self.expected(DeviceText.complaints(text))
      #expect(self.keys(pointer) == known, "\(pointer)")
    }
    for (pointer, keys) in Self.unknownOfCharacteristics {
      let known = try Self.expected(DeviceText.complaints(ofCharacteristics: keys))
      #expect(self.keys(pointer) == known, "\(pointer)")
    }
    let action = "machines: [{ states: { a: { enter: { zzzzzzzz: 1 } } } }]"
    #expect(keys("definitions/machineAction") == (try Self.expected(DeviceText.complaints(action))))
  }

  @Test("every named fault of a device has the keys in its schema that the reader knows for it")
  func namedFaults() throws {
    let fault = schema.resolve("#/definitions/namedFault", in: "device.schema.json").schema
    let names = try #require(fault["properties"]?["fault"]?["enum"]).texts
    let rules = try #require(fault["allOf"]).list
    #expect(rules.count == names.count && names.count > 15)
    for (name, rule) in zip(names, rules) {
      #expect(rule["if"]?["properties"]?["fault"]?["const"] == .text(name))
      let complaints = DeviceText.complaints("faults: [{ fault: \(name), \(Self.z) }]")
      let allowed = Set(rule["then"]?["propertyNames"]?["enum"]?.texts ?? [])
      #expect(allowed == (try Self.expected(complaints)), "\(name)")
    }
    let other = DeviceText.complaints("faults: [{ fault: daemon-crash }]")
    #expect(other.first?.hasSuffix("(expected one of \(names.joined(separator: ", ")))") == true)
  }

  @Test("every key of the device schema is somewhere in the list above, or a name of the user's")
  func complete() {
    let definitions = schema.files["device.schema.json"]?["definitions"]?.object ?? [:]
    let closed = definitions.keys.filter { name in
      let forms = [definitions[name] ?? .null] + (definitions[name]?["anyOf"]?.list ?? [])
      return forms.contains { $0["additionalProperties"] == .truth(false) }
    }
    let listed = (Self.unknown + Self.unknownOfCharacteristics).map {
      $0.pointer.split(separator: "/")[1]
    }
    // These have one key for each format.
    let formats = ["part", "templatePart", "movingPart", "columnPart"]
    let all = Set(listed.map(String.init) + formats + ["machineAction", "namedFault"])
    #expect(Set(closed) == all)
  }

  @Test("values have the formats that the reader knows")
  func formats() throws {
    let sign = "unknown format 'zzzzzzzz'"
    let found = DeviceText.complaints(ofCharacteristics: "value: { zzzzzzzz: 1 }")
    let complaint = try #require(found.first { $0.contains(sign) })
    let list = try #require(complaint.range(of: "expected one of ")).upperBound
    let known = Set(complaint[list...].dropLast().components(separatedBy: ", "))
    #expect(keys("definitions/part") == known)
    #expect(keys("definitions/movingPart") == known && keys("definitions/columnPart") == known)
    let names: Set<String> = ["octets", "decimal", "row", "at"]
    #expect(keys("definitions/templatePart") == known.union(names))
  }

  // MARK: Scenarios

  func complaints(_ text: String) -> [String] {
    do {
      _ = try ScenarioFile.parse(text, file: "scenario.yaml")
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test("the schema of scenarios has the keys that the reader knows, and no others")
  func scenarioKeys() throws {
    let file = "scenario.schema.json"
    let head = "scenario: A\ndevices: []\n"
    let known = [
      ("", head + Self.z), ("definitions/host", head + "host: { \(Self.z) }"),
      ("definitions/adapter", head + "host: { adapter: { \(Self.z) } }"),
      ("definitions/used", "scenario: A\ndevices: [{ use: a.yaml, \(Self.z) }]"),
    ]
    for (pointer, text) in known {
      #expect(keys(pointer, file) == (try Self.expected(complaints(text))), "\(pointer)")
    }
  }

  @Test("every fault has the keys in its schema that the reader knows for it")
  func faultKeys() throws {
    let fault = schema.resolve("#/definitions/fault", in: "scenario.schema.json").schema
    let names = try #require(fault["properties"]?["fault"]?["enum"]).texts
    #expect(names == NamedFault.all.map(\.name))
    let rules = try #require(fault["allOf"]).list
    #expect(rules.count == names.count)
    var all: Set<String> = []
    for (name, rule) in zip(names, rules) {
      #expect(rule["if"]?["properties"]?["fault"]?["const"] == .text(name))
      let known = try ["at: 1s", "after: read", ""].map { when in
        let keys = (["fault: \(name)"] + [when, Self.z].filter { !$0.isEmpty })
        let text = "scenario: A\ndevices: []\nfaults: [{ \(keys.joined(separator: ", ")) }]"
        return try Self.expected(complaints(text))
      }
      let union = known.reduce(Set()) { $0.union($1) }
      let allowed = Set(rule["then"]?["propertyNames"]?["enum"]?.texts ?? [])
      #expect(allowed == union, "\(name)")
      all.formUnion(allowed)
    }
    #expect(Set(fault["properties"]?.object.keys.sorted() ?? []) == all)
  }
}
