// `blerun watch`: its arguments, its forms of output, its journal. It runs in real time, until a signal.

import Fixtures
import Foundation
import Glibc
import Testing

@testable import Program

@Suite("blerun watch", .blocking)
struct WatchTests {
  private static let heart = "heart-rate-measurement"
  private static let both = [
    "--simulate", "Simulators/devices/heart-rate.yaml", "--simulate",
    "Simulators/devices/thermometer.yaml",
  ]

  private func run(_ arguments: [String]) throws -> RunningProgram.Ended {
    try blerun(["watch"] + arguments)
  }

  // MARK: Arguments

  /// `A: x y; B: z` for the devices that arguments name.
  private func targets(_ arguments: String) throws -> String {
    let words = WatchTargets.marked(["watch"] + arguments.split(separator: " ").map(String.init))
    var plain: [String] = []
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      if ["-d", "--device", "--for"].contains(word) {
        rest = rest.dropFirst()
      } else if !word.hasPrefix("-") {
        plain.append(word)
      }
    }
    return try WatchTargets(plain).devices.map { device in
      "\(device.name ?? "-"): \(device.characteristics.joined(separator: " "))"
    }.joined(separator: "; ")
  }

  @Test(
    "each of several --device options precedes its characteristics; a single one may be anywhere",
    arguments: [
      ("battery-level", "-: battery-level"),
      ("battery-level 2a37", "-: battery-level 2a37"),
      ("HRM-1 battery-level", "HRM-1: battery-level"),
      ("rssi", "-: rssi"), ("rssi battery-level", "-: rssi battery-level"),
      ("HRM-1 battery-level rssi", "HRM-1: battery-level rssi"),
      ("-d A battery-level 2a37", "A: battery-level 2a37"),
      ("battery-level --device A 2a37", "A: battery-level 2a37"),
      ("-d A 2a37 --for 3s 2a19 --device=B 2a1c", "A: 2a37 2a19; B: 2a1c"),
      ("-d 2a37 2a37 -d=B -- 2a1c", "2a37: 2a37; B: 2a1c"),
    ]
  )
  func targets(arguments: String, expected: String) throws {
    #expect(try targets(arguments) == expected)
  }

  // MARK: Output

  @Test("a single field can be printed as CSV and as JSON")
  func field() throws {
    let arguments = ["HRM-1", Self.heart, "--field", "bpm", "--count", "2"] + Self.both
    let csv = try run(arguments + ["--output", "csv"])
    #expect(csv.status == 0, "\(csv.errors)")
    #expect(csv.lines.first == "time,offset,device,attribute,event,field,value,unit,hex")
    #expect(csv.lines.count == 3)
    #expect(csv.lines.dropFirst().allSatisfy { $0.contains(/,value,bpm,\d+,bpm,[0-9a-f]+$/) })
    let json = try run(arguments + ["--output", "json"])
    #expect(json.lines.count == 2)
    #expect(json.lines.allSatisfy { $0.contains(/"value":\{"bpm":\d+\}/) }, "\(json.output)")
  }

  @Test("with --resume, watch waits for a device to come into range; without it, watch fails")
  func firstConnect() throws {
    let folder = try TemporaryFolder()
    let belt = projectFolder + "/Simulators/devices/heart-rate.yaml"
    let late = try folder.file(
      "late.yaml",
      """
      scenario: A belt that is out of range at first
      devices: [ { use: "\(belt)" } ]
      faults: [ { fault: out-of-range, at: 0s, for: 8s } ]
      """
    )
    // The first attempt ends before the belt is there; the second one has some seconds with it.
    let arguments = [
      "HRM-1", Self.heart, "--count", "1", "--timeout", "6s", "--simulate", late,
    ]
    let ended = try run(arguments)
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.lines.count == 1)
    #expect(ended.errors.components(separatedBy: "trying again").count == 2, "\(ended.errors)")
    #expect(ended.errors.contains("HRM-1"))
    let once = try run(arguments + ["--no-resume"])
    #expect(once.status == 75, "\(once.errors)")
    #expect(!once.errors.contains("trying again"))
    let wrong = try run(["HRM-1", "battery-power-state", "--simulate", belt])
    #expect(wrong.status == 1 && wrong.errors.contains("battery-power-state"), "\(wrong.errors)")
  }

  @Test("Ctrl-C ends a watch of two devices, disconnects both and records the end")
  func interrupted() throws {
    let folder = try TemporaryFolder()
    let journal = folder.path + "/journal.sqlite"
    let program = try RunningProgram(
      blerun: [
        "watch", "-d", "HRM-1", Self.heart, "-d", "Thermo-1", "intermediate-temperature",
        "--journal", journal, "--output", "json",
      ] + Self.both
    )
    try program.waitForOutput(#""device":"HRM-1""#)
    try program.waitForOutput(#""device":"Thermo-1""#)
    program.send(SIGINT)
    let ended = program.end()
    #expect(ended.status == 130, "\(ended.errors)")
    let shown = try blerun("history", "show", "1", "--journal", journal)
    #expect(shown.lines.first == "run       1, watch of simulated devices")
    for device in ["HRM-1  cancelled after ", "Thermo-1  cancelled after "] {
      #expect(shown.lines.contains { $0.hasPrefix(device) }, "\(shown.output)")
    }
    #expect(shown.lines.contains { $0.contains("  notify heart-rate-measurement  cancelled") })
    let values = try blerun("history", "export", "1", "--journal", journal)
    let recorded = values.lines.filter { $0.contains(#""event":"value""#) }
    #expect(recorded.count == ended.lines.count, "what was printed is recorded, and no more")
  }
}
