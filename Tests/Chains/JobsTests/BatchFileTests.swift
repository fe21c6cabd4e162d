// Batch files: their meaning, and the errors in them.

import Bluetooth
import Documents
import Foundation
import Testing

@testable import Jobs

@Suite("Batch files")
struct BatchFileTests {
  static let chain = """
    variables:
      level: { type: integer, default: 1 }
      room: nowhere
    steps:
    - { write: alert-level, value: { u8: "{level}" } }
    - log: "{room}"
    """

  /// A folder with a chain, a batch, and whatever else is given.
  private func folder(_ batch: String, _ more: [String: String] = [:]) throws -> FolderOfFiles {
    let files = ["batch.yaml": batch, "chain.yaml": Self.chain]
    return try FolderOfFiles(files.merging(more) { $1 })
  }

  private func batch(
    _ text: String, _ more: [String: String] = [:], with bindings: Bindings = Bindings(),
    limits: PlanLimits = PlanLimits()
  ) throws -> Batch {
    let folder = try folder(text, more)
    return try Batch.load(path: folder.path + "/batch.yaml", with: bindings, limits: limits)
  }

  private func complaints(
    _ text: String, _ more: [String: String] = [:], limits: PlanLimits = PlanLimits()
  ) throws -> [String] {
    let folder = try folder(text, more)
    return folder.complaints {
      _ = try Batch.load(path: folder.path + "/batch.yaml", limits: limits)
    }
  }

  private func steps(_ batch: Batch) -> [String] {
    guard case .listed(let devices) = batch.devices else { return [] }
    return devices.map { device in
      "\(device.label): " + device.plan.steps.map(\.description).joined(separator: "; ")
    }
  }

  @Test("devices whose steps differ are printed separately, and a changed step changes the digest")
  func differingSteps() throws {
    func text(_ step: String) -> String {
      """
      variables: { tries: { type: integer, default: 1 }, error: { default: busy } }
      steps: [ { read: fff1, \(step) } ]
      devices: [ A, { name: B, with: { tries: 2 } }, { name: C, with: { error: refused } } ]
      """
    }
    let tries = try batch(text("attempts: '{tries}'"))
    #expect(tries.lines.contains("1     read fff1 attempts 2"), "\(tries.lines)")
    let errors = try batch(text("expect: { error: '{error}' }"))
    #expect(errors.lines.contains("1     read fff1 expect error = refused"), "\(errors.lines)")
    let forms = ["attempts: 2", "attempts: 3", "on-failure: continue", "expect: { error: busy }"]
    let batches = try forms.map { try batch(text($0)) }
    #expect(Set(batches.map(\.digest)).count == forms.count)
    #expect(batches[1].difference(from: batches[0].lines)?.now == "1     read fff1 attempts 3")
  }

