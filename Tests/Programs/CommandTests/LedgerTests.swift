// Leases, and turns of processes on an adapter.

import BlueZ
import Bluetooth
import DBus
import Fixtures
import Glibc
import Signals
import Testing

@testable import Program

@Suite("Coordination of runs on one host")
struct LedgerTests {
  private let temporary: TemporaryFolder
  private let adapter = BluetoothAddress(number: 0x00aa_0100_0023)
  private let link = HeldLink(
    adapter: BluetoothAddress(number: 0x00aa_0100_0023),
    device: BluetoothAddress(number: 0xc0ff_ee00_0001),
    path: "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
  )

  init() throws { temporary = try TemporaryFolder() }

  private func ledger() -> HostLedger { HostLedger(RuntimeFolder(path: temporary.path)) }

  private var files: [String] { RuntimeFolder(path: temporary.path).names }

  @Test("a lease prints as it was parsed, and malformed text is not a lease")
  func lease() {
    let other = HeldLink(adapter: nil, device: BluetoothAddress(number: 7), path: "/org/bluez/x")
    let lease = Lease(
      owner: ProcessIdentity(process: 42, start: 99, boot: "b007"), bus: "0123",
      entries: [
        Lease.Entry(link: link, state: .connecting, daemon: ":1.4"),
        Lease.Entry(link: other, state: .used, daemon: "-"),
      ]
    )
    #expect(Lease(lease.text) == lease)
    #expect(lease.links == [link])
    #expect(Lease("") == nil)
    #expect(Lease("links\tof\tnobody\n") == nil)
    #expect(lease.text.contains("process\t42\t99\tb007\n"))
    #expect(lease.text.contains("connecting\t:1.4\t00:AA:01:00:00:23\tC0:FF:EE:00:00:01\t"))
  }

  @Test("a lease read while being overwritten is read as the new one")
  func halfWritten() throws {
    func lease(_ entries: [Lease.Entry]) -> Lease {
      Lease(owner: .own, bus: "0123", entries: entries)
    }
    let long = lease([Lease.Entry(link: link, state: .connecting, daemon: ":1.4")])
    let short = lease([])
    // The state after a kill between the two steps of writing.
    let rest = long.text.dropFirst(short.text.count)
    #expect(Lease(short.text + rest) == short)
  }

  @Test("a lease lasts as long as the link, and is removed when its program holds none")
  func goes() {
    let ledger = ledger()
    #expect(files.isEmpty)
    ledger.begins(link)
    #expect(files.count == 1)
    #expect(self.ledger().held().map(\.links) == [[link]])
    #expect(self.ledger().orphans().isEmpty)
    ledger.ended(link)
    ledger.removeLeaseAtEnd()
    #expect(files.isEmpty)
  }

  @Test("the links of a program that was killed are found by the next program, once")
  func orphans() {
    let killed = ledger()
    killed.begins(link)
    // Like the kernel when a process ends: the lock is released, the file stays.
    killed.removeLeaseAtEnd()
    let found = ledger().orphans()
    #expect(found.map(\.lease.links) == [[link]])
    #expect(ledger().orphans().isEmpty, "the first finder is about to release the link")
    found[0].file.remove()
    #expect(files.isEmpty)
  }

  @Test("a lease names its writer, the bus, the daemon and the state of the link")
  func content() {
    let ledger = ledger()
    ledger.setBus("0123")
    ledger.served(by: ":1.4")
    ledger.begins(link)
    func entries() -> [Lease.Entry]? {
      files.first.flatMap { Lease(LockedFile.peek(temporary.path + "/" + $0)) }?.entries
    }
    #expect(entries() == [Lease.Entry(link: link, state: .connecting, daemon: ":1.4")])
    #expect(files == ["lease-\(getpid())-\(ProcessIdentity.own.start)"])
    ledger.established(link)
    #expect(entries()?.map(\.state) == [.up])
    let other = self.ledger()
    other.setBus("0123")
    #expect(other.held().map(\.owner) == [.own])
    #expect(other.held().allSatisfy { $0.names(link) })
  }

