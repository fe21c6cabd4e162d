// Bugs that the simulation test found, each reduced to a minimal test.
//
// The page docs/internals/simulation-found.md says how each was found.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Bugs that random seeds found")
struct FoundTests {
  @Test("a scheduled block that is cancelled before it starts never runs")
  func cancelledBlock() throws {
    let loop = VirtualTimeLoop()
    let scheduler = SerialScheduler(on: loop)
    let hasRun = Guarded(false)
    loop.after(.milliseconds(1)) {
      // The turn is free: it is granted at once, and its block waits for the driving thread.
      let turn = scheduler.schedule { hasRun.withLock { $0 = true } }
      turn.cancel()
    }
    try loop.run { try await loop.sleep(for: .seconds(1)) }
    #expect(!hasRun.withLock { $0 })
    #expect(scheduler.isIdle)
  }

  @Test("discovery stops when bluetoothd ends", arguments: [true, false])
  func scanOfTheDead(_ isKilled: Bool) throws {
    let simulation = try Simulation()
    let observation = simulation.service.scan(ScanFilter()).collect().observe { _ in }
    try simulation.pass(.seconds(1))
    if isKilled { simulation.simulator.crash() } else { simulation.simulator.stop() }
    #expect(simulation.history == ["scanning on", "scanning off"])
    observation.cancel()
    try simulation.pass(.seconds(1))
  }

  @Test("a subscription to a withdrawn service does not carry over to the service that returns")
  func withdrawnService() throws {
    let simulation = try Simulation()
    let (service, simulator) = (simulation.service, simulation.simulator)
    let chain = service.connect().flattenMap { service.subscribe(.alert).flattenMap { $0.take(1) } }
    simulation.loop.after(.seconds(1)) {
      simulator.offer(.alert, false, at: simulation.address)
    }
    #expect(simulation.endure(chain).error != nil)
    simulator.offer(.alert, true, at: simulation.address)
    let subscriptions = simulation.history.count { $0.contains(" subscribed") }
    #expect(simulation.endure(service.connect()).error == nil)
    #expect(simulation.history.count { $0.contains(" subscribed") } == subscriptions)
  }

  @Test("a withdrawn service is removed children first, even while its values are acquired")
  func withdrawnWhileAcquired() throws {
    let removed = Recorded<String>()
    let simulation = try Simulation(log: { message, _ in
      guard message.member == "InterfacesRemoved", let path = message.body.first?.asObjectPath
      else { return }
      removed.add(path.lastElement)
    })
    let (service, simulator) = (simulation.service, simulation.simulator)
    let chain = service.connect().flattenMap {
      service.subscribe(.alert, SubscriptionOptions(delivery: .acquire)).flattenMap { $0.take(1) }
    }
    simulation.loop.after(.seconds(1)) {
      simulator.offer(.alert, false, at: simulation.address)
    }
    #expect(simulation.endure(chain).error != nil)
    let order = removed.all.filter { $0.hasPrefix("desc") || $0.hasPrefix("char") }
    #expect(order.map { $0.prefix(4) } == ["desc", "char"])
  }

  @Test("an operation after unpair fails with not-connected, not with device-gone")
  func unpaired() throws {
    let simulation = try Simulation()
    let service = simulation.service
    let chain = service.connect().flattenMap { service.unpair() }
      .flattenMap { service.read(.alert) }
    Verdict(.notConnected, .passing, within: .seconds(10)).check(simulation.endure(chain))
  }

  @Test("an operation after a timed-out unpair fails with not-connected too")
  func unpairedLater() throws {
    let simulation = try Simulation()
    let service = simulation.service
    let chain = service.connect().flattenMap { service.unpair().timeout(.milliseconds(500), "it") }
    #expect(simulation.endure(chain).error != nil)
    // It is removed once its link has ended.
    try simulation.pass(.seconds(5))
    Verdict(.notConnected, .passing, within: .seconds(1)).check(
      simulation.endure(service.read(.alert))
    )
  }

