// The guide and the reference of simulated devices: their examples are read and run.

import Bluetooth
import Documents
import Fixtures
import Foundation
import Signals
import SimulatedDevices
import Testing

@Suite("docs/simulated-devices.md and Simulators/README.md")
struct SimulatorsReadmeTests {
  /// An example: what it is of, and its lines.
  struct Example: CustomTestStringConvertible, Sendable {
    let kind: String
    let text: String

    var testDescription: String { "\(kind): \(text.prefix(60))" }
  }

  static let folder = SchemaTests.folder
  static let text = ["../docs/simulated-devices.md", "README.md"]
    .compactMap { try? String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    .joined()

  /// The examples between fences that begin with `yaml` and a word.
  static let examples: [Example] = {
    var all: [Example] = []
    var lines: [Substring]?
    var kind = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```"), let found = lines {
        all.append(Example(kind: kind, text: found.joined(separator: "\n")))
        lines = nil
      } else if line.hasPrefix("```yaml ") {
        kind = String(line.split(separator: " ")[1])
        lines = []
      } else {
        lines?.append(line)
      }
    }
    return all
  }()

  /// An example as the text of a whole file.
  static func file(_ example: Example) -> String {
    func indented(_ count: Int) -> String {
      let space = String(repeating: " ", count: count)
      return example.text.split(separator: "\n").map { space + $0 + "\n" }.joined()
    }
    let head = """
      address: C0:FF:EE:00:00:01
      services:
      - service: battery
        characteristics:
        - characteristic: battery-level
          properties: [read, write, notify]

      """
    switch example.kind {
    case "characteristic": return head + indented(4)
    case "with":
      let data = "  manufacturer-data: { 0xffff: { u8: $level + $high } }\n"
      return head + "advertisement:\n" + indented(2) + data
    default: return example.text
    }
  }

  @Test("the pages have examples of each kind")
  func kinds() {
    let found = Dictionary(grouping: Self.examples, by: \.kind).mapValues(\.count)
    #expect(found.keys.sorted() == ["characteristic", "device", "scenario", "with"])
    #expect(found.values.reduce(0, +) >= 20, "\(found)")
  }

  @Test("each example is valid, matches the schema, and runs", arguments: examples)
  func runs(_ example: Example) throws {
    let path = Self.folder.appending(path: "example.yaml").path
    let text = Self.file(example)
    let scenario = try ScenarioFile.parse(text, file: path)
    let schema = example.kind == "scenario" ? "scenario.schema.json" : "device.schema.json"
    let value = JSON(try Document.parse(text, file: path))
    #expect(try SchemaTests().schema.problems(value, schema) == [])
    for device in scenario.devices { try MutatedFileTests().exercise(device) }
  }

  @Test("the lamp answers as the page describes")
  func lamp() throws {
    let bench = try bench("Lamp-1")
    let light = try bench.handle("6c610002-1b1a-4e1c-8f6b-0b6c1d2e3f40")
    let warmth = try bench.handle("2a6e")
    try bench.subscribe(warmth)
    for (level, isTaken) in [(0, true), (63, true), (64, true), (95, true), (96, false)] {
      let error = bench.device.write(light, [UInt8(level)], withResponse: true).error
      #expect((error == nil) == isTaken, "\(level)")
    }
    try bench.write(light, [100])
    try bench.run(to: 1)
    #expect(try bench.read(warmth) == [0x88, 0x13])
    #expect(bench.sent(on: warmth).last?.value == [0x88, 0x13])
  }

  @Test("the turnstile opens for five seconds or three seconds, and counts")
  func turnstile() throws {
    let bench = try bench("Turnstile-1")
    let (slot, gate, count) = (
      try bench.handle("fff1"), try bench.handle("fff2"), try bench.handle("fff3")
    )
    try bench.run(to: 1)
    try bench.subscribe(gate)
    for coin: UInt8 in [2, 2, 2] { try bench.write(slot, [coin]) }
    let early = bench.device.write(slot, [5], withResponse: true).error
    #expect(early == .procedureAlreadyInProgress)
    try bench.run(to: 4000)
    // One is left of the six.
    try bench.write(slot, [4])
    try bench.run(to: 8000)
    #expect(
      bench.sent(on: gate) == [Sent(1, [1]), Sent(3001, [0]), Sent(4000, [1]), Sent(7000, [0])]
    )
    #expect(try bench.read(count) == [2, 0, 0, 0])
  }

  private func bench(_ name: String) throws -> DeviceBench {
    let example = try #require(Self.examples.first { $0.text.contains("name: \(name)\n") })
    return DeviceBench(try #require(DeviceFile.parse(example.text, file: "readme.yaml").first))
  }
}
