// Leases, and turns at an adapter among processes.

import BlueZ
import Bluetooth
import DBus
import Fixtures
import Signals
import Testing

@testable import blerun

@Suite("What runs on one host agree on")
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

  @Test("a lease is read as it was written, and nonsense is none")
  func lease() {
    let lease = Lease(process: 42, links: [link])
    #expect(Lease(lease.text) == lease)
    #expect(Lease("") == nil)
    #expect(Lease("links\tof\tnobody\n") == nil)
  }

  @Test("a lease lasts as long as the link, and goes with a program that holds none")
  func goes() {
    let ledger = ledger()
    #expect(files.isEmpty)
    ledger.begins(link)
    #expect(files.count == 1)
    #expect(self.ledger().held().map(\.links) == [[link]])
    #expect(self.ledger().orphans().isEmpty)
    ledger.ended(link)
    ledger.leave()
    #expect(files.isEmpty)
  }

  @Test("what a program held when it ended without a word is found by the next, once")
  func orphans() {
    let killed = ledger()
    killed.begins(link)
    // As the kernel does when a process ends: the lock goes, the file stays.
    killed.leave()
    let found = ledger().orphans()
    #expect(found.map(\.lease.links) == [[link]])
    #expect(ledger().orphans().isEmpty, "somebody is about to release it")
    found[0].file.remove()
    #expect(files.isEmpty)
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

  @Test("who connects waits a moment for those who scan, and who scans sees that")
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
    // One that does not pause is waited for, and then connected beside.
    let start = loop.now
    try loop.run { try await connecter.turn(at: adapter, on: loop, limit: .seconds(60)) }()
    #expect(loop.now - start >= .seconds(3))
    #expect(loop.now - start < .seconds(4))
    again()
  }

  @Test("a folder that others may write to is not used")
  func folder() throws {
    let folder = try RuntimeFolder { name in name == "XDG_RUNTIME_DIR" ? temporary.path : nil }
    #expect(folder.path == temporary.path + "/blerun")
  }
}
