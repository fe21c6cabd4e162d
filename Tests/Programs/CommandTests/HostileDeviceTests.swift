// A device whose names and values are made to control a terminal, through every command: all that a
// process prints is searched.

import Documents
import Fixtures
import Foundation
import FoundationXML
import GRDB
import Testing

@testable import Jobs
@testable import Journal

@Suite("A hostile device", .blocking)
struct HostileDeviceTests {
  /// Sets the clipboard, starts a forged line, reorders and hides text, and ends in invalid UTF-8.
  private static let octets =
    Array("=\u{1b}]52;c;YQ==\u{7}\r\nFORGED \u{9b}2J\u{202e}\u{200b}\u{2028}".utf8) + [0xff, 0xc3]
  private static let text = #"=\e]52;c;YQ==\a\r\nFORGED \u009b2J\u202e\u200b\u2028"#

  private static let hex = octets.map {
    String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
  }.joined(separator: " ")

  private static let definition = """
    name: "\(text)"
    address: C0:FF:EE:00:66:01
    advertisement:
      services: [battery]
      interval: 20ms
      extended: true
      manufacturer-data: { 0x0059: "\(hex)" }
    link: { connect-time: 5ms, latency: 1ms }
    services:
      - service: device-information
        characteristics:
          - characteristic: manufacturer-name-string
            properties: [read]
            value: { hex: "\(hex)" }
            descriptors:
              - { descriptor: 0x2901, value: { hex: "\(hex)" } }
          - characteristic: model-number-string
            properties: [read]
            value: { utf8: "\(text)" }
      - service: battery
        characteristics:
          - characteristic: battery-level
            properties: [read, write, notify]
            series: { values: [{ u8: 40 }, { u8: 41 }], every: 10ms }
    """

  private let folder: TemporaryFolder
  private let device: String
  private var world: [String] { ["--simulate", device] }

  init() throws {
    folder = try TemporaryFolder()
    device = try folder.file("device.yaml", Self.definition)
  }

  /// Runs a command, and checks everything that it printed.
  @discardableResult
  private func run(
    _ arguments: [String], _ status: ClosedRange<Int32> = 0...0,
    environment: [String: String] = [:]
  ) throws -> RunningProgram.Ended {
    let ended = try blerun(arguments, environment: environment)
    #expect(status.contains(ended.status), "\(arguments): \(ended.status) \(ended.errors)")
    check(ended.output + ended.errors, of: "\(arguments)")
    return ended
  }

  private func check(_ text: String, of what: String) {
    let wrong = text.unicodeScalars.first { $0 != "\n" && !$0.isPrintable }
    #expect(wrong == nil, "\(what) has \(wrong.map { String($0.value, radix: 16) } ?? "")")
    #expect(!text.split(separator: "\n").contains { $0.hasPrefix("FORGED") }, "\(what)")
  }

  @Test(
    "scans, listings and single values print no control sequences",
    arguments: [
      ["scan"], ["scan", "--follow"], ["inspect"], ["read", "manufacturer-name-string"],
      ["read", "model-number-string"], ["read", "model-number-string", "--format", "u8"],
      ["read", "manufacturer-name-string/2901", "--descriptor"],
      ["write", "model-number-string", "utf8:\u{1b}[2J"], ["pair"], ["unpair"],
      ["watch", "battery-level", "--count", "2"], ["doctor"],
    ]
  )
  func singles(arguments: [String]) throws {
    for format in ["text", "json"] {
      try run(arguments + world + ["--output", format], 0...75)
    }
  }

  private static let suffixes = ["xml", "tap", "html", "csv", "jsonl", "txt"]

