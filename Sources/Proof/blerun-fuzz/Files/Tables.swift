// Damaged tables: devices of a batch, and values of simulated devices.

import Documents
import Jobs
import Signals
import SimulatedDevices

/// Feeds damaged tables to the CSV parser, then to its users: a batch, or a device file.
struct Tables: FuzzTarget {
  /// A batch that names the table, and a device file that does.
  private static let devices = Array(
    """
    devices: { csv: table.csv, address: mac }
    variables: { level: { type: integer, default: 1 }, room: x }
    steps: [ { write: alert-level, value: { u8: "{level}" } }, { log: "{room}" } ]
    """.utf8
  )

  private static let series = [
    (
      "thingy.csv",
      "csv: table.csv, parts: [ { i8: { column: degrees } }, { u8: 1 } ], time: seconds"
    ),
    ("glucose.csv", "csv: table.csv, parts: [ { u16: { column: sequence } } ], every: 1s"),
  ]

  private static let ofDevices =
    "mac,level,room\nC0:FF:EE:00:01:00,2,hall\nC0:FF:EE:00:01:01,,attic\n"
    + "# one more\n\"C0:FF:EE:00:01:02\",0x3,\"a, \"\"b\"\"\"\n"

  private let seed: UInt64
  private let corpus: Corpus
  private let folder: InputFolder

  init(seed: UInt64) throws {
    self.seed = seed
    corpus = try Corpus(["Simulators/devices/*.csv"], and: [("devices.csv", Self.ofDevices)])
    folder = try InputFolder()
    try folder.write(Self.devices, as: "batch.yaml")
    for (name, series) in Self.series {
      let device = """
        name: Series
        address: C0:FF:EE:00:00:01
        services:
        - service: 6e400001-b5a3-f393-e0a9-e50e24dcca9e
          characteristics:
          - characteristic: 6e400003-b5a3-f393-e0a9-e50e24dcca9e
            properties: [read, notify]
            series: { \(series) }
        """
      try folder.write(Array(device.utf8), as: name + ".yaml")
    }
  }

  func input(_ number: UInt64) -> String {
    let (path, octets) = makeInput(number)
    return "# \(path), damaged\n" + String(decoding: octets, as: UTF8.self)
  }

  func feed(_ number: UInt64) throws -> Bool {
    let (path, octets) = makeInput(number)
    let text = String(decoding: octets, as: UTF8.self)
    do {
      try check(try CSVTable.parse(text, file: "table.csv"), text)
    } catch let errors as DocumentErrors {
      guard !errors.problems.isEmpty else {
        throw BrokenPromise(description: "the table is refused without a reason")
      }
    }
    try folder.write(octets, as: "table.csv")
    do {
      if path == "devices.csv" {
        _ = try Batch.load(path: folder.path + "/batch.yaml").lines
      } else {
        let name = path.split(separator: "/").last ?? ""
        _ = try ScenarioFile.load(path: folder.path + "/\(name).yaml")
      }
      return true
    } catch {
      guard !error.problems.isEmpty else {
        throw BrokenPromise(description: "what reads the table refuses it without a reason")
      }
      return false
    }
  }

  /// Checks that rows are as wide as the header, and that printing the table and parsing it again
  /// returns the same table.
  private func check(_ table: CSVTable, _ text: String) throws {
    guard table.rows.allSatisfy({ $0.count == table.columns.count }),
      Set(table.columns).count == table.columns.count
    else {
      throw BrokenPromise(description: "a row is not as wide as the head, or a column is twice")
    }
    let cells = [table.columns] + table.rows.map { $0.map(\.cellText) }
    let written = cells.map { row in
      row.map { cell in
        "\"" + cell.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
      }.joined(separator: ",") + "\n"
    }.joined()
    let limits = DocumentLimits(octets: 8 * text.utf8.count + 64)
    let again = try CSVTable.parse(written, file: "table.csv", limits: limits)
    guard again.columns == table.columns,
      again.rows.map({ $0.map(\.cellText) }) == Array(cells.dropFirst())
    else { throw BrokenPromise(description: "the table that is written anew is another one") }
  }

  private func makeInput(_ number: UInt64) -> (path: String, octets: [UInt8]) {
    var generator = SeededGenerator("csv", seed: seed, number: number)
    let file = generator.pick(corpus.files)
    var octets = file.octets
    if generator.hits(3, in: 4) { octets = TableDamage.damaged(octets, &generator) }
    if generator.hits(1, in: 3) { octets = Mutation.damaged(octets, with: corpus, &generator) }
    return (file.path, octets)
  }
}