  @Test("a link that was already up is listed as used, and is not released")
  func used() {
    let ledger = ledger()
    ledger.uses(link, isShared: false)
    #expect(self.ledger().held().map { $0.names(link) } == [true])
    #expect(self.ledger().held().map(\.links) == [[]])
    ledger.removeLeaseAtEnd()
    #expect(files.isEmpty)
  }

  @Test("a lease of an earlier boot is removed; one of another bus or a live process is kept")
  func elsewhere() throws {
    let entry = Lease.Entry(link: link, state: .up, daemon: ":1.4")
    let (own, boot) = (ProcessIdentity.own, ProcessIdentity.presentBoot)
    let parent = try #require(ProcessIdentity("\(getppid()) \(try start(of: getppid())) \(boot)"))
    let gone = ProcessIdentity(process: own.process, start: own.start + 1, boot: boot)
    let leases = [
      "boot": Lease(
        owner: ProcessIdentity(process: 1, start: 1, boot: "b007"), bus: "0123", entries: [entry]
      ),
      "bus": Lease(owner: gone, bus: "4567", entries: [entry]),
      "there": Lease(owner: parent, bus: "0123", entries: [entry]),
      // Its process number was reused, with another start time.
      "gone": Lease(owner: gone, bus: "0123", entries: [entry]),
    ]
    for (name, lease) in leases { _ = try temporary.file("lease-\(name)", lease.text) }
    let ledger = ledger()
    ledger.setBus("0123")
    #expect(ledger.orphans().map(\.lease) == [leases["gone"]])
    #expect(files == ["lease-bus", "lease-gone", "lease-there"])
  }

  private func start(of process: Int32) throws -> UInt64 {
    try #require(ProcessIdentity.start(in: LockedFile.peek("/proc/\(process)/stat")))
  }

  @Test("a process is identified by its start time, whatever its name; a zombie does not count")
  func process() {
    let fields = (3...52).map { $0 == 3 ? "S" : "\($0)" }.joined(separator: " ")
    #expect(ProcessIdentity.start(in: "7 (a) b) \(fields)") == 22)
    let dead = "Z" + fields.dropFirst()
    #expect(ProcessIdentity.start(in: "7 (sh) \(dead)") == nil)
    #expect(ProcessIdentity.start(in: "") == nil)
    let own = ProcessIdentity.own
    #expect(own.isThere)
    #expect(ProcessIdentity(own.text) == own)
    #expect(!ProcessIdentity(process: own.process, start: own.start, boot: "b007").isThere)
  }

  @Test("a lease that cannot be written is reported once")
  func unwritable() {
    let said = Recorded<String>()
    let ledger = HostLedger(RuntimeFolder(path: temporary.path + "/none")) { said.add($0) }
    ledger.begins(link)
    ledger.established(link)
    #expect(said.all.count == 1)
    #expect(said.all.first?.contains("No such file") == true)
  }

