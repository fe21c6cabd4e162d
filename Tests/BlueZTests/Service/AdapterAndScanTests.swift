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

  @Test("an adapter that is off is reported as off")
  func adapterOff() throws {
    bluez.isPowered = false
    let service = try bench.service()
    let failure = try bench.failure(service.connect())
    #expect(failure.code == .adapterOff)
    #expect(failure.class == .unavailable)
    #expect(bluez.calls.isEmpty)
  }

  @Test("a missing adapter is reported with the existing one")
  func adapterMissing() throws {
    let known = try bench.service()
    let service = BlueZDevice(
      client: known.client,
      target: known.target,
      adapter: AdapterSelector("hci3"),
      scheduler: bench.scheduler
    )
    let failure = try bench.failure(service.connect())
    #expect(failure.code == .adapterMissing)
    #expect(failure.meaning.contains("hci0 (00:AA:01:00:00:23)"))
  }

  @Test("after bluetoothd has returned, the next operation finds it")
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

  @Test("a scan sends what discovery finds, and stops its discovery")
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

  @Test("a scan fails when the adapter is powered off")
  func scanAdapterOff() throws {
    bluez.isDeviceKnown = false
    bluez.script("StartDiscovery") { bluez, call in
      call.reply()
      bluez.bus.loop.after(.seconds(1)) { bluez.power(false) }
    }
    let service = try bench.service()
    #expect(try bench.failure(service.scan(ScanFilter())).code == .adapterOff)
  }

  @Test("a StartDiscovery that is answered after its caller has left is stopped")
  func lateStart() throws {
    let pending = Guarded<Invocation?>(nil)
    bluez.script("StartDiscovery") { _, call in pending.withLock { $0 = call } }
    let service = try bench.service()
    let outcome = service.scan(ScanFilter()).map { _ in true }
      .firstOrDefault(false, within: .seconds(5))
    #expect(!outcome.success)
    pending.withLock { $0 }?.reply()
    bench.drain()
    #expect(bluez.calls == ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"])
  }

  @Test("a refused stop of an ended discovery is not a failure")
  func nothingToStop() throws {
    bluez.script("StopDiscovery") { bluez, call in
      bluez.discovering(false)
      call.fail(ErrorAnswer.inProgress.dbusError)
    }
    let service = try bench.service()
    try bench.first(service.scan(ScanFilter()))
    #expect(bluez.calls.last == "StopDiscovery")
  }

  @Test("a scan is paused for a connect")
  func connectInterruptsScan() throws {
    let service = try bench.service()
    let observation = service.scan(ScanFilter()).observe(on: bench.loop) { _ in }
    try bench.loop.drive { bluez.calls.contains("StartDiscovery") }
    try bench.first(service.connect())
    #expect(
      bluez.calls.filter { $0 != "SetDiscoveryFilter" } == [
        "StartDiscovery", "StopDiscovery", "Connect", "StartDiscovery", "Disconnect",
      ]
    )
    observation.cancel()
    try bench.loop.drive { observation.isEnded }
    #expect(bluez.calls.last == "StopDiscovery")
  }
}