  @Test("values of a listed device override those of the batch; the command line overrides both")
  func listed() throws {
    let text = """
      chain: chain.yaml
      with: { level: 2, room: hall }
      devices:
      - Lamp-1
      - { address: "C0:FF:EE:00:00:01", with: { level: 3 } }
      - { alias: Attic, with: { room: attic } }
      """
    var given = Bindings()
    let steps = steps(try batch(text))
    #expect(
      steps == [
        "Lamp-1: write alert-level u8:2; log hall",
        "C0:FF:EE:00:00:01: write alert-level u8:3; log hall",
        "Attic: write alert-level u8:2; log attic",
      ]
    )
    given.bind("room", to: "here", from: "--set", mustBeKnown: true)
    let over = self.steps(try batch(text, with: given))
    #expect(over.allSatisfy { $0.hasSuffix("log here") })
  }

  @Test("table columns become variables, and an empty cell keeps the default")
  func table() throws {
    let text = "chain: chain.yaml\ndevices: { csv: lists/lamps.csv, address: mac }"
    let table = "mac,level,room\nC0:FF:EE:00:00:01,4,\"hall, 1\"\nC0:FF:EE:00:00:02,,attic\n"
    #expect(
      steps(try batch(text, ["lists/lamps.csv": table])) == [
        "C0:FF:EE:00:00:01: write alert-level u8:4; log \"hall, 1\"",
        "C0:FF:EE:00:00:02: write alert-level u8:1; log attic",
      ]
    )
  }

  @Test("a batch may contain the steps, and its settings override those of a chain")
  func inline() throws {
    let batch = try batch(
      """
      name: Both
      devices: [ A, B ]
      timeout: 3s
      keep: true
      retry: { attempts: 2 }
      concurrency: 2
      on-failure: { stop-after: 3 }
      first: 1
      deadline: 5m
      every: 15m
      steps: [ { read: battery-level } ]
      """
    )
    #expect(
      batch.lines == [
        "batch     Both", "devices   2", "at once   2", "failures  stop after 3", "first     1",
        "deadline  5m", "schedule  every 15m", "", "for       A, B", "chain     Both",
        "timeout   3s a step", "retry     2 attempts, 500ms before the second",
        "link      is left up", "", "      connect", "1     read battery-level",
      ]
    )
  }

  @Test("a dry run with a scan prints placeholders instead of device names and addresses")
  func shownScan() throws {
    let text = """
      devices: { scan: 5s, name: "Lamp-*" }
      steps: [ { read: battery-level }, { log: "{name} at {address}" } ]
      """
    #expect(
      try batch(text).lines.suffix(8)
        == [
          "for       each device that is found", "chain     (no name)", "timeout   20s a step", "",
          "      connect", "1     read battery-level", "2     log \"(name) at (address)\"",
          "      disconnect",
        ]
    )
    #expect(!(try batch(text).lines.joined().contains("00:00")))
  }

  @Test(
    "a device found by a scan is identified by its address; its name is available as a variable"
  )
  func scan() throws {
    let text = """
      devices: { scan: 10s, name: "Lamp*", rssi: -70, at-least: 2, at-most: 3 }
      steps: [ { log: "{name} at {address}" } ]
      """
    guard case .scanned(let scan) = try batch(text).devices else {
      Issue.record("no scan")
      return
    }
    #expect("\(scan)" == "for 10s name Lamp* rssi -70, at least 2")
    let found = (1...4).map {
      Advertisement.of(0xc0ff_ee00_0000 + $0, $0 == 2 ? nil : "Lamp {\($0)}")
    }
    #expect(
      try scan.devices(found).map { $0.plan.steps[0].description } == [
        "log \"Lamp {{1} at C0:FF:EE:00:00:01\"",
        "log \"C0:FF:EE:00:00:02 at C0:FF:EE:00:00:02\"",
        "log \"Lamp {{3} at C0:FF:EE:00:00:03\"",
      ]
    )
  }

  @Test("an error in one device is reported at its line, with the position in the chain")
  func single() throws {
    let table = "mac,level\nC0:FF:EE:00:00:01,high\nC0:FF,2\nC0:FF:EE:00:00:03,3\n,4\n"
    let text = "chain: chain.yaml\ndevices: { csv: lamps.csv, address: mac }"
    #expect(
      try complaints(text, ["lamps.csv": table]) == [
        "lamps.csv:2:1: chain.yaml:2:3: variables.level: expected a whole number, "
          + "found 'high' from lamps.csv:2",
        "lamps.csv:3:1: expected an address such as C0:FF:EE:00:00:01, found 'C0:FF'",
        "lamps.csv:5:1: expected an address such as C0:FF:EE:00:00:01, found an empty cell",
      ]
    )
    let rooms = "steps: [ { log: '{room}' } ]\ndevices: { csv: lamps.csv, address: mac }"
    let partly = "mac,room\nC0:FF:EE:00:00:01,hall\nC0:FF:EE:00:00:02,\n"
    #expect(
      try complaints(rooms, ["lamps.csv": partly]) == [
        "lamps.csv:3:1: batch.yaml:1:17: steps.1.log: the cell of 'room' is empty, and the chain "
          + "has no default for it (expected a value in the table, or a default under 'variables')"
      ]
    )
    let missing = "steps: [ { log: '{room}' } ]\ndevices:\n- A\n- { name: B, with: { room: x } }"
    #expect(
      try complaints(missing) == [
        "batch.yaml:3:3: devices.1: batch.yaml:1:17: steps.1.log: no earlier step captures 'room' "
          + "(expected a step before this one with 'as')"
      ]
    )
  }

  @Test(
    "an error common to all devices is reported once, and errors in single devices are capped"
  )
  func common() throws {
    let names = (1...50).map { "C0:FF:EE:00:00:\($0 + 10),x" }.joined(separator: "\n")
    let text = "chain: chain.yaml\ndevices: { csv: lamps.csv, address: mac }"
    let wrong = try complaints(text, ["lamps.csv": "mac,level\n\(names)\n"])
    #expect(wrong.count == 21)
    #expect(wrong.last == "lamps.csv:22:1: 30 more devices have invalid values")
    #expect(
      try complaints("steps: [ { reed: battery-level } ]\ndevices: [ A, B ]") == [
        "batch.yaml:1:12: steps.1: unknown step 'reed' (did you mean 'read'?)"
      ]
    )
  }

  @Test("a chain outside the folder of the batch and a duplicate device are rejected")
  func refused() throws {
    let outside = try complaints("chain: ../chain.yaml\ndevices: [ A ]")
    #expect(outside.count == 1 && outside[0].hasPrefix("batch.yaml:1:8: chain: '../chain.yaml': "))
    let twice = try complaints("chain: chain.yaml\ndevices: [ A, B, { name: A } ]")
    #expect(twice.count == 1)
    #expect(twice[0].hasPrefix("batch.yaml:2:18: devices.3: duplicate device 'A', first at "))
  }

  @Test("a missing column is reported with the closest existing name")
  func column() throws {
    let text = "chain: chain.yaml\ndevices: { csv: a.csv, address: mak }"
    #expect(
      try complaints(text, ["a.csv": "mac\nC0:FF:EE:00:00:01\n"])
        .map { $0.components(separatedBy: ": ").first } == ["batch.yaml:2:33"]
    )
  }

  @Test("the number of devices is limited")
  func bound() throws {
    var limits = PlanLimits()
    limits.devices = 2
    #expect(
      try complaints("chain: chain.yaml\ndevices: [ A, B, C ]", limits: limits)
        == ["batch.yaml:2:10: devices: there are more than 2 devices"]
    )
  }
}
