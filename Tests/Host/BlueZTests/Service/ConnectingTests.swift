// Connecting: message orders, failures, and undoing.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import Testing

@testable import BlueZ

@Suite("Connecting")
struct ConnectingTests {
  let bench: Bench

  init() throws { bench = try Bench() }
  var bluez: ScriptedBlueZ { bench.bluez }

  static let level = "2a19"

  @Test("a known device connects without discovery, and disconnects when the turn ends")
  func connects() throws {
    let service = try bench.service()
    try bench.first(service.connect())
    #expect(bluez.calls == ["Connect", "Disconnect"])
    #expect(!bluez.isConnected)
  }

  @Test("three blocking calls in one turn use one link")
  func oneTurn() throws {
    let service = try bench.service()
    let selector = try CharacteristicSelector(parsing: Self.level)
    let value = Guarded<[UInt8]>([])
    bench.scheduler.schedule {
      _ = service.connect().firstOrDefault((), within: .seconds(20))
      let read = service.read(selector).firstOrDefault([], within: .seconds(20))
      value.withLock { $0 = read.value }
    }
    try bench.scheduler.waitUntilIdle()
    #expect(value.withLock { $0 } == [42])
    #expect(bluez.calls == ["Connect", "ReadValue", "Disconnect"])
  }

  @Test("a connect that misses a service on a connection in use keeps no use of it")
  func failedUse() throws {
    let (service, bluez) = (try bench.service(), bluez)
    let missing = try ServiceSelector(parsing: "1809")
    let session = service.session {
      service.connect(keep: false, expecting: [missing]).map { _ in true }
        .catchError { _ in .just(bluez.isConnected) }
    }
    // It is up after the failure, and down after the session, in the same turn.
    let states = session.collect().map { $0 + [bluez.isConnected] }
    #expect(try bench.first(states) == [true, false])
    #expect(bluez.calls == ["Connect", "Disconnect"])
  }

  @Test("after an explicit disconnect, the end of the turn sends no Disconnect")
  func disconnects() throws {
    let service = try bench.service()
    try bench.first(service.connect().flattenMap { service.disconnect() })
    #expect(bluez.calls == ["Connect", "Disconnect"])
  }

  @Test("a connection that the caller keeps stays up")
  func keeps() throws {
    let service = try bench.service()
    try bench.first(service.connect(keep: true, expecting: []))
    #expect(bluez.calls == ["Connect"])
    #expect(bluez.isConnected)
  }

  /// Scripts Connect so that bluetoothd bonds while it connects.
  private static func bonds(_ bluez: ScriptedBlueZ) {
    bluez.script("Connect") { bluez, call in
      bluez.paired()
      bluez.linkUp()
      bluez.servicesAppear()
      call.reply()
    }
    bluez.script("RemoveDevice") { bluez, call in
      bluez.deviceGoes()
      call.reply()
    }
  }

  @Test(
    "answers that refuse every request remove a bond made while connecting; other answers keep it"
  )
  func bondedWhileConnecting() throws {
    Self.bonds(bluez)
    let service = try bench.service()
    let kept = try bench.first(service.pair(PairingAnswers()))
    #expect(kept == .already && bluez.calls == ["Connect", "Disconnect"])
    // It had the bond before: nothing new is refused.
    let none = PairingAnswers(acceptsJustWorks: false, comparison: .always(false))
    #expect(try bench.first(service.pair(none)) == .already)
    let other = try Bench()
    Self.bonds(other.bluez)
    let failure = try other.failure(other.service().pair(none))
    #expect(failure.code == .pairingFailed && other.bluez.calls.contains("RemoveDevice"))
  }

  @Test("an unknown device is discovered, and discovery ends before Connect is called")
  func discovers() throws {
    bluez.isDeviceKnown = false
    bluez.script("StartDiscovery") { bluez, call in
      call.reply()
      bluez.discovering(true)
      bluez.bus.loop.after(.seconds(1)) { bluez.deviceAppears() }
    }
    // Late, so that a client that does not look would call Connect too early.
    bluez.script("StopDiscovery") { bluez, call in
      call.reply()
      bluez.bus.loop.after(.milliseconds(500)) { bluez.discovering(false) }
    }
    let stopped = Guarded<Instant?>(nil)
    let connect: ScriptedBlueZ.Answer = { bluez, call in
      stopped.withLock { $0 = bluez.bus.loop.now }
      bluez.linkUp()
      call.reply()
      bluez.servicesAppear()
    }
    bluez.script("Connect", connect)
    let service = try bench.service(.name("Thermo*"))
    try bench.first(service.connect())
    #expect(
      bluez.calls == [
        "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Connect", "Disconnect",
      ]
    )
    #expect(stopped.withLock { $0 }?.sinceStart == .milliseconds(1500))
  }

  @Test("a device that does not appear fails with not-found, and discovery ends")
  func notFound() throws {
    bluez.isDeviceKnown = false
    let service = try bench.service()
    let failure = try bench.failure(service.connect())
    #expect(failure.code == .notFound)
    #expect(failure.class == .passing)
    #expect(bluez.calls == ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"])
  }

  @Test("connecting outside a turn fails")
  func outsideTurn() throws {
    let service = try bench.service()
    let failure = Guarded<(any Error)?>(nil)
    let observation = service.connect().observe(on: bench.loop) { event in
      if case .failed(let error) = event { failure.withLock { $0 = error } }
    }
    try bench.loop.drive { observation.isEnded }
    let code = (failure.withLock { $0 } as? DeviceFailure)?.code
    #expect(code == .connectOutsideTurn)
  }

  @Test("an object that is removed before the turn ends counts as disconnected")
  func goneAtEnd() throws {
    bluez.script(
      "Disconnect",
      fails: .unknownObject(method: "Disconnect", signature: "", interface: Device1.interface)
    )
    try bench.first(try bench.service().connect())
    #expect(bluez.calls == ["Connect", "Disconnect"])
  }

  @Test("another program's connection that follows the drop of ours stays up")
  func leavesOthers() throws {
    let service = try bench.service()
    let selector = try CharacteristicSelector(parsing: Self.level)
    bluez.script("ReadValue") { bluez, call in
      bluez.linkLost()
      bluez.linkUp()
      call.reply([.bytes([1])])
    }
    try bench.first(service.connect().flattenMap { service.read(selector) })
    #expect(bluez.isConnected)
    #expect(bluez.calls == ["Connect", "ReadValue"])
  }

  @Test("a failed attempt with keep does not keep the next connection")
  func keepsOnlyItsOwn() throws {
    let service = try bench.service()
    let connect: ScriptedBlueZ.Answer = { bluez, call in
      bluez.linkUp()
      call.reply()
      bluez.servicesAppear()
    }
    bluez.script("Connect", fails: .connectAborted)
    _ = try bench.failure(service.connect(keep: true, expecting: []))
    bluez.script("Connect", connect)
    try bench.first(service.connect())
    #expect(!bluez.isConnected)
  }

  @Test("the not-found failure lists every device that the whole search received")
  func wholeSearch() throws {
    let service = try bench.service(.name("Absent"))
    let bluez = bench.bluez
    // As after a discovery that paused for the connections of other chains.
    bench.loop.after(.seconds(2)) { bluez.deviceGoes() }
    let failure = try bench.failure(service.connect())
    #expect(failure.code == .notFound)
    #expect(failure.meaning.contains("Thermo-1"), "\(failure.meaning)")
  }
}
