// Single decisions of gateways and submitters, on a store in memory.

import Bluetooth
import Fleet
import Signals
import Testing

@Suite("Fleet members")
struct MemberTests {
  private static let device = BluetoothAddress(number: 0xc0ff_ee00_0001)
  private static let chain = "steps:\n  - read: a\n"

  private let loop = VirtualTimeLoop()
  private let store: MemoryStore

  init() { store = MemoryStore(on: loop, seed: 1) }

  private func job(
    _ name: String = "job-1", _ change: (inout FleetJob) -> Void = { _ in }
  ) throws -> FleetJob {
    var job = FleetJob(
      id: try #require(JobID(name)), device: Self.device,
      chain: StoreKey.chain(of: Self.chain).name, submitter: "desk", deadline: .seconds(20)
    )
    change(&job)
    return job
  }

  private func join(_ gateway: String, _ change: (inout GatewayEntry) -> Void) throws {
    var entry = GatewayEntry()
    change(&entry)
    let tested = StoreUnderTest(first: store.client("a"), second: store.client("b")) {
      [loop] in try loop.drive(until: $0)
    }
    _ = try tested.revision(.create(.gateway(gateway), .gateway(entry)))
  }

  private func report(_ gateway: String, rssi: Int?) -> Submitter.Event {
    let sightings = rssi.map { [Sighting(address: Self.device, rssi: $0)] } ?? []
    return .sightings(SightingReport(gateway: gateway, sightings: sightings))
  }

  // MARK: Submitters

  @Test("a detached job costs its submitter no requests and stays in the queue")
  func left() throws {
    let submitter = SubmitterOnStore(loop, store.client("desk"))
    let job = try job()
    submitter.handle(.submit(job, chain: Self.chain))
    try submitter.wait(.seconds(2))
    submitter.handle(.left(job.id))
    try submitter.wait(.seconds(60))
    let before = submitter.requests.count
    try submitter.wait(.seconds(600))
    #expect(submitter.requests.count == before)
    let entries = store.entries(.one(.device(Self.device)))
    #expect(entries.map(\.value) == [.device(DeviceEntry(queue: [QueuedJob(job.id)]))])
  }

  @Test("a job that ends while it reads the gateways does not hold up the jobs after it")
  func endedWhileReading() throws {
    let submitter = SubmitterOnStore(loop, store.client("desk"))
    let (first, second) = (try job(), try job("job-2"))
    submitter.handle(.submit(first, chain: Self.chain))
    #expect(submitter.requests == [.list(.all(.gateway))])
    submitter.handle(.record(first.id, .ended(EndRecord(.ok, owner: "a", nonce: "n"))))
    submitter.handle(.submit(second, chain: Self.chain))
    try submitter.wait(.seconds(5))
    let entries = store.entries(.one(.device(Self.device)))
    #expect(entries.map(\.value) == [.device(DeviceEntry(queue: [QueuedJob(second.id)]))])
  }

  @Test("the text of a chain is stored once, under its SHA-256")
  func chainOnce() throws {
    let submitter = SubmitterOnStore(loop, store.client("desk"))
    for number in 1...3 {
      submitter.handle(.submit(try job("job-\(number)"), chain: Self.chain))
      try submitter.wait(.seconds(2))
    }
    let key = StoreKey.chain(of: Self.chain)
    let writes = submitter.requests.filter { $0 == .create(key, .chain(Self.chain)) }
    #expect(writes.count == 1)
    #expect(store.entries(.all(.job)).count == 3)
    #expect(key.name.count == 64)
  }

  @Test(
    "a job for a bonded device runs on a gateway that has the bond",
    arguments: [
      (nil, nil, "b"), ("c", nil, "c"), (nil, "c", "c"), ("a", nil, "b"),
    ] as [(String?, String?, String)]
  )
  func bond(pin: String?, prefer: String?, expected: String) throws {
    for name in ["b", "c"] { try join(name) { $0.bonds = [Self.device] } }
    try join("a") { _ in }
    let submitter = SubmitterOnStore(loop, store.client("desk"))
    submitter.handle(report("a", rssi: -40))
    submitter.handle(report("b", rssi: -60))
    submitter.handle(report("c", rssi: -80))
    submitter.handle(.submit(try job { ($0.pin, $0.prefer) = (pin, prefer) }, chain: Self.chain))
    try submitter.wait(.seconds(2))
    guard case .job(let stored)? = store.entries(.all(.job)).first?.value else {
      Issue.record("the job is stored")
      return
    }
    #expect(stored.onlyGateway == expected)
  }

