// The shell of a gateway on a store in memory and a disk whose writes end when a test says so.

import Bluetooth
import Fixtures
import Fleet
import Signals
import Testing

/// The clock of a process that is never stopped.
private struct LoopClock: MemberClock {
  let loop: Loop

  var now: Instant { loop.now }

  func post(_ body: @escaping @Sendable () -> Void) { loop.post(body) }

  func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
    loop.after(delay, body)
  }
}

/// A disk that answers a write when it is told to.
private final class HeldDisk: JournalDisk {
  private let writes = Guarded<[(text: String, written: @Sendable (Bool) -> Void)]>([])
  private let ended = Guarded(0)

  func replace(with text: String, _ written: @escaping @Sendable (Bool) -> Void) {
    writes.withLock { $0.append((text, written)) }
  }

  /// The number of writes that have begun.
  var count: Int { writes.withLock { $0.count } }

  /// The contents of the last write.
  var journal: GatewayJournal? { writes.withLock { $0.last?.text }.flatMap { GatewayJournal($0) } }

  /// Ends the write that is under way.
  func end(_ isWritten: Bool) {
    let number = ended.withLock { count in
      defer { count += 1 }
      return count
    }
    writes.withLock { $0[number].written }(isWritten)
  }
}

@Suite("The shell of a gateway")
struct GatewayShellTests {
  private static let device = BluetoothAddress(number: 0xc0ff_ee00_0001)
  private static let chain = "steps:\n  - write: a\n"

  private let loop = VirtualTimeLoop()
  private let loopEnd: LoopEnding
  private let store: MemoryStore
  private let disk = HeldDisk()
  private let file: GatewayFile
  private let shell: GatewayShell
  private let begun = Recorded<Gateway.ChainID>()
  private let decided = Recorded<Bool>()
  private let writable = Recorded<Bool>()

  init() {
    loopEnd = LoopEnding(loop)
    store = MemoryStore(on: loop, seed: 1)
    let clock = LoopClock(loop: loop)
    file = GatewayFile(GatewayJournal(), on: disk, clock)
    let settings = FleetSettings()
    let machine = Gateway(name: "hall", incarnation: "h1", settings: settings, at: loop.now)
    shell = GatewayShell(machine, file, store.client("hall"), settings, clock)
  }

  private func wait(_ time: Duration) throws {
    let until = loop.now + time
    loop.at(until) {}
    try loop.drive { [loop] in loop.now >= until }
  }

  /// Lets the gateway claim a job, until the start is being written to the journal.
  private func claim() throws {
    let handlers = GatewayShell.Handlers(
      run: { [begun] chain, _ in begun.add(chain) },
      decide: { [decided] _, _, isPermitted in decided.add(isPermitted) }, stop: { _, _ in },
      ended: { _, _ in }, drained: {}, journalWritable: { [writable] in writable.add($0) }
    )
    #expect(!shell.begin(handlers))
    // The identity of the store.
    try wait(.seconds(2))
    disk.end(true)
    let job = FleetJob(
      id: try #require(JobID("job-1")), device: Self.device,
      chain: StoreKey.chain(of: Self.chain).name, submitter: "desk", deadline: .seconds(120)
    )
    let submitter = SubmitterOnStore(loop, store.client("desk"))
    submitter.handle(.submit(job, chain: Self.chain))
    try wait(.seconds(2))
    shell.handle(.observed(Self.device, rssi: -50))
    try wait(.seconds(2))
  }

  @Test("a chain begins, and an operation is permitted, when its journal entry is on the disk")
  func order() throws {
    try claim()
    #expect(disk.count == 2 && begun.all == [])
    disk.end(true)
    let chain = try #require(begun.all.first)
    shell.handle(.operationWanted(chain, step: 0, isIdempotent: false))
    try wait(.seconds(1))
    #expect(disk.count == 3 && decided.all == [])
    #expect(disk.journal?.entries.map(\.isOpen) == [true])
    disk.end(true)
    #expect(decided.all == [true] && begun.all == [chain])
  }

  @Test("a chain whose start cannot be written does not begin, and the journal is tried again")
  func unwritable() throws {
    try claim()
    disk.end(false)
    try wait(.seconds(1))
    #expect(begun.all == [] && writable.all == [false])
    try wait(.seconds(11))
    disk.end(true)
    #expect(writable.all == [false, true])
  }

  @Test("a chain does not begin if its lease has ended during the write to the journal")
  func slowStart() throws {
    try claim()
    store.cut("hall", .sending)
    try wait(.seconds(20))
    disk.end(true)
    #expect(begun.all == [])
  }

  @Test("an operation does not begin if its lease has ended during the write to the journal")
  func slowPermission() throws {
    try claim()
    disk.end(true)
    let chain = try #require(begun.all.first)
    shell.handle(.operationWanted(chain, step: 0, isIdempotent: false))
    try wait(.seconds(1))
    #expect(disk.count == 3)
    store.cut("hall", .sending)
    try wait(.seconds(20))
    disk.end(true)
    #expect(!decided.all.contains(true))
  }

  @Test(
    "entries of one moment are one write, and those of a write that is under way are the next one")
  func combined() throws {
    let job = try #require(JobID("job-1"))
    let written = Recorded<Int>()
    for number in 0..<3 {
      var entry = try #require(GatewayJournal(Self.journal(of: job))?.entries.first)
      entry.step = number
      file.keep(entry) { _ in written.add(number) }
      if number == 1 { try wait(.milliseconds(1)) }
    }
    try wait(.milliseconds(1))
    #expect(disk.count == 1 && disk.journal?.entries.map(\.step) == [1])
    disk.end(true)
    #expect(written.all == [0, 1] && disk.count == 2)
    #expect(disk.journal?.entries.map(\.step) == [2])
    disk.end(true)
    #expect(written.all == [0, 1, 2])
  }

  @Test("an entry that is deleted during a write is not in the file after the next one")
  func deletedDuringWrite() throws {
    let job = try #require(JobID("job-1"))
    let entry = try #require(GatewayJournal(Self.journal(of: job))?.entries.first)
    file.keep(entry) { _ in }
    try wait(.milliseconds(1))
    #expect(disk.count == 1 && disk.journal?.entries.count == 1)
    file.forget(nonce: "n")
    // The write takes longer than deleted entries stay.
    try wait(.seconds(5))
    disk.end(true)
    try wait(.seconds(2))
    #expect(disk.count == 2 && disk.journal?.entries.isEmpty == true)
    disk.end(true)
    // The deletions after it are written, too.
    file.keep(entry) { _ in }
    try wait(.milliseconds(1))
    disk.end(true)
    file.forget(nonce: "n")
    try wait(.seconds(2))
    #expect(disk.count == 4 && disk.journal?.entries.isEmpty == true)
  }

  private static func journal(of job: JobID) -> String {
    """
    {"version":1,"entries":[{"address":"\(device)","job":"\(job)","nonce":"n","start":1,"armed":true,\
    "step":0,"open":false}]}
    """
  }
}
