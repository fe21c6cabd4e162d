// Advertisement monitors: which devices a client is notified of without a scan.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@testable import BlueZSimulator

@Suite("Advertisement monitors")
struct MonitorTests {
  let root: ObjectPath = "/app"
  let path: ObjectPath = "/app/monitor"

  /// A client that exports a monitor, registers it, and receives bluetoothd's calls.
  private func monitor(
    _ lab: Lab, _ patterns: [(UInt8, UInt8, [UInt8])], _ more: [(String, DBusValue)] = [],
    isLate: Bool = false
  ) throws -> Recorded<String> {
    let received = Recorded<String>()
    let bus = try lab.bus.connect()
    let server = ObjectServer(bus: bus, objectManagerAt: root)
    let rows = try patterns.map { start, type, octets in
      try DBusValue.structure(of: [.byte(start), .byte(type), .bytes(octets)])
    }
    let value = try DBusValue.array(of: "(yyay)", rows)
    let properties =
      [
        (AdvertisementMonitor1.type.name, DBusValue.string(AdvertisementMonitor1.orPatterns)),
        (AdvertisementMonitor1.patterns.name, value),
      ]
      + more
    let methods = ["Activate", "Release", "DeviceFound", "DeviceLost"].map { name in
      ExportedMethod(name, takes: name.hasPrefix("Device") ? [.init("device", "o")] : []) { call in
        let device = call.message.body.first?.asObjectPath?.text.suffix(17) ?? ""
        received.add("\(name) \(device)")
        call.reply()
      }
    }
    let interface = ExportedInterface(
      AdvertisementMonitor1.interface, methods: methods,
      properties: properties.map { name, value in
        ExportedProperty(name, value.signature) { value }
      }
    )
    let export = try bus.export(server)
    if !isLate { server.add([interface], at: path) }
    let call = try request("RegisterMonitor", root)
    _ = try lab.loop.run { try await bus.call(call, limit: .seconds(5)) }
    if isLate {
      try lab.pass(.milliseconds(500))
      server.add([interface], at: path)
      server.flush()
    }
    try lab.pass(.seconds(2))
    withExtendedLifetime((export, server)) {}
    return received
  }

  private func lab(_ rssi: Int = -60) throws -> Lab {
    var settings = SimulatorSettings(version: .debian12)
    settings.offersMonitors = true
    var device = DeviceDefinition.monitor
    device.advertisement.rssi = rssi
    device.advertisement.rssiSpread = 0
    return try Lab([device], settings: settings)
  }

  private let found = "DeviceFound C0_FF_EE_00_00_01"

  @Test("a device that matches a pattern is reported without a scan; other devices are not")
  func patterns() throws {
    for (pattern, fits) in [
      ((UInt8(0), UInt8(0x09), Array("Lab".utf8)), true), ((4, 0x09, Array("HRM".utf8)), true),
      ((0, 0x09, Array("HRM".utf8)), false), ((0, 0x01, [0x06]), true), ((0, 0x01, [0x04]), false),
      ((0, 0x03, [0x0d, 0x18]), true),
    ] {
      let lab = try lab()
      let received = try monitor(lab, [pattern])
      let first = fits ? ["Activate ", found] : ["Activate "]
      #expect(received.all.prefix(2) == first[...], "\(pattern)")
      // With each report, as nothing is tracked.
      #expect(fits == (received.all.count { $0 == found } > 10), "\(pattern)")
      #expect(try lab.client.objects().contains { $0.path == "DEV" } == fits)
      #expect(lab.events.isEmpty)
    }
  }

  @Test("a monitor that is added after its application was registered is activated too")
  func late() throws {
    let received = try monitor(lab(), [(0, 0x09, Array("Lab".utf8))], isLate: true)
    #expect(received.all.prefix(2) == ["Activate ", found])
    #expect(received.all.count { $0 == "Activate " } == 1)
  }

  /// Keeps bluetoothd's calls until the test answers them.
  private final class HeldCalls: ObjectHandler {
    let all = Recorded<Invocation>()

    var members: [String] { all.all.map { $0.message.member ?? "" } }

    func handle(_ invocation: Invocation) -> Bool {
      all.add(invocation)
      return true
    }
  }

  private func request(_ member: String, _ root: ObjectPath) throws -> MethodCall {
    try MethodCall(
      destination: OrgBlueZ.busName, path: Target.adapter.path,
      interface: AdvertisementMonitorManager1.interface, member: member, body: [.objectPath(root)]
    )
  }

