// `blerun adapters`: bluetoothd's adapters and the kernel's, put together.
//
// The last test needs a process that serves a bus, and one that reads it.

import BlueZ
import Bluetooth
import DBus
import Documents
import Fixtures
import Jobs
import Testing

@testable import Program

@Suite("blerun adapters", .blocking)
struct AdaptersTests {
  private struct Companies: CompanyNames {
    func name(of company: UInt16) -> String? { company == 15 ? "Broadcom" : nil }
  }

  private func address(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(number: 0x00aa_0100_0000 + number)
  }

  private func facts(_ name: String, _ number: UInt64?) -> AdapterFacts {
    AdapterFacts(
      path: "/org/bluez/hci0", name: name, address: number.map { address($0) }, alias: "desk",
      isPowered: true
    )
  }

  private func details(_ name: String, _ number: UInt64) -> AdapterDetails {
    AdapterDetails(
      name: name, address: address(number), manufacturer: 15, version: 11,
      supported: ["powered", "low-energy"], current: ["low-energy"], features: [1]
    )
  }

  @Test("adapters known to both sources are merged; others are listed by the source that has them")
  func merged() {
    let all = ListedAdapter.all(
      [facts("hci0", 1), facts("hci10", nil)],
      [details("hci0", 1), details("hci0", 7), details("hci2", 2), details("hci10", 3)]
    )
    let sources = all.map { ($0.facts == nil ? "" : "bluetoothd ") + ($0.details?.name ?? "") }
    #expect(sources == ["bluetoothd hci0", "hci0", "hci2", "bluetoothd hci10"])
    #expect(ListedAdapter.all([facts("hci0", 1)], []).count == 1)
  }

  @Test("details that a source lacks are omitted in text and null in JSON")
  func output() {
    let all = ListedAdapter.all([facts("hci0", 1)], [details("hci1", 2)])
    #expect(
      all.flatMap { $0.lines(Companies()) } == [
        "hci0  00:AA:01:00:00:01", "   bluetoothd: 'desk', powered",
        "hci1  00:AA:01:00:00:02  Bluetooth 5.2  Broadcom", "   can  powered, low-energy",
        "   on   low-energy",
      ]
    )
    let json = all.map { $0.line(Companies()).text }
    #expect(json[0].contains(#""alias":"desk","powered":true,"discovering":false,"company":null"#))
    #expect(json[1].contains(#""alias":null,"powered":false,"discovering":null,"company":15"#))
  }

  @Test("where only the bus can be reached, bluetoothd's adapters are listed")
  func overTheBus() throws {
    let host = try SimulatedHost()
    let run = try host.run("adapters", "--output", "json")
    #expect(run.status == 0, "\(run.errors)")
    let known = try host.look { $0.adapterFacts }
    #expect(!known.isEmpty)
    for adapter in known {
      let address = try #require(adapter.address)
      #expect(run.output.contains(#""adapter":"\#(adapter.name)","address":"\#(address)""#))
    }
  }
}