  @Test("a job that no gateway starts ends with the gateways that listened and what they observed")
  func reasons() throws {
    try join("a") { _ in }
    try join("b") { $0.capabilities = ["indoor"] }
    let cases: [(FleetJob, a: Int?, EndState, String)] = [
      (try job("j1"), nil, .noGateway, "not observed by a, b"),
      (try job("j2"), -60, .expired, "observed by a at -60 dBm"),
      (try job("j3") { $0.pin = "c" }, -60, .noGateway, "the job is pinned to c"),
      (try job("j4") { $0.needs = ["indoor"] }, -60, .noCapableGateway, "the job needs indoor"),
      (try job("j5") { $0.format = 2 }, -60, .noCapableGateway, "no gateway of the right version"),
    ]
    let submitter = SubmitterOnStore(loop, store.client("desk"))
    for (job, rssi, state, detail) in cases {
      submitter.handle(.submit(job, chain: Self.chain))
      for _ in 0..<8 {
        submitter.handle(report("a", rssi: rssi))
        submitter.handle(report("b", rssi: nil))
        try submitter.wait(.seconds(5))
      }
      let end = try #require(submitter.end(of: job.id))
      #expect(end.state == state, "\(job.id)")
      #expect(end.detail.contains(detail), "\(end.detail)")
    }
  }

  @Test("jobs for one device are queued in the order of submission")
  func order() throws {
    let (first, second) = (
      SubmitterOnStore(loop, store.client("desk")), SubmitterOnStore(loop, store.client("shop"))
    )
    let names = ["z", "m", "a"]
    for name in names { first.handle(.submit(try job("first-\(name)"), chain: Self.chain)) }
    try first.wait(.seconds(5))
    second.handle(.submit(try job("a-second"), chain: Self.chain))
    try second.wait(.seconds(5))
    guard case .device(let entry)? = store.entries(.all(.device)).first?.value else {
      Issue.record("the device has an entry")
      return
    }
    #expect(entry.queue.map(\.job.text) == ["first-z", "first-m", "first-a", "a-second"])
  }

  // MARK: Gateways

  private func submitted(_ job: FleetJob) throws -> SubmitterOnStore {
    let submitter = SubmitterOnStore(loop, store.client("desk"))
    submitter.handle(.submit(job, chain: Self.chain))
    try submitter.wait(.seconds(1))
    return submitter
  }

  @Test("a gateway that missed an announcement finds the job when it is connected again")
  func missedAnnouncement() throws {
    let gateway = GatewayOnStore(loop, store.client("hall"))
    gateway.handle(.observed(Self.device, rssi: -50))
    let job = try job()
    let submitter = try submitted(job)
    submitter.handle(.left(job.id))
    try submitter.wait(.seconds(5))
    #expect(gateway.chains.isEmpty)
    gateway.handle(.reconnected)
    try submitter.wait(.seconds(2))
    #expect(gateway.chains.count == 1)
  }

  @Test("a gateway that is connected again reads its devices one after the other, each once")
  func readsSpread() throws {
    let gateway = GatewayOnStore(loop, store.client("hall"))
    let devices = (1...10).map { BluetoothAddress(number: 0xc0ff_ee00_0000 + $0) }
    for device in devices { gateway.handle(.observed(device, rssi: -50)) }
    let end = loop.now + .seconds(1)
    loop.at(end) {}
    try loop.drive { [loop] in loop.now >= end }
    let before = gateway.requests.count
    gateway.handle(.reconnected)
    // A second loss meanwhile adds none.
    gateway.handle(.reconnected)
    for (time, count) in [(0, 1), (4_500, 5), (9_500, 10)] {
      let until = end + .milliseconds(time)
      loop.at(until) {}
      try loop.drive { [loop] in loop.now >= until }
      #expect(gateway.requests.count - before == count, "after \(time) ms")
    }
    let read = gateway.requests.suffix(10)
    #expect(read == devices.map { .list(.one(.device($0))) }[...])
  }

