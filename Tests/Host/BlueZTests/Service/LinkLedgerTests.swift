// The ledger entries that other processes read, and which attempts are ended.

import BlueZInterfaces
import Bluetooth
import DBus
import Glibc
import Signals
import Testing

@testable import BlueZ

/// A ledger that records its calls.
private final class RecordingLedger: LinkLedger {
  private let lines = Guarded<[String]>([])
  let bluez: ScriptedBlueZ

  init(_ bluez: ScriptedBlueZ) { self.bluez = bluez }

  /// The recorded calls, each with the calls that bluetoothd had received before.
  var all: [String] { lines.withLock { $0 } }

  private func add(_ line: String) {
    let last = bluez.calls.last ?? "nothing"
    lines.withLock { $0.append("\(line) after \(last)") }
  }

  func turn(
    at adapter: BluetoothAddress, on loop: Loop, limit: Duration
  ) async throws -> @Sendable () -> Void {
    add("turn")
    return { self.add("given back") }
  }

  func listen(
    at adapter: BluetoothAddress, on loop: Loop, limit: Duration
  ) async throws -> @Sendable () -> Void {
    add("listens")
    return { self.add("silent") }
  }

  /// The run of another process that has the device.
  let run = Guarded<String?>(nil)
  func reserve(_ link: HeldLink, run number: Int64?) -> DeviceReservation {
    if let run = run.withLock({ $0 }) { return .taken(by: run) }
    add("reserved")
    return .held { self.add("free") }
  }

  /// Another process uses the connection.
  let isUsedElsewhere = Guarded(false)
  func isShared(_ link: HeldLink) -> Bool { isUsedElsewhere.withLock { $0 } }
  func uses(_ link: HeldLink, isShared: Bool) { add(isShared ? "shares" : "uses") }
  func use(
    of link: HeldLink, on loop: Loop, limit: Duration
  ) async throws -> (@Sendable () -> Void)? { {} }

  /// Another process has the turn.
  let isTaken = Guarded(false)
  func isTurnTaken(at adapter: BluetoothAddress) -> Bool { isTaken.withLock { $0 } }

  func begins(_ link: HeldLink) { add("begins") }
  func ended(_ link: HeldLink) { add("ended") }
  func isStale(_ device: BluetoothAddress) -> Bool { false }
}

@Suite("Link ledger")
struct LinkLedgerTests {
  let bench: Bench

  init() throws { bench = try Bench() }
  var bluez: ScriptedBlueZ { bench.bluez }

  @Test("a connection is recorded before Connect, and erased after it is down")
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

  @Test("each failed attempt is erased, and its turn is released")
  func failed() throws {
    bluez.script("Connect", fails: .connectAborted)
    let ledger = RecordingLedger(bluez)
    let service = try bench.service(ledger: ledger)
    _ = try bench.failure(service.connect())
    #expect(ledger.all.filter { $0.hasPrefix("begins") }.count == 5)
    #expect(ledger.all.filter { $0.hasPrefix("ended") }.count == 5)
    #expect(ledger.all.filter { $0.hasPrefix("given back") }.count == 5)
  }

  @Test("an existing connection takes no connect turn, and is recorded as used")
  func found() throws {
    bluez.isConnected = true
    let ledger = RecordingLedger(bluez)
    let service = try bench.service(ledger: ledger)
    #expect(try bench.first(service.connect(keep: false, expecting: [])) == .found)
    #expect(ledger.all == ["uses after nothing"])
    #expect(bluez.isConnected)
  }

  @Test("a device that another run uses is waited for, and reserved until the turn ends")
  func otherRun() throws {
    let ledger = RecordingLedger(bluez)
    ledger.run.withLock { $0 = "run 12, process 4711" }
    var options = ConnectOptions()
    options.otherRuns = .await
    let service = try bench.service(options: options, ledger: ledger)
    let failure = try bench.failure(service.connect())
    #expect(failure.code == .busy && failure.class == .passing)
    #expect(failure.meaning.contains("run 12, process 4711"))
    #expect(bluez.calls.isEmpty && ledger.all.isEmpty)
    bench.loop.after(.seconds(100)) { ledger.run.withLock { $0 = nil } }
    let waited = Guarded<[Bool]>([])
    let chain = service.connect()
      .catchError { _ in
        service.awaitOtherRuns().map { isFree in waited.withLock { $0.append(isFree) } }
          .flattenMap { service.connect() }
      }
    try bench.first(chain, within: .seconds(300))
    #expect(waited.withLock { $0 } == [true])
    #expect(ledger.all.first == "reserved after nothing")
    #expect(ledger.all.last == "free after Disconnect")
    #expect(ledger.all.filter { $0.hasPrefix("reserved") }.count == 1)
  }

