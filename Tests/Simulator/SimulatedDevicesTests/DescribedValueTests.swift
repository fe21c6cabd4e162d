// Descriptions of values in device files.

import Bluetooth
import Documents
import Foundation
import Testing

@testable import SimulatedDevices

@Suite("Described values in device files")
struct DescribedValueTests {
  private static let names = """
    names:
      log-record:
        uuid: 0000a001-1212-efde-1523-785feabcd123
        fields:
          - { sequence: u16 }
          - { mode: u8, names: { 0: off, 1: eco } }
          - { flags: u8, bits: { low: 0, tamper: 1 } }
          - { crc: u8, checksum: xor8 }

    """

  private func keys(_ value: String) -> String {
    Self.names
      + DeviceText.keys(["characteristic: log-record, properties: [read], value: \(value)"])
  }

  @Test("a value is written by its fields, and its checksum is computed")
  func value() throws {
    let device = try DeviceText.device(
      keys("{ fields: { sequence: 0x0102, mode: eco, flags.tamper: true } }")
    )
    #expect(
      device.services[0].characteristics[0].behaviour == .constant([2, 1, 1, 2, 0])
    )
  }

  @Test(
    "a wrong field is found at its place",
    arguments: [
      (
        "{ fields: { sequence: 1, mode: ecco } }",
        "fields.mode: unknown name 'ecco' (did you mean 'eco'?); names of mode: off, eco"
      ),
      ("{ fields: { sequence: 1 } }", "fields: mode: missing"),
      (
        "{ fields: { sequence: 1, mode: eco, flag: 1 } }",
        "fields.flag: unknown field of log-record (did you mean 'flags'?)"
      ),
    ]
  )
  func mistake(value: String, message: String) {
    let found = DeviceText.complaints(keys(value))
    #expect(found.count == 1 && found[0].hasSuffix(message), "\(found)")
  }

  @Test("fields of a characteristic that nothing describes are refused")
  func undescribed() {
    let found = DeviceText.complaints(
      ofCharacteristics: "characteristic: fff1, properties: [read], value: { fields: { a: 1 } }"
    )
    #expect(
      found.count == 1
        && found[0].contains("the values of this attribute have no described fields"),
      "\(found)"
    )
  }

  // MARK: The name of a description as a format

  /// A described record of fff2, and a machine that sends it.
  private static func machine(_ transitions: String) -> String {
    """
    names:
      record:
        uuid: fff2
        fields: [{ sequence: u16 }, { moisture: u16, scale: 0.01 }, { mode: u8, names: { 0: off, 1: eco } }]
      command:
        fields: [{ code: u8, names: { 1: send, 2: stop } }, { argument: u8 }]
    services:
    - service: fff0
      characteristics:
      - { characteristic: fff1, properties: [read, write] }
      - { characteristic: record, properties: [read, notify] }
    machines:
    - machine: test
      variables: { n: 7, raw: 2150 }
      states:
        idle:
          on: \(transitions)
    """
  }

  private func bench(_ transitions: String) throws -> DeviceBench {
    DeviceBench(try DeviceText.device(Self.machine(transitions)))
  }

  @Test("a machine sets and sends described values, with calculations that are exact")
  func sends() throws {
    let bench = try bench(
      "{ write: fff1, when: { command: { code: send } }, do: { notify: { record: "
        + "{ sequence: $n + 1, moisture: $raw / 100, mode: eco } }, on: record } }"
    )
    let (command, record) = (try bench.handle("fff1"), try bench.handle("fff2"))
    try bench.subscribe(record)
    try bench.write(command, [2, 0])
    try bench.run(to: 10)
    #expect(bench.sent(on: record).isEmpty, "another code")
    try bench.write(command, [1, 99])
    try bench.run(to: 20)
    #expect(bench.sent(on: record).map(\.value) == [[8, 0, 0x66, 8, 1]])
    #expect(try bench.read(record) == [8, 0, 0x66, 8, 1])
  }

  @Test("a value whose fields cannot be encoded is empty")
  func unencodable() throws {
    let bench = try bench(
      "{ write: fff1, do: { set: { record: { sequence: $n * 10000, moisture: 1, mode: eco } }, "
        + "on: record } }"
    )
    try bench.write(try bench.handle("fff1"), [1])
    #expect(try bench.read(bench.handle("fff2")) == [])
  }

  @Test(
    "mistakes in described values of a machine are found at their place",
    arguments: [
      (
        "{ write: fff1, when: { command: { cod: send } } }",
        "when.command.cod: unknown field of command (did you mean 'code'?)"
      ),
      (
        "{ write: fff1, do: { set: { record: { sequence: $m, moisture: 1, mode: eco } }, on: record } }",
        "do.set.record.sequence: unknown name 'm'"
      ),
      (
        "{ write: fff1, do: { set: { record: { sequenze: $n, moisture: 1, mode: eco } }, on: record } }",
        "do.set.record.sequenze: unknown field of record (did you mean 'sequence'?)"
      ),
      (
        "{ write: fff1, do: { set: { record: { sequence: 1, moisture: 1, mode: ecco } }, on: record } }",
        "do.set.record.mode: unknown name 'ecco' (did you mean 'eco'?); names of mode: off, eco"
      ),
      (
        "{ write: fff1, do: { set: { record: { sequence: $n, moisture: 1, mode: ecco } }, on: record } }",
        "do.set.record.mode: unknown name 'ecco' (did you mean 'eco'?); names of mode: off, eco"
      ),
      (
        "{ write: fff1, do: { set: { record: { sequence: $n, mode: eco } }, on: record } }",
        "do.set.record: moisture: missing"
      ),
      (
        "{ write: fff1, do: { set: { record: { sequence: $n, moisture: 700, mode: eco } }, on: record } }",
        "do.set.record.moisture: 700 is not in 0.00 to 655.35"
      ),
      (
        "{ write: fff1, do: { set: { record: { sequence: $written, moisture: 1, mode: eco } }, "
          + "on: record } }",
        "do.set.record.sequence: '$written' is bytes (expected a number)"
      ),
      (
        "{ write: fff1, when: { command: { code: sned } } }",
        "when.command.code: unknown name 'sned' (did you mean 'send'?)"
      ),
      (
        "{ write: fff1, when: { command: { code: 1 } } }",
        "when.command.code: no value is '1' (did you mean 'send'?)"
      ),
      (
        "{ write: fff1, when: { command: { argument: 300 } } }",
        "when.command.argument: 300 is not in 0 to 255"
      ),
      (
        "{ write: fff1, do: { set: { recrd: { sequence: 1 } }, on: record } }",
        "do.set.recrd: unknown format 'recrd' (did you mean 'record'?)"
      ),
    ]
  )
  func machineMistakes(transitions: String, message: String) {
    let found = DeviceText.complaints(Self.machine(transitions))
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }

  @Test(
    "fields that only other values require may be missing, groups and lists are checked inside",
    arguments: [
      ("{ kind: $n, level: 3 }", nil),
      ("{ kind: low, level: $n, flags.fast: true, flags.mode: 1 }", nil),
      ("{ kind: high, flags: { fast: true, mode: 2 }, cells: [{ mV: $n }] }", nil),
      (
        "{ kind: $n, flags: { fats: true, mode: 1 } }",
        "flags.fats: unknown field of flags (did you mean 'fast'?)"
      ),
      ("{ kind: $n, flags: { mode: 9 } }", "flags.mode: '9' cannot be sent"),
      ("{ kind: $n, flags: { fast: true } }", "flags: mode: missing"),
      ("{ kind: $n, cells: [{ mV: 1 }, { mV: 70000 }] }", "cells.2.mV: 70000 is not in 0 to 65535"),
      (
        "{ kind: $n, cells: [{ mv: 1 }] }",
        "cells.1.mv: unknown field of cells (did you mean 'mV'?)"
      ),
    ] as [(String, String?)]
  )
  func partial(value: String, message: String?) {
    let text = """
      names:
        state:
          uuid: fff2
          fields:
            - { kind: u8, names: { 0: low, 1: high } }
            - { flags: u8, bits: { fast: 0, mode: 1..3 }, when: kind = 1 }
            - { level: u8, when: kind = 0 }
            - { cells: [{ mV: u16 }], repeat: end, optional: true }
      services:
      - service: fff0
        characteristics:
        - { characteristic: fff1, properties: [write] }
        - { characteristic: state, properties: [read] }
      machines:
      - machine: test
        variables: { n: 1 }
        states: { idle: { on: { write: fff1, do: { set: { state: \(value) }, on: state } } } }
      """
    let found = DeviceText.complaints(text)
    guard let message else { return #expect(found.isEmpty, "\(found)") }
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }

  @Test("the columns of a table are fields of a described value")
  func columns() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let table = "wet,mode\n21.5,eco\n22,off\n"
    try table.write(to: folder.appending(path: "soil.csv"), atomically: true, encoding: .utf8)
    let text =
      "address: C0:FF:EE:00:00:01\n" + Self.names
      + DeviceText.keys([
        "characteristic: fff1, properties: [read], series: { csv: soil.csv, parts: [{ hex: ff }, "
          + "{ log-record: { sequence: 1, mode: { column: mode }, flags.low: true } }] }"
      ])
    let device = try #require(
      try DeviceFile.parse(text, file: folder.appending(path: "device.yaml").path).first
    )
    let bench = DeviceBench(device)
    let handle = try bench.handle("fff1")
    let rows = try (0..<2).map { _ in try bench.read(handle) }
    #expect(rows == [[0xff, 1, 0, 1, 1, 1], [0xff, 1, 0, 0, 1, 0]])
  }

  @Test("a constant value and a list may name a description or an assigned characteristic")
  func constant() throws {
    let device = try DeviceText.device(
      keys("[{ hex: aa }, { battery-level: 87 }, { log-record: { sequence: 1, mode: off } }]")
    )
    #expect(
      device.services[0].characteristics[0].behaviour == .constant([0xaa, 87, 1, 0, 0, 0, 1])
    )
  }
}
