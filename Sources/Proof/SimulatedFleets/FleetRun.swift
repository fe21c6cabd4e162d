// One run of a simulated fleet, from the first job until no events remain.

import Bluetooth
public import Fleet
import Signals

/// The result of one run.
public struct SimulatedFleet: Sendable {
  /// The seed that the run was drawn from.
  public let seed: UInt64
  /// Broken rules, the earliest first; empty for a correct run.
  public let problems: [String]
  /// The number of jobs by end state.
  public let ends: [EndState: Int]
  /// The virtual duration of the run.
  public let lasted: Duration
  /// The timeline, one event a line; empty unless recorded.
  public let timeline: [String]

  /// Plays the fleet of a seed until no events remain.
  ///
  /// - Parameter isRecording: Whether to record the timeline.
  public static func play(seed: UInt64, isRecording: Bool = false) -> SimulatedFleet {
    play(FleetWorld(seed: seed), isRecording: isRecording)
  }

  /// Plays the fleet with one step of the protocol omitted. Some seed must then break a rule.
  package static func play(
    seed: UInt64, omitting step: Omission?, isRecording: Bool = false
  ) -> SimulatedFleet {
    var world = FleetWorld(seed: seed)
    if let step { world.settings.omitted = [step] }
    return play(world, isRecording: isRecording)
  }

  static func play(_ world: FleetWorld, isRecording: Bool) -> SimulatedFleet {
    let run = FleetRun(world, isRecording: isRecording)
    var failure: [String] = []
    do {
      try run.play()
    } catch {
      failure = ["A run comes to an end: \(error)"]
    }
    let rules = run.rules.withLock { $0 }
    var ends = rules.unresolvedEnds
    for state in world.jobs.compactMap({ rules.end(of: $0.job.id)?.state }) {
      ends[state, default: 0] += 1
    }
    defer { run.end() }
    return SimulatedFleet(
      seed: world.seed, problems: rules.problems + failure, ends: ends,
      lasted: run.loop.now.sinceStart, timeline: run.timeline.withLock { $0 }
    )
  }
}

final class FleetRun: Sendable {
  private struct Parts {
    var gateways: [SimulatedGateway] = []
    var submitters: [SimulatedSubmitter] = []
    var subscriptions: [StoreSubscription] = []
  }

  /// The limit for the fleet to settle after the healing, beyond the longest deadline.
  static let settlingTime = Duration.seconds(600)
  /// The interval at which a gateway reports the devices it observes.
  static let observationInterval = Duration.seconds(20)

  let world: FleetWorld
  let loop = VirtualTimeLoop(eventLimit: 2_000_000)
  let rules = Guarded(FleetRules())
  let timeline = Guarded<[String]>([])
  private let isRecording: Bool
  private let devices: Guarded<[BluetoothAddress: FleetDevice]>
  private let parts = Guarded(Parts())
  private let contents: Guarded<[BluetoothAddress: [JobID]]>

  init(_ world: FleetWorld, isRecording: Bool) {
    self.world = world
    self.isRecording = isRecording
    let made = world.ranges.enumerated().map { number, range in
      FleetDevice(address: FleetWorld.address(number), range: range)
    }
    devices = Guarded(Dictionary(uniqueKeysWithValues: made.map { ($0.address, $0) }))
    contents = Guarded([:])
  }

  var elapsed: Duration { loop.now.sinceStart }

  func note(_ text: @autoclosure () -> String) {
    guard isRecording else { return }
    let line = "\(elapsed / .milliseconds(1)) ms  \(text())"
    timeline.withLock { $0.append(line) }
  }

  func withDevice<R>(_ address: BluetoothAddress, _ body: (inout FleetDevice) -> R) -> R {
    devices.withLock { devices in
      var device = devices[address] ?? FleetDevice(address: address, range: [])
      defer { devices[address] = device }
      return body(&device)
    }
  }

  func devices(inRangeOf gateway: Int) -> [BluetoothAddress] {
    devices.withLock { $0.filter { $0.value.range.contains(gateway) }.keys.sorted() }
  }

  func disconnectAll(of gateway: Int) {
    devices.withLock { devices in
      for address in devices.keys { devices[address]?.disconnect(gateway: gateway) }
    }
  }