  @Test(
    "a scan whose StartDiscovery is never answered does not leave discovery running",
    arguments: [CallTreatment.loseAnswer, .ignore, .delay(.seconds(14))],
    [Duration.seconds(1), .seconds(30)]
  )
  func unansweredStart(_ treatment: CallTreatment, _ limit: Duration) throws {
    let simulation = try Simulation()
    simulation.simulator.treatCalls { $0.member == "StartDiscovery" ? treatment : .take }
    let scan = simulation.service.scan(ScanFilter()).collect().map { _ in }
    #expect(simulation.endure(scan, within: limit).error != nil)
    try simulation.pass(.seconds(20))
    let scanning = simulation.history.filter { $0.hasPrefix("scanning") }
    #expect(scanning == (treatment == .ignore ? [] : ["scanning on", "scanning off"]))
  }

  @Test(
    "a Pair that bluetoothd handles late makes no new link, or one that is undone",
    arguments: [true, false]
  )
  func latePair(isCancelled: Bool) throws {
    let simulation = try Simulation()
    let (service, simulator) = (simulation.service, simulation.simulator)
    let treatments: [String: CallTreatment] = [
      // Beyond the chain's limit and its clean-ups.
      "Pair": .delay(.seconds(20)), "CancelPairing": isCancelled ? .take : .ignore,
    ]
    simulator.treatCalls { treatments[$0.member ?? ""] ?? .take }
    let chain = service.connect().flattenMap { service.pair(PairingAnswers()) }.map { _ in }
    #expect(simulation.endure(chain, within: .seconds(2)).error != nil)
    try simulation.pass(.seconds(40))
    #expect(simulation.history.count { $0.hasSuffix("link up") } == (isCancelled ? 1 : 2))
    #expect(simulation.history.last?.hasSuffix("link down") == true)
  }

  @Test("a Pair cancelled while it makes a new link leaves no link")
  func cancelledPair() throws {
    let simulation = try Simulation()
    let (service, simulator) = (simulation.service, simulation.simulator)
    #expect(simulation.endure(service.connect(keep: true, expecting: [])).error == nil)
    simulator.treatCalls { $0.member == "Pair" ? .delay(.seconds(1)) : .take }
    simulation.loop.after(.milliseconds(500)) { simulator.loseLink(simulation.address) }
    // bluetoothd has begun to connect, and the new connection is not up yet.
    let pairing = service.pair(PairingAnswers()).map { _ in }
    #expect(simulation.endure(pairing, within: .milliseconds(1010)).error != nil)
    try simulation.pass(.seconds(20))
    let ups = simulation.history.count { $0.hasSuffix("link up") }
    #expect(simulation.history.count { $0.hasSuffix("link down") } == ups)
  }

  @Test("a subscription does not wait for an earlier StartNotify whose reply was lost")
  func startLost() throws {
    let simulation = try Simulation()
    let (service, simulator) = (simulation.service, simulation.simulator)
    #expect(simulation.endure(service.connect(keep: true, expecting: [])).error == nil)
    simulator.treatCalls { $0.member == "StartNotify" ? .loseAnswer : .take }
    let options = SubscriptionOptions(delivery: .signals)
    let lost = simulation.endure(service.subscribe(.alert, options).map { _ in })
    #expect((lost.error as? DeviceFailure)?.code == .timedOut)
    simulator.treatCalls { _ in .take }
    let next = service.subscribe(.alert, options).map { _ in }
    #expect(simulation.endure(next, within: .seconds(5)).error == nil)
  }

  @Test("a connection that Pair made after the first one dropped ends with the turn")
  func linkOfPairing() throws {
    let simulation = try Simulation()
    let (service, simulator) = (simulation.service, simulation.simulator)
    simulator.treatCalls { $0.member == "Pair" ? .delay(.seconds(4)) : .take }
    simulation.loop.after(.seconds(3)) { simulator.loseLink(simulation.address) }
    let chain = service.connect().flattenMap { service.pair(PairingAnswers()) }
      .flattenMap { _ in service.read(.alert) }
    #expect(simulation.endure(chain, within: .seconds(20)).error == nil)
    #expect(simulation.history.count { $0.hasSuffix("link up") } == 2)
    #expect(simulation.history.last?.hasSuffix("link down") == true)
  }

  @Test("a subscription waits for the reply to an abandoned StartNotify")
  func startLeft() throws {
    let simulation = try Simulation()
    let service = simulation.service
    #expect(simulation.endure(service.connect(keep: true, expecting: [])).error == nil)
    let hasty = service.subscribe(.alert).flattenMap { $0.take(1) }
    let left = simulation.endure(hasty, within: .milliseconds(5)).error as? DeviceFailure
    #expect(left?.code == .timedOut)
    for delivery in [SubscriptionOptions.Delivery.acquire, .signals] {
      let next = service.subscribe(.alert, SubscriptionOptions(delivery: delivery))
        .map { _ in }
      #expect(simulation.endure(next, within: .seconds(20)).error == nil, "\(delivery)")
    }
  }

