// The store in memory fulfils the contract and can simulate the faults of a network.

import Bluetooth
import Fleet
import Signals
import Testing

@Suite("The store in memory")
struct StoreContractTests {
  private let loop = VirtualTimeLoop()

  private func store(_ faults: StoreFaults = .none) -> MemoryStore {
    MemoryStore(on: loop, seed: 1, faults: faults)
  }

  private func tested(_ store: MemoryStore) -> StoreUnderTest<some JobStore, some JobStore> {
    StoreUnderTest(first: store.client("a"), second: store.client("b")) { [loop] reached in
      // A test that waits for something that never happens ends when the loop is idle.
      try loop.drive(until: reached)
    }
  }

  @Test("an update succeeds only with the expected revision")
  func compareAndSet() throws { try StoreContract.compareAndSet(tested(store())) }

  @Test("a record is appended only once after the expected last record of a subject")
  func append() throws { try StoreContract.append(tested(store())) }

  @Test("a list returns the entries that match a pattern, by key")
  func list() throws { try StoreContract.list(tested(store())) }

  @Test("a watch reports the existing entries, the end of these, and every change")
  func watch() throws { try StoreContract.watch(tested(store())) }

  @Test("subscribers receive published messages and appended records")
  func publish() throws { try StoreContract.publish(tested(store())) }

  @Test("clients meet a store that was emptied, and continue in it")
  func replacement() throws {
    let store = store()
    try StoreContract.replacement(tested(store)) {
      store.stop()
      store.replaceContents()
      store.start()
    }
  }

  @Test("a client that is connected again is told so, unless it meets another store")
  func reconnection() throws {
    let store = store()
    let (made, replaced) = (Guarded<[String]>([]), Guarded(0))
    var observers: [StoreSubscription] = []
    for name in ["a", "b"] {
      let client = store.client(name)
      observers.append(client.observeReconnection { made.withLock { $0.append(name) } })
      observers.append(client.observeReplacement { replaced.withLock { $0 += 1 } })
    }
    defer { for observer in observers { observer.cancel() } }
    store.cut("a", .receiving)
    store.heal("a")
    try loop.drive { !made.withLock { $0.isEmpty } }
    #expect(made.withLock { $0 } == ["a"])
    store.stop()
    store.start()
    try loop.drive { made.withLock { $0.count } > 2 }
    #expect(made.withLock { $0 } == ["a", "a", "b"])
    store.stop()
    store.replaceContents()
    store.start()
    try loop.drive { replaced.withLock { $0 } == 2 }
    #expect(made.withLock { $0.count } == 3)
  }

  @Test("a request that was sent to lost contents is not made in the new ones")
  func requestToLostContents() throws {
    let store = store()
    let tested = tested(store)
    store.cut("a", .sending)
    store.replaceContents()
    let answers = Guarded<[StoreAnswer]>([])
    for number: UInt64 in 1...6 {
      let key = StoreKey.device(BluetoothAddress(number: number))
      tested.first.perform(.create(key, Self.value("a")), within: .seconds(1)) { answer in
        answers.withLock { $0.append(answer) }
      }
    }
    try tested.wait { answers.withLock { $0.count } == 6 }
    store.heal("a")
    #expect(store.entries(.all(.device)).isEmpty)
    #expect(answers.withLock { $0.allSatisfy { $0 == .unknown } })
  }

  // MARK: Faults

  private static let key = StoreKey.device(BluetoothAddress(number: 7))

  private static func value(_ text: String) -> StoredValue {
    .device(DeviceEntry(queue: JobID(text).map { [QueuedJob($0)] } ?? []))
  }

  @Test("if the reply is lost, the outcome is unknown although the change was made")
  func lostReply() throws {
    var faults = StoreFaults.none
    faults.lostReplies = 1000
    let store = store(faults)
    #expect(try tested(store).ask(.create(Self.key, Self.value("a"))) == .unknown)
    #expect(store.entries(.one(Self.key)).map(\.value) == [Self.value("a")])
    #expect(loop.now.sinceStart == .seconds(15))
  }

  @Test("if a request is late, the outcome is unknown and the change is made after its limit")
  func lateRequest() throws {
    let store = store()
    let tested = tested(store)
    store.cut("a", .sending)
    var unknown = 0
    for number: UInt64 in 1...6 {
      let key = StoreKey.device(BluetoothAddress(number: number))
      if try tested.ask(.create(key, Self.value("a"))) == .unknown {
        unknown += 1
      }
    }
    #expect(unknown == 6)
    #expect(store.entries(.all(.device)) == [])
    store.heal("a")
    // Some requests were held up on the way, and some were lost.
    #expect((1...5).contains(store.entries(.all(.device)).count))
  }

  @Test("a cut towards the client loses replies, and a cut from the client loses requests")
  func directions() throws {
    let store = store()
    let tested = tested(store)
    store.cut("a", .receiving)
    #expect(try tested.ask(.create(Self.key, Self.value("a"))) == .unknown)
    #expect(store.entries(.one(Self.key)).count == 1)
    #expect(try tested.ask(.list(.one(Self.key))) == .unavailable)
    store.heal("a")
    guard case .entries(let entries) = try tested.ask(.list(.one(Self.key))) else {
      Issue.record("the client can read again")
      return
    }
    #expect(entries.count == 1)
  }

  @Test("a stale read shows an earlier state, a compare-and-set never does")
  func staleRead() throws {
    var faults = StoreFaults.none
    faults.staleReads = 1000
    faults.staleness = .seconds(3600)
    let store = store(faults)
    let tested = tested(store)
    let first = try tested.revision(.create(Self.key, Self.value("a")))
    #expect(try tested.ask(.list(.one(Self.key))) == .entries([]))
    #expect(try tested.ask(.update(Self.key, Self.value("b"), expecting: first)) != .refused)
  }

  @Test("a watch misses no change while the store is unreachable")
  func restart() throws {
    let store = store()
    let tested = tested(store)
    let events = Guarded<[WatchEvent]>([])
    let client = store.client("b")
    let watch = client.watch(.all(.device)) { event in events.withLock { $0.append(event) } }
    store.cut("b", .receiving)
    let first = try tested.revision(.create(Self.key, Self.value("a")))
    #expect(events.withLock { $0 } == [.initialStateEnded])
    store.heal("b")
    #expect(
      events.withLock { $0.last }
        == .entry(StoreEntry(key: Self.key, value: Self.value("a"), revision: first))
    )
    store.stop()
    #expect(try tested.ask(.list(.one(Self.key))) == .unavailable)
    store.start()
    #expect(try tested.ask(.list(.one(Self.key))) != .unavailable)
    withExtendedLifetime(watch) {}
  }

  @Test("faults repeat and lose deliveries", arguments: [0, 2])
  func deliveries(count: Int) throws {
    var faults = StoreFaults.none
    faults.repeatedDeliveries = count == 2 ? 1000 : 0
    faults.lostDeliveries = count == 0 ? 1000 : 0
    let store = store(faults)
    let received = Guarded(0)
    let subject = StoreKey.announcement(of: BluetoothAddress(number: 7))
    let subscription = store.client("b").subscribe(.one(subject)) { _, _ in
      received.withLock { $0 += 1 }
    }
    #expect(try tested(store).ask(.publish(subject, .announcement)) == .published)
    loop.after(.seconds(10)) {}
    try loop.drive { [loop] in loop.now.sinceStart >= .seconds(10) }
    #expect(received.withLock { $0 } == count)
    withExtendedLifetime(subscription) {}
  }
}