  // MARK: The course of a run

  func play() throws {
    let store = MemoryStore(on: loop, seed: world.seed) { [self] request, revision in
      changed(request, revision)
    }
    defer { store.close() }
    let gateways = (0..<world.gateways).map {
      SimulatedGateway($0, self, store.client("gateway-\($0)"))
    }
    let submitters = (0..<world.submitters).map {
      SimulatedSubmitter($0, self, store.client("submitter-\($0)"))
    }
    parts.withLock { $0 = Parts(gateways: gateways, submitters: submitters) }
    try join(gateways, submitters, store)
    submit(submitters)
    for (at, disturbance) in world.disturbances {
      loop.after(at) { [self] in perform(disturbance, store, gateways, submitters) }
    }
    loop.after(world.healsAt) { [self] in heal(store, gateways, submitters) }
    try runUntilIdle(store, gateways, submitters)
    rules.withLock { rules in
      devices.withLock { rules.finish(world, $0, at: elapsed) }
    }
  }

  /// Releases the members and their subscriptions, which refer back to the fleet.
  func end() {
    let parts = parts.withLock { parts in
      defer { parts = Parts() }
      return parts
    }
    for gateway in parts.gateways { gateway.end() }
    for submitter in parts.submitters { submitter.end() }
    loop.end()
  }

  /// Lets the members join before the first disturbance.
  private func join(
    _ gateways: [SimulatedGateway], _ submitters: [SimulatedSubmitter], _ store: MemoryStore
  ) throws {
    let stored = Guarded(0)
    for gateway in gateways {
      let entry = StoredValue.gateway(world.entries[gateway.number])
      store.client(gateway.name).perform(
        .create(.gateway(gateway.name), entry), within: .seconds(1)
      ) { _ in stored.withLock { $0 += 1 } }
    }
    try loop.drive { [world] in stored.withLock { $0 } == world.gateways }
    store.setFaults(world.faults)
    let subscriptions = submitters.flatMap { [$0.listen(), $0.observeStore()] }
    parts.withLock { $0.subscriptions = subscriptions }
    for gateway in gateways {
      gateway.start()
      observe(gateway)
    }
  }

  /// Checks the events that a follower received of a job.
  ///
  /// - Parameter since: The time when the follower learned that the job had ended.
  func followed(_ job: JobID, _ end: EndRecord, _ events: [String], missing: Int, since: Duration) {
    let gateway = parts.withLock { $0.gateways.first { $0.name == end.owner } }
    let kept = gateway?.events(of: end.nonce) ?? []
    // Nothing was lost on the network from then on.
    let isReachable = world.quietAt <= since && gateway?.hasRun(since: since) == true
    rules.withLock {
      $0.followed(job, end, events, missing: missing, kept: kept, at: elapsed)
      if isReachable { $0.followedToTheEnd(job, end, missing: missing, kept: kept, at: elapsed) }
    }
  }

  private func observe(_ gateway: SimulatedGateway) {
    gateway.observe()
    loop.after(Self.observationInterval) { [self] in observe(gateway) }
  }

  private func submit(_ submitters: [SimulatedSubmitter]) {
    for draft in world.jobs {
      let submitter = submitters[draft.submitter]
      loop.after(draft.at) { submitter.submit(draft) }
      if let later = draft.cancelledAfter {
        loop.after(draft.at + later) { submitter.handle(.cancel(draft.job.id)) }
      }
    }
  }

  /// Records the entries of a journal that is on the disk of a gateway.
  func journaled(_ text: String, by gateway: String) {
    guard let journal = GatewayJournal(text) else {
      return rules.withLock { $0.addProblem("A journal can be read", gateway, at: elapsed) }
    }
    rules.withLock { for entry in journal.entries { $0.journaled(entry) } }
  }

  /// Checks that other members read a request exactly as it was sent.
  func checkForm(of request: StoreRequest) {
    switch request {
    case .create(let key, let value), .update(let key, let value, _),
      .append(let key, let value, _), .publish(let key, let value):
      if let read = try? StoredValue(value.text, at: key), read == value { return }
      rules.withLock { $0.addProblem("A value is read as it was sent", "\(key)", at: elapsed) }
    case .remove, .list, .last: break
    }
  }