  @Test("a chain after an abandoned unpair does not use the link that is ending")
  func dyingLink() throws {
    let simulation = try Simulation()
    let service = simulation.service
    #expect(simulation.endure(service.connect(keep: true, expecting: [])).error == nil)
    #expect(simulation.endure(service.unpair(), within: .seconds(1)).error != nil)
    let next = service.connect().flattenMap { service.read(.alert).delay(.seconds(3)) }
    #expect(simulation.endure(next, within: .seconds(20)).error == nil)
  }

  @Test("an adapter that was reset and returns at once is reported as missing")
  func reset() throws {
    let simulation = try Simulation()
    let simulator = simulation.simulator
    simulation.loop.after(.milliseconds(20)) { simulator.unplug() }
    simulation.loop.after(.milliseconds(50)) { simulator.plugIn() }
    let chain = simulation.service.connect()
    Verdict(.adapterMissing, .unavailable, within: .seconds(1)).check(simulation.endure(chain))
  }

  @Test("an adapter that was reset twice, with another index in between, is reported as missing")
  func resetTwice() throws {
    let simulation = try Simulation()
    let (simulator, loop) = (simulation.simulator, simulation.loop)
    loop.after(.milliseconds(20)) { simulator.unplug() }
    loop.after(.milliseconds(50)) { simulator.plugIn(as: 1) }
    loop.after(.milliseconds(120)) { simulator.unplug() }
    loop.after(.milliseconds(160)) { simulator.plugIn(as: 0) }
    let chain = simulation.service.connect()
    Verdict(.adapterMissing, .unavailable, within: .seconds(1)).check(simulation.endure(chain))
  }

  @Test("an adapter that was reset while StartDiscovery was pending is reported as missing")
  func resetBeforeStart() throws {
    let simulation = try Simulation(hold: { call in
      call.member == "StartDiscovery" ? .seconds(4) : .zero
    })
    let (simulator, loop) = (simulation.simulator, simulation.loop)
    loop.after(.milliseconds(300)) { simulator.unplug() }
    loop.after(.milliseconds(350)) { simulator.plugIn() }
    let scan = simulation.service.scan(ScanFilter()).collect().map { _ in }
    Verdict(.adapterMissing, .unavailable, within: .seconds(5)).check(simulation.endure(scan))
  }

  @Test("a chain that times out before it sends Connect sends no Disconnect")
  func unsentConnect() throws {
    let calls = Recorded<String>()
    let simulation = try Simulation(
      definition: .bench,
      log: { message, _ in
        if message.kind == .methodCall { calls.add(message.member ?? "") }
      }
    )
    let other = try simulation.otherProgram()
    // It starts to scan while we do, so Discovering does not change when ours ends.
    let theirs = Guarded<Observation?>(nil)
    simulation.loop.after(.milliseconds(1)) {
      let scan = other.scan(ScanFilter()).collect().observe { _ in }
      theirs.withLock { $0 = scan }
    }
    let endured = simulation.endure(simulation.service.connect(), within: .milliseconds(500))
    #expect(endured.error != nil)
    #expect(!calls.all.contains("Connect") && calls.all.contains("StopDiscovery"))
    #expect(!calls.all.contains("Disconnect"))
    simulation.expectNextChain()
    theirs.withLock { $0 }?.cancel()
    try simulation.pass(.seconds(1))
  }

  @Test("services that are still being resolved are not reported as missing")
  func unread() throws {
    var definition = DeviceDefinition.thermometer
    definition.link.discoveryTime = .seconds(5)
    let simulation = try Simulation(definition: definition)
    let other = try simulation.otherProgram()
    _ = simulation.loop.task { try? await other.connect().first(within: .seconds(60)) }
    try simulation.pass(.seconds(2))
    let endured = simulation.endure(simulation.service.read(.alert))
    Verdict(.notConnected, .passing, within: .seconds(1)).check(endured)
    #expect(endured.failure?.meaning.contains("reading its services") == true)
  }

