// What differs between the simulated releases of BlueZ.

import BlueZInterfaces
import Bluetooth
import DBus
import Fixtures
import Foundation
import Signals
import Testing

@testable import BlueZSimulator

@Suite("Releases of BlueZ")
struct ReleaseTests {
  @Test("a change is in its release and in those after it, and not where it was taken back")
  func history() {
    #expect(!BlueZVersion(5, 66).has(.handles))
    #expect(!BlueZVersion(5, 68).has(.handles))
    #expect(BlueZVersion(5, 69).has(.handles))
    #expect(BlueZVersion(5, 82).has(.undiscoverableDevices))
    #expect(!BlueZVersion(5, 83).has(.undiscoverableDevices))
    #expect(BlueZChange.allCases.allSatisfy { !BlueZVersion.debian12.has($0) })
  }

  @Test("the software's version in Modalias is the release in hexadecimal digits")
  func modalias() {
    #expect(HostServices.modalias(of: .debian12) == "usb:v1D6Bp0246d0542")
    #expect(HostServices.modalias(of: .debian13) == "usb:v1D6Bp0246d0552")
    #expect(HostServices.modalias(of: BlueZVersion(5, 87)) == "usb:v1D6Bp0246d0557")
  }

  @Test("up to 5.78 Disconnect is answered between two signals, later after one")
  func disconnecting() {
    for (version, isOne) in [(BlueZVersion(5, 78), false), (BlueZVersion(5, 79), true)] {
      var machine = LinkMachine<Int>(version)
      _ = machine.connect(1)
      _ = machine.established(1)
      _ = machine.resolved(1)
      _ = machine.disconnect(2)
      let steps = machine.closed(2).compactMap { action -> String? in
        if case .markServicesResolved = action { return "services" }
        if case .markConnected = action { return "connected" }
        if case .answer = action { return "answer" }
        return nil
      }
      #expect(steps == ["services"] + (isOne ? ["connected", "answer"] : ["answer", "connected"]))
    }
  }

  @Test("docs/testing.md lists every change; UPDATE_GENERATED=1 writes the table")
  func page() throws {
    let page = URL(filePath: projectFolder).appending(path: "docs/testing.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let (begin, end) = ("<!-- table releases -->\n", "<!-- end -->")
    let parts = text.components(separatedBy: begin)
    try #require(parts.count == 2)
    let rest = try #require(parts[1].range(of: end))
    let rows = BlueZChange.allCases.map(\.row).sorted { $0.since < $1.since }.map { row in
      "| \(row.since)\(row.until.map { ", until \($0)" } ?? "") | \(row.place) | \(row.text)\(row.isSimulated ? "" : " ‡") |"
    }
    let table = (["| since | where | difference |", "|---|---|---|"] + rows).joined(separator: "\n")
    let made = parts[0] + begin + "\n" + table + "\n\n" + parts[1][rest.lowerBound...]
    if ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil {
      try made.write(to: page, atomically: true, encoding: .utf8)
    }
    #expect(made == text, "the table differs from the rows of BlueZChange")
  }
}
