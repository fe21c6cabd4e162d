// One connect that retries transient failures, with a scripted bluetoothd.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import Testing

@testable import BlueZ

@Suite("Retrying connections")
struct RetryingConnectTests {
  let bench: Bench

  init() throws { bench = try Bench() }
  var bluez: ScriptedBlueZ { bench.bluez }

  /// Connect fails so the first few times.
  private func failing(_ times: Int, _ answer: ErrorAnswer) -> ScriptedBlueZ.Answer {
    let left = Guarded(times)
    return { bluez, call in
      let isDue = left.withLock { left in
        left -= 1
        return left >= 0
      }
      if isDue { return call.refuse(answer) }
      bluez.linkUp()
      call.reply()
      bluez.servicesAppear()
    }
  }

  @Test(
    "a transient failure is retried",
    arguments: [
      ErrorAnswer.connectAborted, .inputOutputError, .notReady, ConnectionText.busy.answer,
    ]
  )
  func again(answer: ErrorAnswer) throws {
    bluez.script("Connect", failing(2, answer))
    let service = try bench.service()
    #expect(try bench.first(service.connect(keep: false, expecting: [])) == .made)
    #expect(bluez.calls == ["Connect", "Connect", "Connect", "Disconnect"])
  }

  @Test("the final error has the number of attempts and BlueZ's last error")
  func counted() throws {
    bluez.script("Connect", fails: .connectAborted)
    let service = try bench.service()
    let failure = try bench.failure(service.connect())
    #expect(failure.code == .connectFailed)
    #expect(failure.meaning.hasSuffix(", after 5 attempts"))
    #expect(failure.bluez?.text == "le-connection-abort-by-local")
    #expect(bluez.calls == Array(repeating: "Connect", count: 5))
  }

  @Test("no attempt starts without time left before the deadline")
  func deadline() throws {
    bluez.script("Connect", fails: .connectAborted)
    let service = try bench.service()
    let failure = try bench.failure(service.connect(), within: .milliseconds(600))
    #expect(failure.code == .connectFailed)
    #expect(failure.meaning.hasSuffix(", after 2 attempts"))
    #expect(bench.loop.now.sinceStart < .milliseconds(600))
  }

  @Test("a device is not connected again within 100 ms of the end of its last connection")
  func waitsUntilQuiet() throws {
    let times = Guarded<[Duration]>([])
    bluez.script("Connect") { bluez, call in
      let now = bluez.bus.loop.now.sinceStart
      times.withLock { $0.append(now) }
      bluez.linkUp()
      call.reply()
      bluez.servicesAppear()
    }
    let service = try bench.service()
    try bench.first(service.connect(keep: true, expecting: []))
    bluez.linkLost()
    let lost = bench.loop.now.sinceStart
    try bench.first(service.connect())
    let seen = times.withLock { $0 }
    #expect(seen.count == 2)
    #expect(seen[1] - lost == .milliseconds(100))
  }

  @Test("the next attempt waits until the connection is down")
  func waitsUntilDown() throws {
    let times = Guarded<[Duration]>([])
    bluez.script("Connect") { bluez, call in
      let now = bluez.bus.loop.now.sinceStart
      let count = times.withLock { times in
        times.append(now)
        return times.count
      }
      bluez.linkUp()
      guard count == 1 else {
        call.reply()
        return bluez.servicesAppear()
      }
      call.refuse(.connectAborted)
      bluez.bus.loop.after(.seconds(1)) { bluez.linkLost() }
    }
    let service = try bench.service()
    try bench.first(service.connect())
    let seen = times.withLock { $0 }
    #expect(seen.count == 2)
    #expect(seen[1] - seen[0] >= .milliseconds(1250))
  }

  @Test("a connection that another program was making is used and stays up")
  func anotherSucceeds() throws {
    bluez.script("Connect") { bluez, call in
      call.refuse(.connectPending)
      bluez.bus.loop.after(.milliseconds(400)) {
        bluez.linkUp()
        bluez.servicesAppear()
      }
    }
    let service = try bench.service()
    #expect(try bench.first(service.connect(keep: false, expecting: [])) == .found)
    #expect(bluez.calls == ["Connect"])
    #expect(bluez.isConnected)
  }

  @Test("a fresh start first removes the device once, and reports a lost bond")
  func fresh() throws {
    bluez.script("RemoveDevice") { bluez, call in
      bluez.deviceGoes()
      call.reply()
    }
    bluez.script("StartDiscovery") { bluez, call in
      call.reply()
      bluez.discovering(true)
      bluez.bus.loop.after(.seconds(1)) { bluez.deviceAppears() }
    }
    var options = ConnectOptions()
    options.isFresh = true
    let service = try bench.service(options: options)
    try bench.first(service.connect())
    try bench.first(service.connect())
    #expect(bluez.calls.filter { $0 == "RemoveDevice" }.count == 1)
    #expect(bluez.calls.prefix(3) == ["RemoveDevice", "SetDiscoveryFilter", "StartDiscovery"])
  }

  @Test("an adapter that stays off is reported as off when the wait ends")
  func adapterStaysOff() throws {
    bluez.isPowered = false
    var options = ConnectOptions()
    options.adapterWait = .seconds(5)
    let service = try bench.service(options: options)
    #expect(try bench.failure(service.connect()).code == .adapterOff)
    #expect(bench.loop.now.sinceStart == .seconds(5))
  }

  @Test("the failure includes the disconnect reason if bluetoothd reports one")
  func reason() throws {
    bluez.script("ReadValue") { bluez, call in
      bluez.disconnected(Device1.DisconnectReason.timeout, "Connection timeout")
      bluez.linkLost()
      call.refuse(.failed("Operation failed with ATT error: 0x0e"))
    }
    let service = try bench.service()
    let failure = try bench.failure(service.connect().flattenMap { service.read(.batteryLevel) })
    #expect(failure.code == .linkLost)
    #expect(failure.meaning.contains("the device stopped responding"))
    #expect(failure.meaning.contains("Connection timeout"))
  }
}

extension Invocation {
  fileprivate func refuse(_ answer: ErrorAnswer) { fail(answer.dbusError) }
}
