// The contract of every fleet store, as one test body for all of them.
//
// It runs on the store in memory; a store over a network runs the same body.

import Bluetooth
import Fleet
import Signals
import Testing

/// A store under test: two clients, and a way to let it work until something is reached.
struct StoreUnderTest<First: JobStore, Second: JobStore> {
  let first: First
  let second: Second
  let wait: (_ until: @escaping @Sendable () -> Bool) throws -> Void

  /// The answer to a request.
  func ask(_ request: StoreRequest, within limit: Duration = .seconds(15)) throws -> StoreAnswer {
    let answers = Guarded<[StoreAnswer]>([])
    first.perform(request, within: limit) { answer in answers.withLock { $0.append(answer) } }
    try wait { answers.withLock { !$0.isEmpty } }
    let all = answers.withLock { $0 }
    #expect(all.count == 1)
    return try #require(all.first)
  }

  /// Waits for the answer to a request of the second client: its subscriptions are active then.
  func settle() throws {
    let isAnswered = Guarded(false)
    second.perform(.list(.one(.sweep)), within: .seconds(15)) { _ in
      isAnswered.withLock { $0 = true }
    }
    try wait { isAnswered.withLock { $0 } }
  }

  /// The revision after a change that must succeed.
  func revision(_ request: StoreRequest) throws -> Revision {
    guard case .applied(let revision) = try ask(request) else {
      Issue.record("\(request) was not applied")
      return 0
    }
    return revision
  }
}

/// The contract.
enum StoreContract {
  private static let address = BluetoothAddress(number: 0xc0ff_ee00_0001)
  private static let key = StoreKey.device(address)