  @Test("a gateway respects its connection limit and reuses a free connection immediately")
  func connections() throws {
    let submitter = SubmitterOnStore(loop, store.client("desk"))
    let gateway = GatewayOnStore(loop, store.client("hall"))
    for number in 1...12 {
      let address = BluetoothAddress(number: 0xc0ff_ee00_0000 + UInt64(number))
      let job = FleetJob(
        id: try #require(JobID("job-\(number)")), device: address,
        chain: StoreKey.chain(of: Self.chain).name, submitter: "desk", deadline: .seconds(100)
      )
      submitter.handle(.submit(job, chain: Self.chain))
      try submitter.wait(.seconds(1))
      gateway.handle(.observed(address, rssi: -50))
    }
    try submitter.wait(.seconds(2))
    try #require(gateway.chains.count == FleetSettings().connections)
    for ended in 1...5 {
      gateway.handle(.chainEnded(gateway.chains[ended - 1], .ok))
      // Less than the time that a bidding gateway waits.
      try submitter.wait(.milliseconds(200))
      try #require(gateway.chains.count == FleetSettings().connections + ended)
    }
  }

  @Test("a gateway does not begin a chain if its start is confirmed after the lease has expired")
  func lateStart() throws {
    let job = try job()
    let device = StoreEntry(
      key: .device(Self.device), value: .device(DeviceEntry(queue: [QueuedJob(job.id)])),
      revision: 1
    )
    let stored = StoreEntry(key: .job(job.id), value: .job(job), revision: 2)
    var gateway = Gateway(name: "hall", incarnation: "h1", settings: FleetSettings(), at: .start)
    var now = Instant.start
    var actions = gateway.handle(.observed(Self.device, rssi: -50), at: now)
    var isRecorded = false
    for _ in 0..<20 where !isRecorded {
      guard !actions.isEmpty else {
        now = try #require(gateway.next)
        actions = gateway.handle(.woken, at: now)
        continue
      }
      guard case .perform(let id, let request) = actions.removeFirst() else { continue }
      let answer: StoreAnswer
      switch request {
      case .list(.one(let key)): answer = .entries([device, stored].filter { $0.key == key })
      case .append:
        // The process was stopped meanwhile.
        now = now + FleetSettings().lease
        isRecorded = true
        answer = .applied(4)
      case .create, .update, .remove, .list, .last, .publish: answer = .applied(3)
      }
      actions += gateway.handle(.answered(id, answer), at: now)
    }
    let runs = actions.contains { if case .run = $0 { true } else { false } }
    #expect(isRecorded && !runs, "\(actions)")
  }

  @Test(
    "a gateway claims nothing while its journal is not writable or its device is held",
    arguments: [
      (Gateway.Event.journalWritable(false), Gateway.Event.journalWritable(true)),
      (.held([device]), .held([])),
    ]
  )
  func unable(from begin: Gateway.Event, until end: Gateway.Event) throws {
    let submitter = try submitted(job { $0.deadline = .seconds(100) })
    let gateway = GatewayOnStore(loop, store.client("hall"))
    gateway.handle(begin)
    gateway.handle(.observed(Self.device, rssi: -50))
    try submitter.wait(.seconds(14))
    #expect(gateway.chain == nil)
    gateway.handle(end)
    gateway.handle(.observed(Self.device, rssi: -50))
    gateway.handle(.announced(Self.device))
    try submitter.wait(.seconds(2))
    #expect(gateway.chain != nil)
  }

