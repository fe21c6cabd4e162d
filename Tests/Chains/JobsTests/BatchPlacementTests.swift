// The gateways that a batch file names.

import Documents
import Fixtures
import Foundation
import Testing

@testable import Jobs

@Suite("Gateways in a batch file")
struct BatchPlacementTests {
  private static let text = """
    steps: [ { read: battery-level } ]
    pin: hall-1
    prefer: hall-2
    devices: [ Lamp-1, { name: Lamp-2, pin: attic }, { name: Lamp-3, prefer: attic } ]
    """

  private func batch(_ text: String) throws -> Batch {
    let folder = try FolderOfFiles(["batch.yaml": text])
    return try Batch.load(path: folder.path + "/batch.yaml")
  }

  @Test("a device overrides pin and prefer of the batch independently of each other")
  func device() throws {
    guard case .listed(let devices) = try batch(Self.text).devices else {
      Issue.record("the devices are listed")
      return
    }
    #expect(devices.map(\.placement.pin) == ["hall-1", "attic", "hall-1"])
    #expect(devices.map(\.placement.prefer) == ["hall-2", "hall-2", "attic"])
  }

  @Test("a dry run prints the gateways; a resumed batch may use others")
  func printed() throws {
    let batch = try batch(Self.text)
    let lines = batch.lines.filter { $0.hasPrefix("pin ") || $0.hasPrefix("prefer ") }
    #expect(
      lines == [
        "pin       hall-1", "prefer    hall-2", "pin       attic", "prefer    hall-2",
        "pin       hall-1", "prefer    attic",
      ]
    )
    let other = try self.batch(Self.text.replacingOccurrences(of: "hall", with: "yard"))
    #expect(other.digest == batch.digest)
  }

  private func table(_ keys: String, _ table: String) throws -> FolderOfFiles {
    try FolderOfFiles([
      "batch.yaml": """
      steps: [ { read: battery-level } ]
      pin: hall-1
      devices: { csv: lamps.csv, address: mac, \(keys) }
      """,
      "lamps.csv": table,
    ])
  }

  @Test("table columns may name the gateways; an empty cell keeps that of the batch")
  func columns() throws {
    let folder = try table(
      "pin: room, prefer: near",
      "mac,room,near\nC0:FF:EE:00:00:01,attic,hall-2\nC0:FF:EE:00:00:02,,\n"
    )
    guard case .listed(let devices) = try Batch.load(path: folder.path + "/batch.yaml").devices
    else {
      Issue.record("the devices are listed")
      return
    }
    #expect(devices.map(\.placement.pin) == ["attic", "hall-1"])
    #expect(devices.map(\.placement.prefer) == ["hall-2", nil])
  }

  @Test("a column named pin or prefer is not used as a gateway unless the batch says so")
  func otherColumn() throws {
    let folder = try table("prefer: near", "mac,pin,near\nC0:FF:EE:00:00:01,4711,a\n")
    guard case .listed(let devices) = try Batch.load(path: folder.path + "/batch.yaml").devices
    else {
      Issue.record("the devices are listed")
      return
    }
    #expect(devices.map(\.placement.pin) == ["hall-1"])
  }

  @Test("a missing column and a cell that is not a gateway name are reported")
  func wrongColumns() throws {
    let missing = try table("pin: rom", "mac,room\nC0:FF:EE:00:00:01,attic\n")
    let said = missing.complaints { _ = try Batch.load(path: missing.path + "/batch.yaml") }
    #expect(said.count == 1)
    #expect(said.first?.contains("unknown column 'rom' in lamps.csv") == true, "\(said)")
    let invalid = try table("pin: room", "mac,room\nC0:FF:EE:00:00:01,the attic\n")
    let told = invalid.complaints { _ = try Batch.load(path: invalid.path + "/batch.yaml") }
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("lamps.csv:2:") == true, "\(told)")
    #expect(told.first?.contains("the name of a gateway") == true, "\(told)")
  }
}