  @Test("runs in one process wait for each other, but never for themselves")
  func sameProcess() throws {
    var options = ConnectOptions()
    options.otherRuns = .await
    options.run = 12
    let first = try bench.service(options: options)
    let again = service(beside: first, options, on: first.scheduler)
    options.run = 13
    let notices = Guarded<[ServiceNotice]>([])
    let second = service(beside: first, options, on: SerialScheduler(on: bench.loop)) { notice in
      if case .awaiting = notice { notices.withLock { $0.append(notice) } }
    }
    let loop = bench.loop
    let begun = try loop.run {
      async let one: Void = first.connect().flattenMap { _ in again.connect() }
        .flattenMap { _ in Signal.just(()).delay(.seconds(10)) }
        .first()
      async let two: Duration = Signal.just(()).delay(.seconds(3))
        .flattenMap { second.connect() }
        .catchError { _ in second.awaitOtherRuns().flattenMap { _ in second.connect() } }
        .map { _ in loop.now.sinceStart }
        .first()
      try await one
      return try await two
    }
    #expect(begun >= .seconds(10))
    #expect(notices.withLock { $0 } == [.awaiting(run: "run 12, process \(getpid())")])
    #expect(bluez.calls == ["Connect", "Disconnect", "Connect", "Disconnect"])
  }

  /// Another service of the same device and client.
  private func service(
    beside other: BlueZDevice, _ options: ConnectOptions, on scheduler: SerialScheduler,
    _ notices: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
  ) -> BlueZDevice {
    BlueZDevice(
      client: other.client, target: other.target, options: options, scheduler: scheduler,
      notices: notices
    )
  }

  @Test("a device that another run uses is busy if waiting is off or times out")
  func noWait() throws {
    let ledger = RecordingLedger(bluez)
    ledger.run.withLock { $0 = "another run" }
    var options = ConnectOptions()
    options.otherRuns = .fail
    let service = try bench.service(options: options, ledger: ledger)
    #expect(try bench.failure(service.connect()).code == .busy)
    #expect(try bench.first(service.awaitOtherRuns()) == false)
  }

  @Test("a connection that another process uses stays up; its last user disconnects it")
  func shared() throws {
    let ledger = RecordingLedger(bluez)
    let service = try bench.service(ledger: ledger)
    ledger.isUsedElsewhere.withLock { $0 = true }
    try bench.first(service.connect())
    #expect(bluez.isConnected && bluez.calls == ["Connect"])
    #expect(ledger.all.last?.hasPrefix("ended") == true)
    #expect(try bench.first(service.connect(keep: false, expecting: [])) == .shared)
    #expect(try bench.first(service.connect().then { service.endAllUses() }))
    #expect(bluez.isConnected && ledger.all.contains { $0.hasPrefix("shares") })
    let chain = service.connect().map { ledger.isUsedElsewhere.withLock { $0 = false } }
    #expect(try !bench.first(chain.then { service.endAllUses() }))
    #expect(!bluez.isConnected && bluez.calls == ["Connect", "Disconnect"])
  }

  @Test("a connection that outlives the program is erased while it is up")
  func kept() throws {
    let ledger = RecordingLedger(bluez)
    let service = try bench.service(ledger: ledger)
    try bench.first(service.connect(keep: true, expecting: []))
    #expect(bluez.isConnected)
    #expect(ledger.all.contains("ended after Connect"))
  }

  @Test("a scan pauses while another process connects, and then resumes")
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

  @Test("a scan pauses for a limited time, and only once for each connect turn")
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

  @Test("a failure to connect names another program's scan")
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

  @Test("an abandoned attempt calls Disconnect even if no connection is up")
  func abandoned() throws {
    let service = try bench.service()
    try bench.first(service.endAbandonedAttempt())
    #expect(bluez.calls == ["Disconnect"])
    bluez.script("Disconnect") { _, _ in }
    let unanswered = service.endAbandonedAttempt().firstOrDefault((), within: .seconds(20))
    #expect(unanswered.error != nil)
  }

  @Test("only the LE bearer of a dual-mode device connects and disconnects")
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

  @Test("bearers without members, as of a bluetoothd without --experimental, are not used")
  func bareBearers() throws {
    let interfaces = Guarded<[String]>([])
    bluez.script("Connect") { bluez, call in
      interfaces.withLock { $0.append(call.message.interface ?? "") }
      bluez.linkUp()
      call.reply()
      bluez.servicesAppear()
    }
    let service = try bench.service()
    bluez.bearersAppear(isExperimental: false)
    try bench.first(service.connect())
    #expect(interfaces.withLock { $0 } == [Device1.interface])
  }

  @Test("a dual-mode device that prefers BR/EDR is changed to prefer LE")
  func preferredBearer() throws {
    bluez.script("Set") { _, call in call.reply() }
    let service = try bench.service()
    bluez.prefers(PreferredBearer.lastUsed)
    try bench.first(service.connect())
    #expect(bluez.calls == ["Set", "Connect", "Disconnect"])
  }
}