  @Test("a deadline around a step with its own limit reports the step's failure")
  func limitWithinDeadline() throws {
    let simulation = try Simulation()
    simulation.simulator.vanish(simulation.address)
    let chain = simulation.service.connect().timeout(.seconds(20), "connecting")
    let endured = simulation.endure(chain, within: .seconds(5))
    #expect(endured.failure?.code == .notFound)
  }

  @Test("a resuming subscription survives an attempt that was undone")
  func undoneAttempt() throws {
    let simulation = try Simulation()
    let (service, simulator) = (simulation.service, simulation.simulator)
    let other = try simulation.otherProgram()
    simulation.loop.after(.seconds(10)) {
      // The next connection comes up, and is ended at the limit of its Connect.
      simulator.treatCalls { $0.member == "Connect" ? .loseAnswer : .take }
      _ = simulation.loop.task { try? await other.disconnect().first(within: .seconds(10)) }
    }
    simulation.loop.after(.seconds(30)) { simulator.treatCalls { _ in .take } }
    let options = SubscriptionOptions(delivery: .signals, onLinkLoss: .resume)
    // A gap, and a value that never comes.
    let chain = service.connect()
      .flattenMap { service.subscribe(.alert, options).flattenMap { $0.take(2).collect() } }
    let ended = simulation.endure(chain.map { _ in }, within: .seconds(90))
    #expect(simulation.history.count { $0.hasSuffix("link up") } == 3)
    #expect(ended.took >= .seconds(90), "\(String(describing: ended.error))")
  }

  @Test("a link loss that removes the objects is one loss: one gap, and no duplicate value")
  func oneLoss() throws {
    let simulation = try Simulation(definition: .bench)
    let (service, bus) = (simulation.service, simulation.bus)
    let other = try bus.connect()
    let removal = try simulation.removal()
    let options = SubscriptionOptions(onLinkLoss: .resume)
    simulation.loop.after(.milliseconds(1500)) { try? other.send(removal) }
    let chain = service.connect()
      .flattenMap { service.subscribe(.stream, options).flattenMap { $0.take(60).collect() } }
    let outcome = chain.firstOrDefault([], within: .seconds(100))
    #expect(outcome.error == nil)
    #expect(outcome.value.count { $0.notification == nil } == 1)
    let arrivals = outcome.value.compactMap { $0.notification?.at }
    #expect(arrivals.count == 59 && Set(arrivals).count == arrivals.count)
  }

  @Test("an operation after our own disconnect fails with not-connected, not with link-lost")
  func disconnected() throws {
    let simulation = try Simulation()
    let service = simulation.service
    let chain = service.connect().flattenMap { service.read(.alert) }
      .flattenMap { _ in service.disconnect() }
      .flattenMap { service.read(.alert) }
    Verdict(.notConnected, .passing, within: .seconds(5)).check(simulation.endure(chain))
  }

  @Test(
    "a value at the instant of a timeout is reported as a timeout that names the limited operation"
  )
  func lateValue() throws {
    let loop = VirtualTimeLoop()
    let scheduler = SerialScheduler(on: loop)
    let limit = Duration.milliseconds(26)
    let value = Signal<Int>(home: scheduler) { sink in
      // The deadline ends the sleep, and the value is sent anyway.
      try? await loop.sleep(for: .seconds(1))
      try await sink(1)
    }
    let outcome = value.timeout(limit, "pairing").firstOrDefault(0, within: .seconds(5))
    let expected = TimedOut(operation: "pairing", after: limit, limitOf: "pairing")
    #expect(outcome.error as? TimedOut == expected)
  }

  @Test("a bus that closes while an old Disconnect is unanswered is reported as bus-lost")
  func lateDisconnect() throws {
    let simulation = try Simulation()
    let (service, simulator) = (simulation.service, simulation.simulator)
    simulator.treatCalls { $0.member == "Disconnect" ? .loseAnswer : .take }
    #expect(simulation.endure(service.connect().map { _ in }).took > .zero)
    let connection = simulation.client.bus
    // While subscribed; the device sends no notification.
    simulation.loop.after(.seconds(20)) { connection.close() }
    let chain = service.connect().flattenMap { service.subscribe(.alert).flattenMap { $0.take(1) } }
    let ended = simulation.endure(chain)
    #expect((ended.error as? DeviceFailure)?.code == .busLost, "\(String(describing: ended.error))")
  }

