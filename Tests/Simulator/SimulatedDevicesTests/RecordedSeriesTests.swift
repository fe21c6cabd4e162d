// Series from tables beside a device file.

import Bluetooth
import Documents
import Foundation
import Signals
import SimulatedDevices
import Testing

@Suite("Recorded series")
struct RecordedSeriesTests {
  static let heart = #"""
    # a morning
    time,bpm,note
    0.5,62,"rest, in bed"
    1.5,64,
    4,80,"the ""door"""
    """#

  /// Reads a device of a folder with a table.
  func device(_ series: String, table: String = heart) throws -> DeviceDefinition {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try table.write(to: folder.appending(path: "heart.csv"), atomically: true, encoding: .utf8)
    let text =
      "address: C0:FF:EE:00:00:01\n"
      + DeviceText.keys(["characteristic: fff1, properties: [read, notify], series: \(series)"])
    let path = folder.appending(path: "device.yaml").path
    do {
      return try #require(try DeviceFile.parse(text, file: path).first)
    } catch let errors as DocumentErrors {
      throw Complaints(errors, in: folder.path)
    }
  }

  /// Complaints without the folder.
  struct Complaints: Error {
    let all: [String]

    init(_ errors: DocumentErrors, in folder: String) {
      all = errors.problems.map { $0.description.replacingOccurrences(of: folder + "/", with: "") }
    }
  }

  func complaints(_ series: String, table: String = heart) throws -> [String] {
    do {
      _ = try device(series, table: table)
      return []
    } catch let complaints as Complaints {
      return complaints.all
    }
  }

  let parts = "parts: [{ hex: 00 }, { u8: { column: bpm } }]"

  @Test("each row is a value, played at even intervals")
  func evenly() throws {
    let bench = DeviceBench(try device("{ csv: heart.csv, \(parts), every: 1s, first: now }"))
    let handle = try bench.handle("fff1")
    try bench.subscribe(handle)
    try bench.run(to: 3500)
    #expect(
      bench.sent(on: handle) == [
        Sent(0, [0, 62]), Sent(1000, [0, 64]), Sent(2000, [0, 80]), Sent(3000, [0, 62]),
      ]
    )
  }

  @Test("a column sets the time of each value; the series then repeats or ends")
  func times() throws {
    for (repeats, more) in [
      ("", [Sent(6500, [0, 62]), Sent(7500, [0, 64])]), (", repeats: no", []),
    ] {
      let text =
        "{ csv: heart.csv, \(parts), time: time\(repeats.isEmpty ? "" : ", repeats: false") }"
      let bench = DeviceBench(try device(text))
      let handle = try bench.handle("fff1")
      try bench.subscribe(handle)
      try bench.run(to: 8000)
      let all = [Sent(500, [0, 62]), Sent(1500, [0, 64]), Sent(4000, [0, 80])]
      #expect(bench.sent(on: handle) == all + more)
    }
  }

  @Test("quoted cells keep their commas and quotes")
  func quoted() throws {
    let bench = DeviceBench(try device("{ csv: heart.csv, parts: [{ utf8: { column: note } }] }"))
    let handle = try bench.handle("fff1")
    let found = try (0..<3).map { _ in String(decoding: try bench.read(handle), as: UTF8.self) }
    #expect(found == ["rest, in bed", "", "the \"door\""])
  }

  @Test("errors in a table are reported with their place in the table")
  func wrongTable() throws {
    let series = "{ csv: heart.csv, \(parts), time: time }"
    func errors(_ table: String) throws -> String { try complaints(series, table: table).joined() }
    #expect(
      try errors("time,bpm\n0,62\n1,300\n")
        == "heart.csv:3:3: 300 is more than 255 (expected a value of u8)"
    )
    #expect(try errors("time,bpm\n0,62\n1\n") == "heart.csv:3:1: expected 2 cells, found 1 cell")
    #expect(
      try errors("time,bpm\n1,62\n1,63\n")
        == "heart.csv:3:1: expected a later time than above, by 1ms, found '1'"
    )
    #expect(try errors("time,bpm\nsoon,62\n").contains("expected seconds, or a duration"))
    #expect(try errors("time,bpm,bpm\n0,62,1\n").contains("1:10: duplicate column 'bpm'"))
    #expect(try errors("time,,bpm\n0,62,1\n").contains("1:6: the column has no name"))
    #expect(try errors("time,bpm\n0,\"62\n").contains("2:3: the quotes are not closed"))
    #expect(try errors("time,bpm\n0,\"62\"1\n").contains("text after the closing quote"))
    #expect(try errors("").contains("the file is empty"))
    #expect(try errors("time,bpm\n").contains("the table 'heart.csv' has no rows"))
  }

  @Test(
    "errors in a recorded series are reported with their place in the device file",
    arguments: [
      ("csv: hart.csv, parts: { u8: { column: bpm } }", "hart.csv: the file cannot be read"),
      ("csv: /etc/passwd, parts: { u8: 1 }", "not below the folder of the device file"),
      ("csv: .., parts: { u8: 1 }", "not below the folder of the device file"),
      ("csv: heart.csv", "the key 'parts' is missing"),
      ("csv: heart.csv, parts: { u8: { column: bmp } }", "did you mean 'bpm'?"),
      ("csv: heart.csv, parts: { u8: { column: bpm } }, time: tme", "did you mean 'time'?"),
      ("csv: heart.csv, parts: { u8: 1 }, time: time, every: 1s", "exclude each other"),
      ("csv: heart.csv, parts: { u8: 1 }, values: [{ u8: 1 }]", "'values' and 'csv' exclude"),
      ("values: [{ u8: 1 }], parts: { u8: 1 }", "'parts' is for a series from 'csv'"),
      ("values: [{ u8: 1 }], time: time", "'time' is for a series from 'csv'"),
      ("csv: [heart.csv], parts: { u8: 1 }", "expected the name of a file"),
    ]
  )
  func wrong(series: String, complaint: String) throws {
    let found = try complaints("{ \(series) }")
    #expect(found.contains { $0.contains(complaint) }, "\(found)")
    #expect(found.allSatisfy { $0.contains(".yaml:") || $0.contains(".csv:") })
  }
}