  /// The signal about a monitor of the name of the device.
  private func added() throws -> Message {
    let row = try DBusValue.structure(of: [.byte(0), .byte(0x09), .bytes(Array("Lab".utf8))])
    let properties: PropertyMap = [
      AdvertisementMonitor1.type.name: .string(AdvertisementMonitor1.orPatterns),
      AdvertisementMonitor1.patterns.name: try .array(of: "(yyay)", [row]),
    ]
    return try .signal(
      path: path, interface: StandardInterface.objectManager,
      member: StandardInterface.interfacesAdded.name,
      body: [
        .objectPath(path),
        try .dictionary(
          key: "s", value: "a{sv}",
          [(.string(AdvertisementMonitor1.interface), .properties(properties))]
        ),
      ]
    )
  }

  @Test("a registration replies once its monitors are read; a monitor added right then is active")
  func order() throws {
    let lab = try lab()
    let bus = try lab.bus.connect()
    let held = HeldCalls()
    let export = try bus.export(held)
    let answered = Guarded(false)
    // As bleak does: in the instant of the answer it adds the monitor, at the root itself.
    _ = lab.loop.task { [self] in
      _ = try await bus.call(request("RegisterMonitor", path), limit: .seconds(60))
      answered.withLock { $0 = true }
      try bus.send(added())
    }
    try lab.pass(.seconds(10))
    #expect(held.members == ["GetManagedObjects"] && !answered.withLock { $0 })
    held.all.all[0].reply([try .dictionary(key: "o", value: "a{sa{sv}}", [])])
    try lab.pass(.seconds(1))
    #expect(answered.withLock { $0 })
    #expect(held.members.prefix(3) == ["GetManagedObjects", "Activate", "DeviceFound"])
    withExtendedLifetime(export) {}
  }

  @Test("a client that never lists its monitors is registered in the end, unless it unregisters")
  func silentClient() throws {
    let lab = try lab()
    let bus = try lab.bus.connect()
    let held = HeldCalls()
    let export = try bus.export(held)
    let errors = Recorded<String>()
    for root: ObjectPath in ["/a", "/b"] {
      _ = lab.loop.task { [self] in
        do {
          _ = try await bus.call(request("RegisterMonitor", root), limit: .seconds(60))
          errors.add("\(root) none")
        } catch let error as DBusError {
          errors.add("\(root) \(error.message)")
        }
      }
    }
    try lab.pass(.seconds(1))
    let call = try request("UnregisterMonitor", "/b")
    _ = try lab.loop.run { try await bus.call(call, limit: .seconds(5)) }
    try lab.pass(.seconds(30))
    #expect(errors.all == ["/b Adv Monitor app destroyed", "/a none"])
    withExtendedLifetime(export) {}
  }

  @Test("a sampling period without RSSI thresholds finds no device")
  func sampling() throws {
    let pattern = (UInt8(0), UInt8(0x09), Array("Lab".utf8))
    for period: UInt16 in [0, 10, 255, 256] {
      let lab = try lab()
      let received = try monitor(lab, [pattern], [("RSSISamplingPeriod", .uint16(period))])
      // One that cannot be is none.
      #expect(received.all.contains(found) == (period == 256), "\(period)")
      #expect(try lab.client.objects().contains { $0.path == "DEV" })
    }
  }

  @Test("a monitor without patterns is released")
  func empty() throws {
    #expect(try monitor(lab(), []).all == ["Release "])
  }

  @Test("with RSSI thresholds, a device is found when it comes near and lost when it moves away")
  func bounds() throws {
    let lab = try lab(-80)
    let received = try monitor(
      lab,
      [(0, 0x09, Array("Lab".utf8))],
      [
        ("RSSIHighThreshold", .int16(-65)), ("RSSIHighTimeout", .uint16(1)),
        ("RSSILowThreshold", .int16(-75)), ("RSSILowTimeout", .uint16(3)),
      ]
    )
    #expect(received.all == ["Activate "])
    lab.device.move(to: -60)
    try lab.pass(.seconds(2))
    #expect(received.all == ["Activate ", found])
    lab.device.move(to: -70)
    try lab.pass(.seconds(10))
    #expect(received.all.count == 2)
    lab.device.move(to: -80)
    try lab.pass(.seconds(5))
    #expect(received.all.last == "DeviceLost C0_FF_EE_00_00_01")
    #expect(received.all.count == 3)
  }
}
