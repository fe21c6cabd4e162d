// A timeout has one failure kind, whether around a wait, a chain, a turn or a connection.

import BLETesting
import BlueZSimulator
import Bluetooth
import Fixtures
import Signals
import Testing

@Suite("Failure kinds of devices", .blocking)
struct DeadlineKindTests {
  static let limit = Duration.seconds(5)

  /// A world whose thermometer answers no read.
  private func silent() throws -> (SimulatedWorld, any Device) {
    let world = try SimulatedWorld(ConnectionWorld.thermometer)
    try world.addFault("{ fault: no-answer, on: read, characteristic: battery-level }")
    return (world, try world.service())
  }

  private func deadline(_ error: (any Error)?) -> TimedOut? {
    guard let error, case .timedOut(let deadline) = FailureKind(error) else { return nil }
    return deadline
  }

  @Test(
    "a deadline around a read, a session, a chain or a connection has the expected failure kind"
  )
  func places() throws {
    let (world, device) = try silent()
    let read = device.read(.batteryLevel)
    let chains: [(String, Signal<Int>)] = [
      ("the read", device.session { read.timeout(Self.limit, "the read") }),
      ("the session", device.session { read }.timeout(Self.limit, "the session")),
      (
        "the chain",
        Signal.just(0).flattenMap { _ in device.session { read } }.on(device.scheduler)
          .timeout(Self.limit, "the chain")
      ),
      ("firstResult", device.session { read }),
    ]
    for (name, chain) in chains {
      let limit = name == "firstResult" ? Self.limit : .seconds(60)
      guard case .failure(let error) = chain.firstResult(within: limit) else {
        Issue.record("\(name): a value")
        continue
      }
      let deadline = deadline(error)
      #expect(deadline?.operation == "reading battery-level", "\(name): \(error)")
      #expect(deadline?.after == Self.limit, "\(name)")
      #expect(deadline?.limitOf == name)
      #expect(deadline?.holder == nil)
      #expect((error as? DeviceFailure)?.code == .timedOut)
    }
    let error = world.loop.failure {
      try await device.withConnection(within: Self.limit) { try await $0.read(.batteryLevel) }
    }
    #expect(deadline(error)?.operation == "reading battery-level")
    #expect(deadline(error)?.after == Self.limit)
    #expect(world.isReleased)
  }

  /// A world with the delays of bluetoothd, but for a connection that it keeps for five seconds.
  private func world(_ time: WorldTime) throws -> SimulatedWorld {
    var settings = SimulatorSettings()
    settings.disconnectDelay = .seconds(5)
    return try SimulatedWorld(ConnectionWorld.thermometer, time: time, settings: settings)
  }

  /// The time until a session has read, which is the same with both clocks.
  private func timeOfRead() throws -> Duration {
    let world = try world(.virtual)
    let device = try world.service()
    _ = try device.session { device.read(.batteryLevel) }.firstOrThrow(within: .seconds(60))
    return try #require(world.log.last { $0.event == "GattCharacteristic1.ReadValue" }).time
  }

  @Test(
    "a blocking call whose deadline passes has the same failure with both clocks",
    arguments: [WorldTime.virtual, .real]
  )
  func clocks(time: WorldTime) throws {
    let world = try world(time)
    let device = try world.service()
    try world.addFault("{ fault: no-answer, on: read, characteristic: battery-level }")
    // In real time, a busy machine may take seconds for what comes before the read.
    let limit = try timeOfRead() + .seconds(8)
    let begun = world.loop.now
    let outcome = device.session { device.read(.batteryLevel) }.firstOrDefault(0, within: limit)
    // The disconnect would take five seconds more.
    if case .virtual = time { #expect(world.loop.now - begun >= limit) }
    let failure = try #require(outcome.error as? DeviceFailure)
    #expect(failure.code == .timedOut)
    #expect(
      failure.timedOut
        == TimedOut(operation: "reading battery-level", after: limit, limitOf: "firstOrDefault")
    )
    try world.scheduler.waitUntilIdle(within: .seconds(60))
    #expect(world.isReleased)
  }

  @Test(
    "a value that came before the deadline is returned, although the disconnect takes longer",
    arguments: [WorldTime.virtual, .real]
  )
  func value(time: WorldTime) throws {
    let world = try world(time)
    let device = try world.service()
    // The disconnect takes five seconds; a busy machine may take some for the read.
    let limit = try timeOfRead() + .milliseconds(4500)
    let outcome = device.session { device.read(.batteryLevel) }.firstOrDefault(0, within: limit)
    #expect(outcome.value == 42, "\(String(describing: outcome.error))")
    try world.scheduler.waitUntilIdle(within: .seconds(60))
    #expect(world.isReleased)
  }

  @Test("a timeout while waiting for the turn names the connection that holds it")
  func turn() throws {
    let world = try SimulatedWorld(ConnectionWorld.thermometer)
    let device = try world.service()
    let error = world.loop.failure { [loop = world.loop] in
      let first = loop.task {
        try await device.withConnection(within: .seconds(600)) { _ in
          try await loop.sleep(for: .seconds(60))
        }
      }
      try await loop.sleep(for: .seconds(10))
      do {
        _ = try await device.withConnection(within: Self.limit) { try await $0.read(.batteryLevel) }
      } catch {
        try await first.value
        throw error
      }
    }
    let holder = try #require(deadline(error)?.holder)
    #expect(holder.turn.hasPrefix("withConnection of "))
    #expect(holder.turn.contains("at BLETestingTests/DeadlineKindTests.swift:"))
    #expect(holder.held == .seconds(15))
    #expect(world.isReleased)
  }

  @Test("hints name library calls, not the command's options")
  func hints() throws {
    let (world, device) = try silent()
    let outcome = device.session { device.read(.batteryLevel) }
      .firstOrDefault(0, within: Self.limit)
    let failure = try #require(outcome.error as? DeviceFailure)
    #expect(failure.hint.contains("within:"))
    #expect(!"\(failure)".contains("--") && !"\(failure)".contains("blerun"))
    #expect(world.isReleased)
  }

  @Test("a dropped connection and a missing connection have different failure kinds")
  func links() throws {
    let world = try SimulatedWorld(ConnectionWorld.thermometer)
    let device = try world.service()
    try world.addFault("{ on: read, characteristic: battery-level, do: lose-link }")
    let lost = device.session { device.read(.batteryLevel) }.firstOrDefault(0, within: .seconds(60))
    guard let error = lost.error, case .link(.lost, _) = FailureKind(error) else {
      Issue.record("\(lost)")
      return
    }
    let none = device.read(.batteryLevel).firstOrDefault(0, within: .seconds(60))
    guard let error = none.error, case .link = FailureKind(error) else {
      Issue.record("\(none)")
      return
    }
  }
}

extension Loop {
  /// The error that `body` throws.
  fileprivate func failure<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) -> (any Error)? {
    do {
      _ = try run { try await body() }
      return nil
    } catch {
      return error
    }
  }
}