  @Test("a write that cannot be journaled is not permitted and counts as not executed")
  func journalFails() throws {
    let job = try job { $0.deadline = .seconds(100) }
    let submitter = try submitted(job)
    let gateway = GatewayOnStore(loop, store.client("hall"))
    gateway.handle(.observed(Self.device, rssi: -50))
    try submitter.wait(.seconds(2))
    let chain = try #require(gateway.chain)
    gateway.handle(.operationWanted(chain, step: 0, isIdempotent: false))
    try submitter.wait(.seconds(1))
    #expect(gateway.actions.contains(.permit(chain, step: 0)))
    // The shell could not write the journal before the permission.
    gateway.handle(.operationNotBegun(chain, .journal))
    gateway.handle(.journalFailed(chain))
    #expect(gateway.actions.last == .stop(chain, .journal))
    gateway.handle(.chainEnded(chain, .stopped))
    try submitter.wait(.seconds(15))
    #expect(submitter.end(of: job.id)?.state == .interrupted)
    #expect(submitter.end(of: job.id)?.step == 0)
  }

  @Test("a write during which the journal can no longer be written may have happened")
  func journalFailsMeanwhile() throws {
    let job = try job { $0.deadline = .seconds(100) }
    let submitter = try submitted(job)
    let gateway = GatewayOnStore(loop, store.client("hall"))
    gateway.handle(.observed(Self.device, rssi: -50))
    try submitter.wait(.seconds(2))
    let chain = try #require(gateway.chain)
    gateway.handle(.operationWanted(chain, step: 0, isIdempotent: false))
    try submitter.wait(.seconds(1))
    #expect(gateway.actions.contains(.permit(chain, step: 0)))
    // The events of an earlier step could not be written.
    gateway.handle(.journalFailed(chain))
    #expect(gateway.actions.last == .stop(chain, .journal))
    gateway.handle(.chainEnded(chain, .stopped))
    try submitter.wait(.seconds(15))
    #expect(submitter.end(of: job.id)?.state == .unknown)
  }

  @Test("a gateway claims no job of a later version", arguments: [(1, false), (2, true)])
  func version(format: Int, claims: Bool) throws {
    let submitter = try submitted(job { $0.format = 2 })
    let gateway = GatewayOnStore(loop, store.client("hall"), format: format)
    gateway.handle(.observed(Self.device, rssi: -50))
    try submitter.wait(.seconds(3))
    #expect((gateway.chain != nil) == claims)
  }

  @Test("a job behind one of another batch ends within its patience, and leaves the queue")
  func patienceBehindOthers() throws {
    let (first, second) = (
      SubmitterOnStore(loop, store.client("desk")), SubmitterOnStore(loop, store.client("shop"))
    )
    let long = try job("long") { $0.deadline = .seconds(300) }
    let short = try job("short") { $0.deadline = .seconds(15) }
    first.handle(.submit(long, chain: Self.chain))
    try first.wait(.seconds(2))
    second.handle(.submit(short, chain: Self.chain))
    try second.wait(.seconds(16))
    let end = try #require(second.end(of: short.id))
    #expect(end.state == .expired)
    #expect(end.detail == "job long was before it in the queue of the device")
    try second.wait(.seconds(1))
    let entries = store.entries(.one(.device(Self.device)))
    #expect(entries.map(\.value) == [.device(DeviceEntry(queue: [QueuedJob(long.id)]))])
  }

  @Test("a cancelled job behind one of another batch ends at once")
  func cancelledBehindOthers() throws {
    let submitter = try submitted(job("long") { $0.deadline = .seconds(300) })
    let other = SubmitterOnStore(loop, store.client("shop"))
    let job = try job("short") { $0.deadline = .seconds(300) }
    other.handle(.submit(job, chain: Self.chain))
    try submitter.wait(.seconds(12))
    other.handle(.cancel(job.id))
    try submitter.wait(.seconds(1))
    #expect(other.end(of: job.id)?.state == .cancelled)
  }