  @Test("a link that drops and is up again before the drop is reported is link-lost")
  func upAgain() throws {
    let simulation = try Simulation()
    let (service, simulator) = (simulation.service, simulation.simulator)
    let other = try simulation.otherProgram()
    simulation.device.setFaults([FaultRule(on: .read, action: .neverAnswer)])
    simulation.loop.after(.seconds(4)) { simulator.loseLink(simulation.address) }
    simulation.loop.after(.milliseconds(4_001)) {
      _ = simulation.loop.task { try? await other.connect().first(within: .seconds(60)) }
    }
    let chain = service.connect().flattenMap { service.read(.alert) }
    Verdict(.linkLost, .passing, within: .seconds(6)).check(simulation.endure(chain))
  }

  @Test("a connection that a pairing makes after a drop ends with the turn")
  func droppedBeforePairing() throws {
    let simulation = try Simulation(hold: { $0.member == "RegisterAgent" ? .seconds(9) : .zero })
    let simulator = simulation.simulator
    simulation.loop.after(.seconds(6)) { simulator.loseLink(simulation.address) }
    let service = simulation.service
    let chain = service.connect().flattenMap { service.pair(PairingAnswers()) }
    #expect(simulation.endure(chain).error == nil)
    #expect(simulation.history.count { $0.contains("link up") } == 2, "\(simulation.history)")
    simulation.expectReleased()
  }

  @Test("a clean-up after an unanswered clean-up does not wait for an old Disconnect as well")
  func unansweredCleanUps() throws {
    let simulation = try Simulation(
      hold: { ["StopNotify", "Disconnect"].contains($0.member) ? nil : .zero }
    )
    let service = simulation.service
    let chain = service.connect()
      .flattenMap { service.exchange(write: [1], to: .alert, expectingOn: .alert) }
      .flattenMap { _ in service.disconnect() }
    let ended = simulation.endure(chain, within: .seconds(4))
    #expect(ended.error != nil)
    // StopNotify 10 s, then another Disconnect 8 s.
    #expect(ended.took == .seconds(22), "\(ended.took)")
  }

  @Test(
    "a connection made by a pairing ends with the turn if the pairing is cancelled or rejected",
    arguments: [true, false], [true, false]
  )
  func linkOfFailedPairing(isCancelled: Bool, isFound: Bool) throws {
    let simulation = try Simulation(definition: .pairing(.confirm))
    let (service, simulator) = (simulation.service, simulation.simulator)
    if isFound {
      let other = try simulation.otherProgram()
      #expect(simulation.endure(other.connect(keep: true, expecting: [])).error == nil)
    }
    simulator.treatCalls { $0.member == "Pair" ? .delay(.seconds(4)) : .take }
    simulation.loop.after(.seconds(3)) { simulator.loseLink(simulation.address) }
    // Either the user never answers the question, or the answer is no.
    let answers =
      isCancelled
      ? PairingAnswers(ask: { _, _ in {} }) : PairingAnswers(comparison: .always(false))
    let pairing = service.pair(answers).map { _ in }
    let chain = isFound ? pairing : service.connect().flattenMap { pairing }
    #expect(simulation.endure(chain, within: .seconds(20)).error != nil)
    #expect(simulation.history.count { $0.hasSuffix("link up") } == 2, "\(simulation.history)")
    simulation.expectReleased()
  }

  @Test("a pairing that ends because a message was refused leaves no agent registered")
  func refusedWhilePairing() throws {
    let calls = Recorded<String>()
    let simulation = try Simulation(
      definition: .pairing(.confirm),
      log: { message, _ in
        if message.kind == .methodCall { calls.add(message.member ?? "") }
      }
    )
    let (service, simulatorBus) = (simulation.service, simulation.simulator.bus)
    let tooLarge = try Message.signal(
      path: simulation.devicePath, interface: "org.freedesktop.DBus.Properties",
      member: "PropertiesChanged",
      body: [
        .string("org.bluez.Device1"),
        .properties(["Name": .string(String(repeating: "x", count: 200_000))]),
        .strings([]),
      ]
    ).received()
    #expect(tooLarge.refusal != nil)
    let answers = PairingAnswers(ask: { _, _ in
      try? simulatorBus.send(tooLarge)
      return {}
    })
    let chain = service.connect().flattenMap { service.pair(answers) }
    #expect(simulation.endure(chain).error != nil)
    #expect(calls.all.count { $0 == "RegisterAgent" } == 1)
    #expect(calls.all.count { $0 == "UnregisterAgent" } == 1)
  }
}