  @Test(
    "runs, batches, their reports and the history of them print no control sequences",
    arguments: ["run", "batch"]
  )
  func runs(command: String) throws {
    let journal = folder.path + "/journal.sqlite"
    let chain = try folder.file(
      "chain.yaml",
      """
      name: "chain \\e[2J\\nFORGED"
      \(command == "batch" ? "devices: [ \"\(Self.text)\" ]" : "device: { name: \"\(Self.text)\" }")
      steps:
        - { read: model-number-string, as: m }
        - { log: "{m} \\e[2J" }
        - { notify: battery-level, until: { count: 2 } }
        - { read: manufacturer-name-string, format: hex }
        - { read: model-number-string, expect: "\\e[2J" }
      """
    )
    for format in ["text", "json", "junit", "tap"] {
      let reports = Self.suffixes.flatMap { ["--report", "\(folder.path)/\(format).\($0)"] }
      let own = ["--journal", journal, "--output", format]
      let ended = try run([command, chain] + world + own + reports, 1...75)
      #expect(ended.output.contains("FORGED"), "\(ended.errors)")
      for suffix in Self.suffixes {
        let path = "\(folder.path)/\(format).\(suffix)"
        let report = try String(contentsOfFile: path, encoding: .utf8)
        #expect(report.contains("FORGED"), "\(suffix)")
        check(report, of: suffix)
        if suffix == "csv" { #expect(report.contains(",'=") && !report.contains(",=")) }
        if suffix == "xml" { #expect(XMLParser(data: Data(report.utf8)).parse()) }
      }
    }
    try run([command, chain, "--dry-run"] + world)
    try run(["check", chain], 0...65)
    for arguments in [["list"], ["show", "1"], ["check"]] {
      for format in ["text", "json"] {
        try run(["history"] + arguments + ["--journal", journal, "--output", format])
      }
    }
    try run(["history", "export", "1", "--format", "json", "--journal", journal])
    let table = try run(["history", "export", "1", "--format", "csv", "--journal", journal])
    #expect(table.output.contains(",'=") && !table.output.contains(",="))
  }

  @Test("errors about files, file names and foreign journals print no control sequences")
  func files() throws {
    let wrong = try folder.file(
      "a\u{1b}[2J.yaml", "steps: [ { \"re\\e[2J\\nFORGED\": 1 }, { read: \"\\e]0;x\\a\" } ]\n"
    )
    try run(["check", wrong], 65...65)
    try run(["run", wrong, "-d", "A"], 65...65)
    try run(["read", "-d", "A", "battery\u{1b}[2Jlevel"], 65...65)
    let path = folder.path + "/other.sqlite"
    try run(["run", "-e", "read battery-level"] + world + ["--journal", path])
    let file = try JournalFile(writing: path)
    try file.write { database in
      let text = "'\(String(decoding: Self.octets.dropLast(2), as: UTF8.self))'"
      try database.execute(
        sql: """
          UPDATE runs SET identity = \(text), command = \(text), definition = \(text), owner = \(text), version = \(text);
          UPDATE chains SET device = \(text), name = \(text), identity = \(text), status = \(text);
          UPDATE steps SET position = \(text), operation = \(text), attribute = \(text), written = \(text), status = \(text);
          UPDATE step_values SET hex = \(text), value = json_quote(\(text));
          """
      )
    }
    file.close()
    for arguments in [["list"], ["show", "1"], ["check"]] {
      for format in ["text", "json"] {
        try run(["history"] + arguments + ["--journal", path, "--output", format], 0...65)
      }
    }
    try run(["history", "export", "1", "--format", "json", "--journal", path], 0...65)
    try run(["history", "export", "1", "--format", "csv", "--journal", path])
  }

  @Test("the doctor prints no control sequences while the device is connected")
  func doctor() throws {
    let host = try SimulatedHost(
      "scenario: Hostile\ndevices: [ { use: \"\(device)\" } ]\nhost: { disconnect-delay: 20ms }\n"
    )
    try run(
      ["run", "-d", "C0:FF:EE:00:66:01", "-e", "read battery-level", "--keep"],
      environment: try host.environment()
    )
    let found = try run(["doctor"], environment: try host.environment())
    #expect(found.output.contains("FORGED"), "\(found.output)")
    try run(["doctor", "--output", "json"], environment: try host.environment())
  }
}