  private static func job(_ text: String) throws -> JobID { try #require(JobID(text)) }

  private static func value(_ job: String) throws -> StoredValue {
    .device(DeviceEntry(queue: [QueuedJob(try Self.job(job))]))
  }

  private static func end(_ state: EndState, _ nonce: String) -> StoredValue {
    .record(.ended(EndRecord(state, owner: "g", nonce: nonce)))
  }

  static func compareAndSet(_ store: StoreUnderTest<some JobStore, some JobStore>) throws {
    let first = try store.revision(.create(key, value("a")))
    #expect(try store.ask(.create(key, value("b"))) == .refused)
    let second = try store.revision(.update(key, value("c"), expecting: first))
    #expect(second > first)
    #expect(try store.ask(.update(key, value("d"), expecting: first)) == .refused)
    #expect(try store.ask(.remove(key, expecting: first)) == .refused)
    let found = StoreEntry(key: key, value: try value("c"), revision: second)
    #expect(try store.ask(.list(.one(key))) == .entries([found]))
    let third = try store.revision(.remove(key, expecting: second))
    #expect(third > second)
    #expect(try store.ask(.list(.one(key))) == .entries([]))
    #expect(try store.ask(.update(key, value("e"), expecting: third)) == .refused)
    #expect(try store.revision(.create(key, value("f"))) > third)
  }

  static func append(_ store: StoreUnderTest<some JobStore, some JobStore>) throws {
    let subject = StoreKey.result(of: try job("job-1"))
    #expect(try store.ask(.last(subject)) == .entries([]))
    let first = try store.revision(.append(subject, end(.unknown, "n1"), expecting: 0))
    #expect(try store.ask(.append(subject, end(.ok, "n2"), expecting: 0)) == .refused)
    let second = try store.revision(.append(subject, end(.ok, "n3"), expecting: first))
    let found = StoreEntry(key: subject, value: end(.ok, "n3"), revision: second)
    #expect(try store.ask(.last(subject)) == .entries([found]))
    let other = StoreKey.result(of: try job("job-2"))
    #expect(try store.revision(.append(other, end(.ok, "n4"), expecting: 0)) > second)
  }

  static func list(_ store: StoreUnderTest<some JobStore, some JobStore>) throws {
    let other = StoreKey.device(BluetoothAddress(number: 1))
    let first = try store.revision(.create(key, value("a")))
    let second = try store.revision(.create(other, value("b")))
    _ = try store.revision(.create(StoreKey(.chain, "c"), .chain("text")))
    let entries = [
      StoreEntry(key: other, value: try value("b"), revision: second),
      StoreEntry(key: key, value: try value("a"), revision: first),
    ]
    #expect(try store.ask(.list(.all(.device))) == .entries(entries))
  }

  static func watch(_ store: StoreUnderTest<some JobStore, some JobStore>) throws {
    let first = try store.revision(.create(key, value("a")))
    let events = Guarded<[WatchEvent]>([])
    let watch = store.second.watch(.all(.device)) { event in events.withLock { $0.append(event) } }
    try store.wait { events.withLock { $0.count } == 2 }
    let second = try store.revision(.update(key, value("b"), expecting: first))
    try store.wait { events.withLock { $0.count } == 3 }
    let third = try store.revision(.remove(key, expecting: second))
    try store.wait { events.withLock { $0.count } == 4 }
    watch.cancel()
    _ = try store.revision(.create(key, value("c")))
    _ = try store.ask(.list(.one(key)))
    let expected: [WatchEvent] = [
      .entry(StoreEntry(key: key, value: try value("a"), revision: first)), .initialStateEnded,
      .entry(StoreEntry(key: key, value: try value("b"), revision: second)),
      .removed(key, third),
    ]
    #expect(events.withLock { $0 } == expected)
  }

  /// - Parameter lose: Makes the store lose its contents, and be there again.
  static func replacement(
    _ store: StoreUnderTest<some JobStore, some JobStore>, lose: () throws -> Void
  ) throws {
    let events = Guarded<[WatchEvent]>([])
    let watch = store.second.watch(.all(.device)) { event in events.withLock { $0.append(event) } }
    let met = Guarded(0)
    let observers = [store.first.observeReplacement, store.second.observeReplacement].map {
      observe in
      observe { met.withLock { $0 += 1 } }
    }
    defer { for one in observers + [watch] { one.cancel() } }
    let before = store.first.identity
    #expect(before == store.second.identity)
    let old = try store.revision(.create(key, try value("a")))
    let record = StoreKey.result(of: try job("a"))
    let start = try store.revision(.append(record, end(.unknown, "n"), expecting: 0))
    try lose()
    try store.wait { met.withLock { $0 } == 2 }
    #expect(store.first.identity != before && store.first.identity == store.second.identity)
    // Nothing is left, and revisions of before mean nothing.
    #expect(try store.ask(.list(.one(key))) == .entries([]))
    #expect(try store.ask(.last(record)) == .entries([]))
    #expect(try store.ask(.update(key, try value("b"), expecting: old)) == .refused)
    #expect(try store.ask(.append(record, end(.ok, "n"), expecting: start)) == .refused)
    let new = try store.revision(.create(key, try value("c")))
    let entry = StoreEntry(key: key, value: try value("c"), revision: new)
    try store.wait { events.withLock { $0.last } == .entry(entry) }
  }

  static func publish(_ store: StoreUnderTest<some JobStore, some JobStore>) throws {
    let subject = StoreKey.announcement(of: address)
    let received = Guarded<[StoreKey]>([])
    let one = store.second.subscribe(.one(subject)) { key, _ in received.withLock { $0.append(key) }
    }
    let all = store.second.subscribe(.all(.result)) { key, _ in received.withLock { $0.append(key) }
    }
    try store.settle()
    #expect(try store.ask(.publish(subject, .announcement)) == .published)
    try store.wait { received.withLock { $0.count } == 1 }
    let result = StoreKey.result(of: try job("job-1"))
    _ = try store.revision(.append(result, end(.ok, "n"), expecting: 0))
    try store.wait { received.withLock { $0.count } == 2 }
    one.cancel()
    all.cancel()
    #expect(try store.ask(.publish(subject, .announcement)) == .published)
    _ = try store.ask(.list(.one(key)))
    #expect(received.withLock { $0 } == [subject, result])
  }
}