  @Test("two programs take turns at an adapter; the second gives up at its limit")
  func turns() throws {
    let (first, second) = (ledger(), ledger())
    let loop = VirtualTimeLoop()
    let adapter = adapter
    let giveBack = try loop.run {
      try await first.turn(at: adapter, on: loop, limit: .seconds(5))
    }
    let error = #expect(throws: DeviceFailure.self) {
      try loop.run { _ = try await second.turn(at: adapter, on: loop, limit: .seconds(5)) }
    }
    #expect(error?.code == .busy)
    #expect(loop.now.sinceStart >= .seconds(5))
    loop.after(.seconds(1)) { giveBack() }
    let then = try loop.run { try await second.turn(at: adapter, on: loop, limit: .seconds(5)) }
    then()
    #expect(loop.now.sinceStart < .seconds(8))
  }

  @Test("an adapter runs one batch at a time, but single runs continue")
  func batches() throws {
    let (first, second) = (ledger(), ledger())
    let adapter = adapter
    let loop = VirtualTimeLoop()
    let giveBack = try loop.run { try await first.beginBatch(at: adapter, on: loop, nil) }
    let error = #expect(throws: DeviceFailure.self) {
      _ = try loop.run { try await second.beginBatch(at: adapter, on: loop, nil) }
    }
    #expect(error?.code == .busy && error?.class == .passing)
    #expect(error?.meaning.contains("another batch runs over the adapter") == true)
    let free = BluetoothAddress(number: 0x00aa_0100_0024)
    let other = try loop.run { try await second.beginBatch(at: free, on: loop, nil) }
    try loop.run { try await second.turn(at: adapter, on: loop, limit: .seconds(5)) }()
    other()
    first.setRun(12)
    loop.after(.seconds(3)) { giveBack() }
    let awaited = Recorded<String>()
    let wait = HostLedger.BatchWait(limit: .seconds(5)) {
      awaited.add($0)
    } mayContinue: {
      true
    }
    try loop.run { try await second.beginBatch(at: adapter, on: loop, wait) }()
    #expect(awaited.all == ["run 12, process \(getpid())"])
    #expect(files.isEmpty || files.allSatisfy { $0.hasPrefix("adapter-") })
  }

  @Test("a run reserves a device, and others see which run and process holds it")
  func reserved() throws {
    let (first, second) = (ledger(), ledger())
    first.setRun(12)
    for (own, shown) in [(nil, 12), (7, 7)] as [(Int64?, Int64)] {
      guard case .held(let giveBack) = first.reserve(link, run: own) else {
        throw TestFailure("reserved")
      }
      first.setRun(12)
      guard case .taken(let run) = second.reserve(link, run: nil) else { throw TestFailure("free") }
      #expect(run == "run \(shown), process \(getpid())")
      giveBack()
    }
    guard case .held(let last) = second.reserve(link, run: nil) else { throw TestFailure("taken") }
    last()
    #expect(files.isEmpty)
  }

  @Test("a link made by another blerun process is shared; one of another program is not")
  func shared() throws {
    let (first, second) = (ledger(), HostLedger(RuntimeFolder(path: temporary.path), owner: other))
    #expect(!second.isShared(link))
    first.uses(link, isShared: false)
    #expect(!second.isShared(link))
    first.established(link)
    #expect(second.isShared(link))
    #expect(!first.isShared(link), "the link is its own")
    first.uses(link, isShared: true)
    #expect(second.isShared(link))
    first.ended(link)
    #expect(!second.isShared(link))
  }

  /// Another live process.
  private var other: ProcessIdentity {
    ProcessIdentity(process: getpid(), start: 1, boot: ProcessIdentity.presentBoot)
  }

  /// Why a test cannot continue.
  private struct TestFailure: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  @Test("a connect briefly waits for scans on the adapter, and the scans can see it waiting")
  func scans() throws {
    let (scanner, connecter) = (ledger(), ledger())
    let loop = VirtualTimeLoop()
    let adapter = adapter
    let listen = { @Sendable in
      try await scanner.listen(at: adapter, on: loop, limit: .seconds(2))
    }
    let silence = try loop.run { try await listen() }
    // Two may scan at once.
    let other = try loop.run {
      try await connecter.listen(at: adapter, on: loop, limit: .seconds(2))
    }
    other()
    #expect(!scanner.isTurnTaken(at: adapter))
    loop.after(.seconds(1)) {
      #expect(scanner.isTurnTaken(at: adapter))
      silence()
    }
    let giveBack = try loop.run {
      try await connecter.turn(at: adapter, on: loop, limit: .seconds(60))
    }
    #expect(loop.now.sinceStart >= .seconds(1))
    #expect(loop.now.sinceStart < .seconds(1.1))
    loop.after(.seconds(1)) { giveBack() }
    let again = try loop.run { try await listen() }
    #expect(loop.now.sinceStart >= .seconds(2))
    #expect(!scanner.isTurnTaken(at: adapter))
    // A scan that does not pause is waited for; then the connect goes ahead beside it.
    let start = loop.now
    try loop.run { try await connecter.turn(at: adapter, on: loop, limit: .seconds(60)) }()
    #expect(loop.now - start >= .seconds(3))
    #expect(loop.now - start < .seconds(4))
    again()
  }

  @Test("a folder that other users can write to is not used")
  func folder() throws {
    let folder = try RuntimeFolder { name in name == "XDG_RUNTIME_DIR" ? temporary.path : nil }
    #expect(folder.path == temporary.path + "/blerun")
  }
}
