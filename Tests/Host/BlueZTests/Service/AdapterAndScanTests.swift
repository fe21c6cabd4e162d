// Adapters, bluetoothd's presence, and scanning.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import Testing

@testable import BlueZ

@Suite("Adapter, daemon and scan")
struct AdapterAndScanTests {
  let bench: Bench

  init() throws { bench = try Bench() }
  var bluez: ScriptedBlueZ { bench.bluez }

  @Test("without bluetoothd on the bus, opening fails with daemon-missing")
  func noDaemon() throws {
    let ours = bench.ours
    #expect {
      try bench.loop.run { try await BlueZClient.open(bus: ours) }
    } throws: { error in
      let failure = error as? DeviceFailure
      return failure?.code == .daemonMissing && failure?.class == .unavailable
    }
  }

  @Test("after bluetoothd returns, the next operation finds it")
  func daemonComesBack() throws {
    let service = try bench.service()
    try bench.first(service.connect())
    let (bluez, loop) = (bluez, bench.loop)
    try loop.run {
      try await bluez.bus.releaseName(OrgBlueZ.busName)
      try await loop.sleep(for: .seconds(1))
    }
    #expect(try bench.failure(service.connect()).code == .daemonMissing)
    try loop.run { _ = try await bluez.bus.requestName(OrgBlueZ.busName, flags: []) }
    try bench.first(service.connect())
    #expect(bluez.calls == ["Connect", "Disconnect", "Connect", "Disconnect"])
  }

  @Test("a scan sends the devices that discovery finds, and stops its discovery")
  func scans() throws {
    bluez.isDeviceKnown = false
    bluez.script("StartDiscovery") { bluez, call in
      call.reply()
      bluez.discovering(true)
      bluez.bus.loop.after(.seconds(1)) { bluez.deviceAppears() }
    }
    let service = try bench.service()
    let seen = try bench.first(service.scan(ScanFilter()))
    #expect(seen.name == "Thermo-1")
    #expect(seen.rssi == -60)
    #expect(seen.adapter == "hci0")
    #expect(bluez.calls == ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"])
  }

  @Test("a refused StopDiscovery after discovery ended is not a failure")
  func nothingToStop() throws {
    bluez.script("StopDiscovery") { bluez, call in
      bluez.discovering(false)
      call.fail(ErrorAnswer.inProgress.dbusError)
    }
    let service = try bench.service()
    try bench.first(service.scan(ScanFilter()))
    #expect(bluez.calls.last == "StopDiscovery")
  }
}