  @Test("a drained gateway ends although the store is away; the ends are in its journal")
  func drainedWithoutStore() throws {
    let submitter = try submitted(job { $0.deadline = .seconds(100) })
    let gateway = GatewayOnStore(loop, store.client("hall"))
    gateway.handle(.observed(Self.device, rssi: -50))
    try submitter.wait(.seconds(2))
    let chain = try #require(gateway.chain)
    gateway.handle(.operationWanted(chain, step: 0, isIdempotent: false))
    try submitter.wait(.seconds(1))
    store.stop()
    gateway.handle(.drain(within: .seconds(5)))
    try submitter.wait(.seconds(5.1))
    #expect(gateway.actions.contains(.stop(chain, .drained)))
    gateway.handle(.chainEnded(chain, .stopped))
    try submitter.wait(.seconds(4))
    #expect(!gateway.actions.contains(.drained))
    try submitter.wait(.seconds(2))
    #expect(gateway.actions.last == .drained)
    let isJournaled = gateway.actions.contains {
      if case .journal(let entry) = $0 { entry.end?.state == .unknown } else { false }
    }
    #expect(isJournaled)
  }

  // MARK: Values that cannot be read

  @Test("a record that cannot be read ends its job with the reason, and no other job")
  func unreadableRecord() throws {
    let job = try job { $0.deadline = .seconds(300) }
    let submitter = try submitted(job)
    store.put("{}", at: .result(of: job.id))
    try submitter.wait(.seconds(12))
    let end = try #require(submitter.end(of: job.id))
    #expect(end.state == .unknown && end.detail.contains("the key 'version' is missing"))
  }

  @Test("a job whose description cannot be read does not block its device for ever")
  func unreadableJob() throws {
    let first = try job("job-1")
    let submitter = try submitted(first)
    store.put("{}", at: .job(first.id))
    let gateway = GatewayOnStore(loop, store.client("hall"))
    for _ in 0..<30 {
      gateway.handle(.observed(Self.device, rssi: -50))
      try submitter.wait(.seconds(5))
    }
    #expect(store.entries(.all(.device)).isEmpty)
    #expect(gateway.chains.isEmpty)
  }

  // MARK: A lost store

  /// Makes the store lose everything; members learn it from their shells.
  private func loseStore(_ submitter: SubmitterOnStore) throws {
    store.replaceContents()
    try submitter.wait(.milliseconds(1))
  }

  @Test(
    "a job that was queued in a lost store is queued again as armed, with the rest of its patience")
  func queuedAgain() throws {
    let job = try job { $0.deadline = .seconds(100) }
    let submitter = try submitted(job)
    try submitter.wait(.seconds(30))
    try loseStore(submitter)
    submitter.handle(.storeReplaced)
    try submitter.wait(.seconds(15))
    var queued = QueuedJob(job.id)
    queued.isArmed = true
    #expect(store.entries(.all(.device)).map(\.value) == [.device(DeviceEntry(queue: [queued]))])
    guard case .job(let stored)? = store.entries(.all(.job)).first?.value else {
      Issue.record("the job is stored")
      return
    }
    #expect(stored.deadline < .seconds(60) && stored.deadline > .seconds(50))
  }

  @Test(
    "a job that vanished from the store is queued again as armed, without another identity of it")
  func vanished() throws {
    let job = try job { $0.deadline = .seconds(300) }
    let submitter = try submitted(job)
    let entry = try #require(store.entries(.one(.device(Self.device))).first)
    let tested = StoreUnderTest(first: store.client("a"), second: store.client("b")) {
      [loop] in try loop.drive(until: $0)
    }
    _ = try tested.revision(.remove(entry.key, expecting: entry.revision))
    try submitter.wait(.seconds(100))
    var queued = QueuedJob(job.id)
    queued.isArmed = true
    #expect(store.entries(.all(.device)).map(\.value) == [.device(DeviceEntry(queue: [queued]))])
  }

  @Test("a chain that runs while the store is lost is stopped, and its end is in the new store")
  func runningWhileLost() throws {
    let job = try job { $0.deadline = .seconds(100) }
    let submitter = try submitted(job)
    let gateway = GatewayOnStore(loop, store.client("hall"))
    gateway.handle(.observed(Self.device, rssi: -50))
    try submitter.wait(.seconds(2))
    let chain = try #require(gateway.chain)
    try loseStore(submitter)
    gateway.handle(.storeReplaced)
    #expect(gateway.actions.last == .stop(chain, .replaced))
    gateway.handle(.chainEnded(chain, .stopped))
    try submitter.wait(.seconds(5))
    let ends = store.entries(.one(.result(of: job.id))).compactMap { entry in
      if case .record(let record) = entry.value { record.end?.state } else { nil }
    }
    #expect(ends == [.interrupted])
    #expect(gateway.actions.contains(.forget(chain)))
  }

