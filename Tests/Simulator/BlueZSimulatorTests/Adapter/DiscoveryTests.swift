// Discovery as clients see it: sessions, refusals, filters, devices that come and go.

import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Discovery")
struct DiscoveryTests {
  private static let inProgress =
    "StartDiscovery failed org.bluez.Error.InProgress: Operation already in progress"
  private static let notStarted =
    "StopDiscovery failed org.bluez.Error.Failed: No discovery started"

  private func filter(_ entries: PropertyMap) -> [DBusValue] { [.properties(entries)] }

  @Test("StartDiscovery replies, then Discovering changes, then devices appear")
  func start() throws {
    let lab = try Lab()
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(60))
    #expect(
      lab.client.take() == [
        "StartDiscovery replied", "hci0 Adapter1 Discovering=true", "DEV added Device1",
      ]
    )
  }

  @Test("StopDiscovery replies, then RSSI and TxPower are invalidated, then Discovering changes")
  func stop() throws {
    let lab = try Lab()
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(60))
    lab.client.forget()
    try lab.client.call("StopDiscovery", .adapter)
    try lab.pass()
    #expect(
      lab.client.take() == [
        "StopDiscovery replied", "DEV Device1 -TxPower -RSSI", "hci0 Adapter1 Discovering=false",
      ]
    )
    #expect(throws: DBusError.self) { try lab.client.property("RSSI", .device) }
  }

  @Test("a client that is discovering cannot start again, and a client that is not cannot stop")
  func refusals() throws {
    let lab = try Lab()
    let client = lab.client
    #expect(try client.ask("StopDiscovery", .adapter) == Self.notStarted)
    #expect(try client.ask("StartDiscovery", .adapter) == "StartDiscovery replied")
    #expect(try client.ask("StartDiscovery", .adapter) == Self.inProgress)
    #expect(try client.ask("StopDiscovery", .adapter) == "StopDiscovery replied")
    #expect(try client.ask("StopDiscovery", .adapter) == Self.notStarted)
  }

  @Test("every client has its own discovery session, and the last one to stop ends discovery")
  func sessions() throws {
    let lab = try Lab()
    let other = try lab.join()
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass()
    #expect(try other.ask("StopDiscovery", .adapter) == Self.notStarted)
    #expect(try other.ask("StartDiscovery", .adapter) == "StartDiscovery replied")
    try lab.pass(.milliseconds(10))
    lab.client.forget()
    #expect(try lab.client.ask("StopDiscovery", .adapter) == "StopDiscovery replied")
    try lab.pass(.milliseconds(10))
    #expect(lab.client.take() == ["StopDiscovery replied"])
    #expect(try other.property("Discovering", .adapter) == .boolean(true))
    try other.call("StopDiscovery", .adapter)
    try lab.pass()
    #expect(lab.client.take() == ["hci0 Adapter1 Discovering=false"])
    #expect(lab.events == [.scanning(true), .scanning(false)])
  }

  @Test("the discovery session of a client ends when the client leaves the bus")
  func vanishedClient() throws {
    let lab = try Lab()
    let other = try lab.join()
    try other.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(60))
    lab.client.forget()
    other.leave()
    try lab.pass()
    #expect(lab.client.take() == ["DEV Device1 -TxPower -RSSI", "hci0 Adapter1 Discovering=false"])
  }

  @Test("the filter of a client is removed when the client leaves the bus")
  func vanishedFilter() throws {
    let lab = try Lab()
    let other = try lab.join()
    try other.call("SetDiscoveryFilter", .adapter, filter(["Transport": .string("le")]))
    try other.call("StartDiscovery", .adapter)
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(60))
    other.leave()
    try lab.pass()
    lab.client.forget()
    // Without a filter, an unchanged RSSI is not reported.
    try lab.pass(.seconds(1))
    #expect(lab.client.take() == [])
  }

  @Test("with the adapter off, every discovery call is refused as not ready")
  func off() throws {
    let lab = try Lab()
    let client = lab.client
    try client.set("Powered", .boolean(false), .adapter)
    for member in ["StartDiscovery", "StopDiscovery"] {
      let answer = try client.ask(member, .adapter)
      #expect(answer == "\(member) failed org.bluez.Error.NotReady: Resource Not Ready")
    }
    let answer = try client.ask("SetDiscoveryFilter", .adapter, filter([:]))
    #expect(answer == "SetDiscoveryFilter failed org.bluez.Error.NotReady: Resource Not Ready")
  }

  // MARK: Filters

  @Test(
    "a filter with an unknown key, a wrong type or an out-of-range bound is refused",
    arguments: [
      ["Bogus": .boolean(true)], ["Transport": .string("bogus")], ["Transport": .boolean(true)],
      ["RSSI": .int16(-90), "Pathloss": .uint16(20)], ["RSSI": .int16(21)],
      ["RSSI": .int16(-128)], ["RSSI": .int32(-60)], ["Pathloss": .uint16(138)],
      ["Pathloss": .int16(20)], ["UUIDs": .strings(["18x"])], ["UUIDs": .string("180d")],
      ["DuplicateData": .string("yes")], ["Discoverable": .uint32(1)], ["Pattern": .byte(1)],
    ] as [PropertyMap]
  )
  func badFilter(_ entries: PropertyMap) throws {
    let lab = try Lab()
    let answer = try lab.client.ask("SetDiscoveryFilter", .adapter, filter(entries))
    let text = "org.bluez.Error.InvalidArguments: Invalid arguments in method call"
    #expect(answer == "SetDiscoveryFilter failed \(text)")
  }

  @Test("a filter accepts every key that GetDiscoveryFilters lists")
  func goodFilter() throws {
    let lab = try Lab()
    let keys = try lab.client.call("GetDiscoveryFilters", .adapter).get()[0].asStrings
    #expect(
      keys == [
        "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern",
      ]
    )
    let all: PropertyMap = [
      "UUIDs": .strings(["180d", BluetoothUUID.batteryService.text]), "RSSI": .int16(-127),
      "Transport": .string("auto"), "DuplicateData": .boolean(false),
      "Discoverable": .boolean(false), "Pattern": .string(""),
    ]
    let answer = try lab.client.ask("SetDiscoveryFilter", .adapter, filter(all))
    #expect(answer == "SetDiscoveryFilter replied")
    let pathloss = filter(["Pathloss": .uint16(137), "Transport": .string("bredr")])
    #expect(try lab.client.call("SetDiscoveryFilter", .adapter, pathloss).get() == [])
  }

  @Test("with a service filter, devices without the service neither appear nor are reported")
  func byService() throws {
    let lab = try Lab([.monitor, .beacon(2)])
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(60))
    #expect(lab.client.take().contains("hci0/dev_C0_FF_EE_00_00_02 added Device1"))
    try lab.client.call("SetDiscoveryFilter", .adapter, filter(["UUIDs": .strings(["180d"])]))
    lab.client.forget()
    try lab.pass(.milliseconds(110))
    #expect(lab.client.take() == ["DEV Device1 RSSI=-50"])
  }

  @Test("a pattern filter accepts names and addresses that begin with the pattern")
  func byPattern() throws {
    for (pattern, isFound) in [("Lab", true), ("C0:FF:EE:00:00:01", true), ("HRM", false)] {
      let lab = try Lab()
      try lab.client.call("SetDiscoveryFilter", .adapter, filter(["Pattern": .string(pattern)]))
      try lab.client.call("StartDiscovery", .adapter)
      try lab.pass(.milliseconds(60))
      #expect(lab.client.lines.contains("DEV added Device1") == isFound, "\(pattern)")
    }
  }

  @Test("widening a filter during a scan admits advertisements from the moment they are sent")
  func widened() throws {
    let lab = try Lab([.monitor, .beacon(2)])
    let beacon = "hci0/dev_C0_FF_EE_00_00_02 added Device1"
    try lab.client.call(
      "SetDiscoveryFilter",
      .adapter,
      filter(["Pattern": .string("C0:FF:EE:00:00:01")])
    )
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(120))
    #expect(lab.client.lines.contains("DEV added Device1"))
    try lab.client.call("SetDiscoveryFilter", .adapter, filter(["Transport": .string("le")]))
    try lab.pass(.milliseconds(25))
    #expect(!lab.client.lines.contains(beacon))
    try lab.pass(.milliseconds(10))
    #expect(lab.client.lines.contains(beacon))
    try lab.client.call(
      "SetDiscoveryFilter",
      .adapter,
      filter(["Pattern": .string("C0:FF:EE:00:00:02")])
    )
    lab.client.forget()
    try lab.pass(.milliseconds(300))
    #expect(lab.client.take().allSatisfy { !$0.hasPrefix("DEV") })
    try lab.client.call("StopDiscovery", .adapter)
    try lab.pass()
    #expect(lab.client.take().contains("DEV Device1 -TxPower -RSSI"))
  }

  @Test("filters are merged: every client receives the devices that any client requests")
  func merged() throws {
    let lab = try Lab()
    let other = try lab.join()
    try lab.client.call("SetDiscoveryFilter", .adapter, filter(["UUIDs": .strings(["fff0"])]))
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(1))
    #expect(lab.client.lines.contains("DEV added Device1") == false)
    try other.call("SetDiscoveryFilter", .adapter, filter(["UUIDs": .strings(["180f"])]))
    try other.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(1))
    #expect(lab.client.lines.contains("DEV added Device1"))
  }

  @Test("a filter applies to the next discovery too, until it is removed")
  func kept() throws {
    let lab = try Lab()
    try lab.client.call("SetDiscoveryFilter", .adapter, filter(["UUIDs": .strings(["fff0"])]))
    for _ in 0..<2 {
      try lab.client.call("StartDiscovery", .adapter)
      try lab.pass(.seconds(1))
      try lab.client.call("StopDiscovery", .adapter)
    }
    #expect(lab.client.take().contains("DEV added Device1") == false)
    try lab.client.call("SetDiscoveryFilter", .adapter, filter([:]))
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(1))
    #expect(lab.client.lines.contains("DEV added Device1"))
  }

  @Test(
    "an RSSI bound applies if all clients set one, at the weakest; a path loss bound never does"
  )
  func strength() throws {
    func isFound(_ filters: [String: DBusValue]?...) throws -> Bool {
      var device = DeviceDefinition.monitor
      device.advertisement.rssi = -60
      device.advertisement.rssiSpread = 0
      let lab = try Lab([device])
      for filter in filters {
        let client = try lab.join()
        if let filter {
          let map = PropertyMap(filter.map { ($0.key, $0.value) })
          try client.call("SetDiscoveryFilter", .adapter, [.properties(map)])
        }
        try client.call("StartDiscovery", .adapter)
      }
      try lab.pass(.seconds(2))
      return try lab.client.objects().contains { $0.path == "DEV" }
    }
    #expect(try isFound(["RSSI": .int16(-60)]))
    #expect(try !isFound(["RSSI": .int16(-59)]))
    #expect(try isFound(["RSSI": .int16(-59)], ["RSSI": .int16(-70)]))
    #expect(try isFound(["RSSI": .int16(-59)], nil))
    #expect(try isFound(["RSSI": .int16(-59)], ["Pattern": .string("")]))
    #expect(try isFound(["Pathloss": .uint16(1)]))
  }
}
