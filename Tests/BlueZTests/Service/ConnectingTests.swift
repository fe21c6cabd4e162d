// Connecting: orders, failures, and what is undone.

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

  @Test("a known device is connected without discovery, and disconnected at the turn's end")
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

  @Test("an explicit disconnect leaves nothing for the end of the turn")
  func disconnects() throws {
    let service = try bench.service()
    try bench.first(service.connect().flattenMap { service.disconnect() })
    #expect(bluez.calls == ["Connect", "Disconnect"])
  }

  @Test("a connection that is to be kept stays up")
  func keeps() throws {
    let service = try bench.service()
    try bench.first(service.connect(keep: true, expecting: []))
    #expect(bluez.calls == ["Connect"])
    #expect(bluez.isConnected)
  }

  /// Has bluetoothd make a bond while it connects.
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
    "answers that refuse everything remove a bond that was made while connecting; others keep it"
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

  @Test("an existing connection is used, and left up")
  func adopts() throws {
    bluez.isConnected = true
    let service = try bench.service()
    try bench.first(service.connect())
    #expect(bluez.calls.isEmpty)
    #expect(bluez.isConnected)
  }

  @Test("an unknown device is discovered; discovery has ended before Connect is called")
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

  @Test("while another program discovers, its discovery is not waited for")
  func othersDiscover() throws {
    bluez.isDeviceKnown = false
    bluez.discovering(true)
    bluez.script("StartDiscovery") { bluez, call in
      call.reply()
      bluez.deviceAppears()
    }
    bluez.script("StopDiscovery") { _, call in call.reply() }
    let service = try bench.service()
    try bench.first(service.connect())
    #expect(bluez.calls.contains("Connect"))
  }

  @Test("a device that does not appear is not found, and discovery is ended")
  func notFound() throws {
    bluez.isDeviceKnown = false
    let service = try bench.service()
    let failure = try bench.failure(service.connect())
    #expect(failure.code == .notFound)
    #expect(failure.class == .passing)
    #expect(bluez.calls == ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"])
  }

  @Test("an expected service that is missing when resolved is a permanent failure")
  func serviceMissing() throws {
    let service = try bench.service()
    let failure = try bench.failure(
      service.connect(keep: false, expecting: ["battery", "heart-rate"])
    )
    #expect(failure.code == .serviceMissing)
    #expect(failure.class == .definite)
    #expect(failure.meaning.contains("battery"))
    #expect(bluez.calls == ["Connect", "Disconnect"])
  }

  @Test("outside a turn nothing can own the connection")
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

  @Test("a connection that drops while services are resolved is a transient failure")
  func lostWhileResolving() throws {
    bluez.script("Connect") { bluez, call in
      bluez.linkUp()
      call.reply()
      bluez.bus.loop.after(.milliseconds(50)) { bluez.linkLost() }
    }
    let failure = try bench.failure(try bench.service().connect())
    #expect(failure.code == .connectFailed)
    #expect(failure.class == .passing)
    #expect(bluez.calls == Array(repeating: "Connect", count: 5))
  }

  @Test("a refusal keeps bluetoothd's error")
  func refused() throws {
    bluez.script("Connect", fails: .connectAborted)
    let failure = try bench.failure(try bench.service().connect())
    #expect(failure.code == .connectFailed)
    #expect(failure.bluez?.text == "le-connection-abort-by-local")
    #expect(failure.device == "Thermo-1 (C0:FF:EE:00:00:01)")
    #expect(bluez.calls == Array(repeating: "Connect", count: 5))
  }

  @Test("a device that bluetoothd removes in between is found again, and connected")
  func rediscovers() throws {
    let isFirst = Guarded(true)
    bluez.script("Connect") { bluez, call in
      let first = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      // As RemoveDevice does: the call is never answered.
      if first { return bluez.deviceGoes() }
      bluez.linkUp()
      call.reply()
      bluez.servicesAppear()
    }
    bluez.script("StartDiscovery") { bluez, call in
      call.reply()
      bluez.discovering(true)
      bluez.deviceAppears()
    }
    try bench.first(try bench.service().connect())
    #expect(
      bluez.calls == [
        "Connect", "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Connect",
        "Disconnect",
      ]
    )
  }

  @Test("a Connect that is not answered in time is disconnected before the call returns")
  func timesOut() throws {
    bluez.script("Connect", nil)
    let service = try bench.service()
    let failure = try bench.failure(service.connect(), within: .seconds(5))
    #expect(failure.code == .timedOut)
    #expect(failure.class == .passing)
    #expect(bluez.calls == ["Connect", "Disconnect"])
  }

  @Test("a Connect that succeeds after its undo is undone again")
  func lateConnect() throws {
    let pending = Guarded<Invocation?>(nil)
    bluez.script("Connect") { _, call in pending.withLock { $0 = call } }
    let service = try bench.service()
    _ = try bench.failure(service.connect(), within: .seconds(5))
    let call = try #require(pending.withLock { $0 })
    bluez.linkUp()
    call.reply()
    bench.drain()
    #expect(bluez.calls == ["Connect", "Disconnect", "Disconnect"])
    #expect(!bluez.isConnected)
  }

  @Test("a connection that comes up during its undo is down when the call returns")
  func undoMeetsLink() throws {
    let pending = Guarded<Invocation?>(nil)
    bluez.script("Connect") { _, call in pending.withLock { $0 = call } }
    bluez.script("Disconnect") { bluez, call in
      bluez.linkUp()
      pending.withLock { $0 }?.reply()
      bluez.disconnect(answering: call)
    }
    let service = try bench.service()
    _ = try bench.failure(service.connect(), within: .seconds(5))
    #expect(!bluez.isConnected)
    #expect(bluez.calls == ["Connect", "Disconnect"])
  }

  @Test("a chain that fails halfway is disconnected, too")
  func failsHalfWay() throws {
    bluez.script("ReadValue", fails: .readNotPermitted)
    let service = try bench.service()
    let selector = try CharacteristicSelector(parsing: Self.level)
    let failure = try bench.failure(service.connect().flattenMap { service.read(selector) })
    #expect(failure.code == .notPermitted)
    #expect(failure.att == ATTErrorCode(rawValue: 0x02))
    #expect(bluez.calls == ["Connect", "ReadValue", "Disconnect"])
  }

  @Test("an object that is removed before the end of the turn counts as disconnected")
  func goneAtEnd() throws {
    bluez.script(
      "Disconnect",
      fails: .unknownObject(method: "Disconnect", signature: "", interface: Device1.interface)
    )
    try bench.first(try bench.service().connect())
    #expect(bluez.calls == ["Connect", "Disconnect"])
  }

  @Test("another program's connection after ours dropped is left up")
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

  @Test("a failed attempt to keep a connection does not keep the next one")
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

  @Test("a second turn that uses a connection keeps it up until that turn ends")
  func twoTurnsOneLink() throws {
    let first = try bench.service()
    let second = BlueZDevice(
      client: first.client,
      target: first.target,
      scheduler: SerialScheduler(on: bench.loop, name: "second")
    )
    let upAfterFirst = Guarded<Bool?>(nil)
    let (bluez, loop) = (bluez, bench.loop)
    try loop.run {
      async let one: Void = first.connect().flattenMap { Signal.just(()).delay(.seconds(1)) }
        .first()
      async let two: Bool = second.connect().flattenMap {
        Signal.just(true).delay(.seconds(10)).map { _ in bluez.isConnected }
      }
      .first()
      try await one
      upAfterFirst.withLock { $0 = bluez.isConnected }
      #expect(try await two)
    }
    #expect(upAfterFirst.withLock { $0 } == true)
    #expect(bluez.calls == ["Connect", "Disconnect"])
  }

  @Test("two consecutive turns have separate connections")
  func twice() throws {
    let service = try bench.service()
    try bench.first(service.connect())
    try bench.first(service.connect())
    #expect(bluez.calls == ["Connect", "Disconnect", "Connect", "Disconnect"])
  }
}
