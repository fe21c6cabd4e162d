// The messages of a fleet, counted in virtual time, because large fleets depend on their number.
//
// `make bench-fleet` measures the same on a server.

import Bluetooth
import Fleet
import Signals
import SimulatedFleets
import Testing

@Suite("Fleet traffic")
struct FleetTrafficTests {
  private static let gateways = 10
  private static let devices = 100

  private let loop = VirtualTimeLoop()
  private let counting: CountingStore
  private let counts = Guarded(TrafficCounts())

  init() { counting = CountingStore(MemoryStore(on: loop, seed: 1).client("all")) }

  private static func address(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(number: 0xc0ff_ee00_0000 + UInt64(number))
  }

  /// Gateways that each observe their own devices and those of the next gateway.
  private func join() {
    for number in 0..<Self.gateways {
      let half = Self.devices / 2
      let next = (number + 1) % Self.gateways
      let devices = [(number, -55), (next, -75)].flatMap { place, rssi in
        (0..<half).map { (Self.address(place * half + $0), rssi: rssi) }
      }
      TrafficGateway("g\(number)", devices, counting, on: loop, counts).begin()
    }
  }

  private func wait(_ time: Duration) throws {
    let until = loop.now + time
    loop.at(until) {}
    try loop.drive { [loop] in loop.now >= until }
  }

  @Test("an idle gateway reports every 5 s, renews its entry every 10 s, and receives nothing")
  func idle() throws {
    join()
    // By now the periodic work has been done.
    try wait(.seconds(601))
    counting.reset()
    try wait(.seconds(120))
    let sent = counting.sent
    #expect(sent["publish sightings"] == Self.gateways * 24)
    #expect(sent["update gateway"] == Self.gateways * 12)
    // One gateway looks for jobs without a follower; the others check that it does.
    let sweeps = sent.filter { !["publish sightings", "update gateway"].contains($0.key) }
    #expect(sweeps.values.reduce(0, +) <= Self.gateways * 2 + 20, "\(sent)")
    #expect(counting.delivered.isEmpty, "\(counting.delivered)")
  }

  @Test("a report is delivered to its subscribers and to no gateway")
  func noFanOut() throws {
    join()
    let listening = counting.subscribe(.all(.sightings)) { _, _ in }
    defer { listening.cancel() }
    try wait(.seconds(20))
    counting.reset()
    try wait(.seconds(60))
    #expect(counting.delivered == ["sightings": Self.gateways * 12])
  }

