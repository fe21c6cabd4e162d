// What is recorded for other processes, and when; and whose attempt is ended.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import Testing

@testable import BlueZ

/// A ledger that records its calls.
private final class RecordingLedger: LinkLedger {
  private let lines = Guarded<[String]>([])
  let bluez: ScriptedBlueZ
  let isStale: Bool

  init(_ bluez: ScriptedBlueZ, isStale: Bool = false) {
    self.bluez = bluez
    self.isStale = isStale
  }

  /// The recorded calls, each with the calls that bluetoothd had received before.
  var all: [String] { lines.withLock { $0 } }

  private func add(_ line: String) {
    let last = bluez.calls.last ?? "nothing"
    lines.withLock { $0.append("\(line) after \(last)") }
  }

  func turn(
    at adapter: BluetoothAddress,
    on loop: Loop,
    limit: Duration
  ) async throws -> @Sendable () -> Void {
    add("turn")
    return { self.add("given back") }
  }

  func listen(
    at adapter: BluetoothAddress,
    on loop: Loop,
    limit: Duration
  ) async throws -> @Sendable () -> Void {
    add("listens")
    return { self.add("silent") }
  }

  /// Another process has the turn.
  let isTaken = Guarded(false)
  func isTurnTaken(at adapter: BluetoothAddress) -> Bool { isTaken.withLock { $0 } }

  func begins(_ link: HeldLink) { add("begins") }
  func ended(_ link: HeldLink) { add("ended") }
  func isStale(_ device: BluetoothAddress) -> Bool { isStale }
}

@Suite("The ledger of links")
struct LinkLedgerTests {
  let bench: Bench

  init() throws { bench = try Bench() }
  var bluez: ScriptedBlueZ { bench.bluez }