  @Test("the journal of a lost store is settled in the new one")
  func journalOfLostStore() throws {
    let text = #"""
      {"version":1,"store":"old","entries":[{"address":"C0:FF:EE:00:00:01","job":"job-1",
        "nonce":"n-1","start":57,"armed":true,"step":3,"open":false}]}
      """#
    let journal = try #require(GatewayJournal(text))
    #expect(journal.store == "old" && GatewayJournal(journal.text) == journal)
    let gateway = GatewayOnStore(loop, store.client("hall"), journal: journal.entries)
    gateway.handle(.woken)
    loop.at(.start + .seconds(10)) {}
    try loop.drive { [loop] in loop.now >= .start + .seconds(10) }
    guard case .record(.ended(let end))? = store.entries(.all(.result)).first?.value else {
      Issue.record("the end is stored")
      return
    }
    #expect(end.state == .interrupted && end.step == 3)
    #expect(gateway.actions.contains { if case .forget = $0 { true } else { false } })
  }

  @Test("a gateway that meets another store claims nothing before claims of the old one have ended")
  func waitsForLostClaims() throws {
    let gateway = GatewayOnStore(loop, store.client("hall"))
    gateway.handle(.storeReplaced)
    let submitter = try submitted(job { $0.deadline = .seconds(100) })
    gateway.handle(.observed(Self.device, rssi: -50))
    try submitter.wait(FleetSettings().succession - .seconds(2))
    #expect(gateway.chain == nil)
    gateway.handle(.observed(Self.device, rssi: -50))
    try submitter.wait(.seconds(5))
    #expect(gateway.chain != nil)
  }

  // MARK: A connection held by another program

  @Test("a job whose device another program holds ends as held and names the gateway")
  func heldByProgram() throws {
    try join("a") { _ in }
    let job = try job()
    let submitter = try submitted(job)
    for _ in 0..<8 {
      var report = SightingReport(gateway: "a", sightings: [])
      report.held = [Self.device]
      submitter.handle(.sightings(report))
      try submitter.wait(.seconds(5))
    }
    let end = try #require(submitter.end(of: job.id))
    #expect(end.state == .held)
    #expect(end.detail == "the device is connected to by another program on gateway a")
  }

  @Test("a successor that cannot connect reports its predecessor and its last renewal")
  func heldByPredecessor() throws {
    let job = try job { $0.deadline = .seconds(60) }
    let submitter = try submitted(job)
    let found = try #require(store.entries(.all(.device)).first)
    guard case .device(var entry) = found.value else {
      Issue.record("the device has an entry")
      return
    }
    entry.claim = Claim(
      job: job.id, owner: "attic", nonce: "n-1", epoch: found.revision, lease: .seconds(15)
    )
    let tested = StoreUnderTest(first: store.client("a"), second: store.client("b")) {
      [loop] in try loop.drive(until: $0)
    }
    let change = StoreRequest.update(found.key, .device(entry), expecting: found.revision)
    _ = try tested.revision(change)
    let gateway = GatewayOnStore(loop, store.client("hall"))
    for _ in 0..<20 {
      gateway.handle(.observed(Self.device, rssi: -50))
      if let chain = gateway.chain { gateway.handle(.chainEnded(chain, .held)) }
      try submitter.wait(.seconds(5))
    }
    let end = try #require(submitter.end(of: job.id))
    #expect(end.state == .held)
    let mark = "held by gateway attic, last renewed "
    let seconds = Int(end.detail.dropFirst(mark.count).prefix { $0.isNumber }) ?? 0
    #expect(end.detail.hasPrefix(mark) && (55...75).contains(seconds), "\(end.detail)")
  }
}