  private func changed(_ request: StoreRequest, _ revision: Revision) {
    note("store \(revision): \(request)")
    var queue: [JobID]?
    switch request {
    case .create(let key, .device(let entry)), .update(let key, .device(let entry), _):
      if let address = key.address {
        contents.withLock { $0[address] = entry.queue.map(\.job) }
      }
    case .append(let key, _, _):
      let device = world.jobs.first { $0.job.id.text == key.name }?.job.device
      queue = device.flatMap { device in contents.withLock { $0[device] } }
    case .create, .update, .remove, .list, .last, .publish:
      break
    }
    rules.withLock { $0.changed(request, queue, at: elapsed) }
  }

  private func perform(
    _ disturbance: FleetWorld.Disturbance, _ store: MemoryStore, _ gateways: [SimulatedGateway],
    _ submitters: [SimulatedSubmitter]
  ) {
    note("\(disturbance)")
    @Sendable func cut(_ name: String, _ direction: MemoryStore.Direction, _ time: Duration) {
      store.cut(name, direction)
      loop.after(time) { store.heal(name) }
    }
    switch disturbance {
    case .kill(let number, let time): gateways[number].kill(downFor: time)
    case .losePower(let number, let time): gateways[number].losePower(downFor: time)
    case .pauseProcess(let number, let time): gateways[number].pause(for: time, guarded: true)
    case .pauseHost(let number, let time): gateways[number].pause(for: time, guarded: false)
    case .cut(let number, let direction, let time): cut(gateways[number].name, direction, time)
    case .cutInTurn(let number, let receiving, let sending):
      let name = gateways[number].name
      store.cut(name, .receiving)
      loop.after(receiving) {
        store.heal(name)
        cut(name, .sending, sending)
      }
    case .cutSubmitter(let number, let direction, let time):
      cut(submitters[number].name, direction, time)
    case .killSubmitter(let number): submitters[number].kill()
    case .restartStore(let time):
      store.stop()
      loop.after(time) { store.start() }
    case .emptyStore(let time):
      store.stop()
      store.replaceContents()
      contents.withLock { $0 = [:] }
      rules.withLock { $0.storeWasEmptied() }
      loop.after(time) { store.start() }
    case .move(let device, let range):
      let address = FleetWorld.address(device)
      withDevice(address) { $0.range = Set(range) }
      // The connection drops within the supervision timeout.
      loop.after(world.settings.supervision / 2) { [self] in
        withDevice(address) { $0.supervise() }
      }
    case .fillDisk(let number, let time): gateways[number].fillDisk(for: time)
    case .setWallClock(let number, let jump):
      gateways[number].clock.setWallClock(forwardBy: jump)
    case .drain(let number): gateways[number].drain()
    }
  }

  /// Ends all disturbances. Paused and killed gateways resume by themselves.
  private func heal(
    _ store: MemoryStore, _ gateways: [SimulatedGateway], _ submitters: [SimulatedSubmitter]
  ) {
    note("healed")
    store.setFaults(.none)
    store.start()
    for gateway in gateways { store.heal(gateway.name) }
    for submitter in submitters { store.heal(submitter.name) }
  }

  /// Runs until every job has ended and no events remain.
  private func runUntilIdle(
    _ store: MemoryStore, _ gateways: [SimulatedGateway], _ submitters: [SimulatedSubmitter]
  ) throws {
    let quietAt = world.quietAt + .seconds(1)
    let limit = quietAt + .seconds(200) + Self.settlingTime
    while elapsed < limit {
      let next = max(elapsed + .seconds(5), quietAt)
      try loop.drive { [loop] in loop.now.sinceStart >= next }
      let isAtRest =
        submitters.allSatisfy(\.isDone) && gateways.allSatisfy(\.isAtRest)
        && store.entries(.all(.device)).isEmpty
      if isAtRest { return }
    }
    let left = store.entries(.all(.device)).map { "\($0.key): \($0.value)" }
    rules.withLock {
      $0.addProblem("A fleet comes to rest", left.joined(separator: ", "), at: elapsed)
    }
  }
}