  @Test("a connection is recorded before Connect, and erased when it is down")
  func order() throws {
    let ledger = RecordingLedger(bluez)
    let service = try bench.service(ledger: ledger)
    try bench.first(service.connect())
    #expect(
      ledger.all == [
        "turn after nothing", "begins after nothing", "given back after Connect",
        "ended after Disconnect",
      ]
    )
  }

  @Test("each failed attempt is erased, and its turn released")
  func failed() throws {
    bluez.script("Connect", fails: .connectAborted)
    let ledger = RecordingLedger(bluez)
    let service = try bench.service(ledger: ledger)
    _ = try bench.failure(service.connect())
    #expect(ledger.all.filter { $0.hasPrefix("begins") }.count == 5)
    #expect(ledger.all.filter { $0.hasPrefix("ended") }.count == 5)
    #expect(ledger.all.filter { $0.hasPrefix("given back") }.count == 5)
  }

  @Test("an existing connection takes no turn and is not recorded")
  func found() throws {
    bluez.isConnected = true
    let ledger = RecordingLedger(bluez)
    let service = try bench.service(ledger: ledger)
    #expect(try bench.first(service.connect(keep: false, expecting: [])) == .found)
    #expect(ledger.all.isEmpty)
  }

  @Test("a connection that is to outlive the program is erased while it is up")
  func kept() throws {
    let ledger = RecordingLedger(bluez)
    let service = try bench.service(ledger: ledger)
    try bench.first(service.connect(keep: true, expecting: []))
    #expect(bluez.isConnected)
    #expect(ledger.all.contains("ended after Connect"))
  }

  @Test("a scan pauses while another process connects, and resumes after")
  func yields() throws {
    bluez.isDeviceKnown = false
    let ledger = RecordingLedger(bluez)
    let service = try bench.service(ledger: ledger)
    let loop = bench.loop
    loop.after(.seconds(1)) { ledger.isTaken.withLock { $0 = true } }
    loop.after(.seconds(3)) { ledger.isTaken.withLock { $0 = false } }
    let times = Guarded<[String]>([])
    for (name, begins) in [("StartDiscovery", true), ("StopDiscovery", false)] {
      bluez.script(name) { bluez, call in
        let tenths = loop.now.sinceStart / .milliseconds(100)
        times.withLock { $0.append("\(name) \(tenths.rounded() / 10)") }
        call.reply()
        bluez.discovering(begins)
      }
    }
    let scan = service.scan(ScanFilter()).takeUntil(Signal.just(()).delay(.seconds(5))).collect()
    #expect(scan.firstOrDefault([], within: .seconds(10)).error == nil)
    #expect(
      times.withLock { $0 } == [
        "StartDiscovery 0.0", "StopDiscovery 1.0", "StartDiscovery 3.0", "StopDiscovery 5.0",
      ]
    )
    let calls = ledger.all.map { String($0.prefix { $0 != " " }) }
    #expect(calls == ["listens", "silent", "listens", "silent"])
    bench.drain()
  }

  @Test("a scan pauses for a limited time, and only once for the same turn")
  func yieldsOnce() throws {
    bluez.isDeviceKnown = false
    let ledger = RecordingLedger(bluez)
    let service = try bench.service(ledger: ledger)
    bench.loop.after(.seconds(1)) { ledger.isTaken.withLock { $0 = true } }
    let scan = service.scan(ScanFilter()).takeUntil(Signal.just(()).delay(.seconds(40))).collect()
    #expect(scan.firstOrDefault([], within: .seconds(60)).error == nil)
    #expect(bluez.calls.filter { $0 == "StopDiscovery" }.count == 2)
    #expect(bluez.calls.filter { $0 == "StartDiscovery" }.count == 2)
  }

  @Test("a scan of another program is named where connecting fails")
  func foreignScan() throws {
    bluez.script("Connect", fails: .connectAborted)
    let service = try bench.service()
    bluez.discovering(true)
    let failure = try bench.failure(service.connect())
    #expect(failure.code == .connectFailed)
    #expect(failure.hint.contains("another program scans over hci0"))
    bluez.discovering(false)
    let other = try bench.failure(service.connect())
    #expect(!other.hint.contains("another program scans"))
  }

  @Test("the attempt of a program that has died is ended by one Disconnect")
  func stale() throws {
    let isTaken = Guarded(true)
    bluez.script("Connect") { bluez, call in
      if isTaken.withLock({ $0 }) { return call.fail(ErrorAnswer.connectPending.dbusError) }
      bluez.linkUp()
      call.reply()
      bluez.servicesAppear()
    }
    bluez.script("Disconnect") { bluez, call in
      isTaken.withLock { $0 = false }
      bluez.disconnect(answering: call)
    }
    let service = try bench.service(ledger: RecordingLedger(bluez, isStale: true))
    #expect(try bench.first(service.connect(keep: false, expecting: [])) == .made)
    #expect(bluez.calls == ["Connect", "Disconnect", "Connect", "Disconnect"])
  }

  @Test("an abandoned attempt is ended by Disconnect also where no connection is up")
  func abandoned() throws {
    let service = try bench.service()
    try bench.first(service.endAbandonedAttempt())
    #expect(bluez.calls == ["Disconnect"])
    bluez.script("Disconnect") { _, _ in }
    let unanswered = service.endAbandonedAttempt().firstOrDefault((), within: .seconds(20))
    #expect(unanswered.error != nil)
  }

  @Test("only the LE bearer of a dual-mode device is connected and disconnected")
  func bearers() throws {
    let interfaces = Guarded<[String]>([])
    let note: @Sendable (Invocation) -> Void = { call in
      interfaces.withLock { $0.append(call.message.interface ?? "") }
    }
    bluez.script("Connect") { bluez, call in
      note(call)
      bluez.linkUp()
      bluez.bearer(isConnected: true)
      call.reply()
      bluez.servicesAppear()
    }
    bluez.script("Disconnect") { bluez, call in
      note(call)
      call.reply()
      bluez.bearer(isConnected: false)
    }
    let service = try bench.service()
    bluez.bearersAppear()
    try bench.first(service.connect())
    #expect(interfaces.withLock { $0 } == [BearerLE1.interface, BearerLE1.interface])
  }

  @Test("a dual-mode device that prefers BR/EDR is set to prefer LE first")
  func preferredBearer() throws {
    bluez.script("Set") { _, call in call.reply() }
    let service = try bench.service()
    bluez.prefers(PreferredBearer.lastUsed)
    try bench.first(service.connect())
    #expect(bluez.calls == ["Set", "Connect", "Disconnect"])
  }
}
