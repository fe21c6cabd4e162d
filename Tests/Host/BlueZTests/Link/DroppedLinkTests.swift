// Links of removed devices are discarded once nothing uses them.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import Testing

@testable import BlueZ

@Suite("Links of removed devices")
struct DroppedLinkTests {
  let bench: Bench

  init() throws { bench = try Bench() }
  var bluez: ScriptedBlueZ { bench.bluez }

  private func links(_ service: BlueZDevice) -> Int {
    service.client.state.withLock { $0.links.count }
  }

  /// bluetoothd has removed the device, and the client knows.
  private func remove() throws {
    let (loop, bluez) = (bench.loop, bluez)
    try loop.run {
      bluez.deviceGoes()
      try await loop.sleep(for: .seconds(1))
    }
  }

  @Test("a removed device has no link; when it returns, it can be connected again")
  func removed() throws {
    let service = try bench.service()
    for _ in 0..<3 {
      try bench.first(service.connect())
      #expect(links(service) == 1)
      try remove()
      #expect(links(service) == 0)
      bluez.deviceAppears()
    }
    #expect(bluez.calls.count { $0 == "Connect" } == 3)
  }

  @Test("a link that a turn uses is kept, and discarded when the next link is created")
  func used() throws {
    let service = try bench.service()
    let (bluez, loop) = (bluez, bench.loop)
    let gone = Guarded<Int?>(nil)
    let chain = service.connect().flattenMap { () -> Signal<Void> in
      bluez.deviceGoes()
      return Signal.just(()).delay(.seconds(1)).map {
        gone.withLock { $0 = service.client.state.withLock { $0.links.count } }
      }
    }
    _ = chain.firstOrDefault((), within: .seconds(30))
    #expect(gone.withLock { $0 } == 1)
    try loop.run { try await loop.sleep(for: .seconds(1)) }
    let other = try #require(BluetoothAddress("C0:FF:EE:00:00:02"))
    let path = BlueZPath.device(other, of: "/org/bluez/hci0")
    _ = service.client.link(to: path)
    #expect(service.client.state.withLock { Array($0.links.keys) } == [path])
  }

  @Test("for a device that changes its address repeatedly, only the latest state is kept")
  func moving() throws {
    var options = ConnectOptions()
    options.otherRuns = .fail
    let service = try bench.service(.name("Thermo-1"), options: options)
    let (loop, bluez) = (bench.loop, bluez)
    for number in 10..<310 {
      let chain = service.connect().flattenMap { service.read("battery-level") }
      #expect(try bench.first(chain) == [42])
      let address = BluetoothAddress(number: 0xc0ff_ee00_0000 + UInt64(number))
      try loop.run {
        bluez.deviceMoves(to: "\(address)")
        try await loop.sleep(for: .seconds(1))
      }
    }
    let client = service.client
    #expect(links(service) == 0)
    #expect(client.state.withLock { $0.goneLinks.count + $0.reserved.count } == 0)
    let objects = [Device1.interface, GattService1.interface, GattCharacteristic1.interface]
    #expect(client.withTree { tree in objects.map { tree.paths(with: $0).count } } == [1, 0, 0])
  }

  @Test("a read after the device was removed fails with the removal as the reason")
  func explained() throws {
    let service = try bench.service()
    try bench.first(service.connect())
    try remove()
    let failure = try bench.failure(service.read("battery-level"))
    #expect(failure.meaning.contains("removed"), "\(failure.meaning)")
  }

  @Test("the links are discarded when bluetoothd leaves the bus")
  func daemonGone() throws {
    let service = try bench.service()
    try bench.first(service.connect())
    let (loop, bluez, client) = (bench.loop, bluez, service.client)
    try loop.run {
      bluez.bus.close()
      try await loop.sleep(for: .seconds(1))
    }
    _ = client.link(to: "/org/bluez/hci0/dev_C0_FF_EE_00_00_02")
    #expect(client.state.withLock { $0.links.count } == 1)
  }
}