  @Test("a job is announced to the gateways that observe its device, with few requests")
  func oneJob() throws {
    join()
    try wait(.seconds(20))
    counting.reset()
    let submitter = SubmitterOnStore(loop, counting)
    let records = counting.subscribe(.all(.result)) { key, value in
      guard let job = JobID(key.name), case .record(let record) = value else { return }
      submitter.handle(.record(job, record))
    }
    defer { records.cancel() }
    let chain = "steps:\n  - read: a\n"
    let ids = try (0..<Self.gateways).map { try #require(JobID("job-\($0)")) }
    for (number, id) in ids.enumerated() {
      let job = FleetJob(
        id: id, device: Self.address(number * Self.devices / 2),
        chain: StoreKey.chain(of: chain).name, submitter: "desk", deadline: .seconds(60)
      )
      submitter.handle(.submit(job, chain: chain))
    }
    try wait(.seconds(4))
    for id in ids { #expect(submitter.end(of: id)?.state == .ok) }
    #expect(counts.withLock { $0.chains } == ids.count)
    // Two gateways observe each device; a record reports the start or the end.
    let delivered = counting.delivered
    #expect(delivered == ["announce": 2 * ids.count, "result": 2 * ids.count])
    let idle = ["publish sightings", "update gateway"]
    let sent = counting.sent.filter { !idle.contains($0.key) }
    #expect(sent["create job"] == ids.count && sent["append result"] == 2 * ids.count, "\(sent)")
    #expect(sent.values.reduce(0, +) <= 25 * ids.count, "\(sent)")
  }

  @Test("an ended chain frees its connection for the next job before its end is stored")
  func freeConnection() throws {
    let withoutEnds = CountingStore(counting) { [loop] request, limit, answer in
      guard case .append(_, .record(.ended), _) = request else { return false }
      loop.after(limit) { answer(.unknown) }
      return true
    }
    let gateway = GatewayOnStore(loop, withoutEnds)
    let submitter = SubmitterOnStore(loop, counting)
    let chain = "steps:\n  - read: a\n"
    let most = FleetSettings().connections
    for number in 0...most {
      let job = FleetJob(
        id: try #require(JobID("job-\(number)")), device: Self.address(number),
        chain: StoreKey.chain(of: chain).name, submitter: "desk", deadline: .seconds(60)
      )
      submitter.handle(.submit(job, chain: chain))
      try wait(.milliseconds(100))
      gateway.handle(.observed(Self.address(number), rssi: -50))
    }
    try wait(.seconds(2))
    try #require(gateway.chains.count == most)
    gateway.handle(.chainEnded(gateway.chains[0], .ok))
    try wait(.milliseconds(200))
    #expect(gateway.chains.count == most + 1)
  }
}

/// Counts what goes through a store: requests by kind, and deliveries to subscribers.
private final class CountingStore: JobStore {
  typealias Answer = @Sendable (StoreAnswer) -> Void

  private struct State {
    var sent: [String: Int] = [:]
    var delivered: [String: Int] = [:]
  }

  private let store: any JobStore
  private let takes: @Sendable (StoreRequest, Duration, @escaping Answer) -> Bool
  private let state = Guarded(State())

  /// - Parameter takes: Whether a request is answered here instead of by the store.
  init(
    _ store: some JobStore,
    takes: @escaping @Sendable (StoreRequest, Duration, @escaping Answer) -> Bool = { _, _, _ in
      false
    }
  ) {
    self.store = store
    self.takes = takes
  }

  var sent: [String: Int] { state.withLock { $0.sent } }
  var delivered: [String: Int] { state.withLock { $0.delivered } }

  func reset() { state.withLock { $0 = State() } }

  private static func name(_ request: StoreRequest) -> String {
    switch request {
    case .create(let key, _): "create \(key.kind)"
    case .update(let key, _, _): "update \(key.kind)"
    case .remove(let key, _): "remove \(key.kind)"
    case .list(.one(let key)): "read \(key.kind)"
    case .list(.all(let kind)): "list \(kind)"
    case .append(let key, _, _): "append \(key.kind)"
    case .last(let key): "last \(key.kind)"
    case .publish(let key, _): "publish \(key.kind)"
    }
  }

  func perform(
    _ request: StoreRequest, within limit: Duration,
    _ answer: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    state.withLock { $0.sent[Self.name(request), default: 0] += 1 }
    if !takes(request, limit, answer) { store.perform(request, within: limit, answer) }
  }

  func watch(
    _ pattern: KeyPattern, _ handler: @escaping @Sendable (WatchEvent) -> Void
  ) -> StoreSubscription {
    store.watch(pattern, handler)
  }

  var identity: String { store.identity }

  func observeReplacement(_ handler: @escaping @Sendable () -> Void) -> StoreSubscription {
    store.observeReplacement(handler)
  }

  func observeReconnection(_ handler: @escaping @Sendable () -> Void) -> StoreSubscription {
    store.observeReconnection(handler)
  }

  func subscribe(
    _ pattern: KeyPattern, _ handler: @escaping @Sendable (StoreKey, StoredValue) -> Void
  ) -> StoreSubscription {
    store.subscribe(pattern) { [self] key, value in
      state.withLock { $0.delivered["\(key.kind)", default: 0] += 1 }
      handler(key, value)
    }
  }
}
