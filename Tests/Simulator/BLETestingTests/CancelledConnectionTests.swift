// A cancellation or a deadline at any time leaves no connection behind.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import Testing

@Suite("Interrupted withConnection calls")
struct CancelledConnectionTests {
  /// Connects, reads, receives, writes, reads: with time passing in each phase.
  @Sendable private static func work(_ device: any Device, within limit: Duration) async throws {
    try await device.withConnection(within: limit) { connection in
      _ = try await connection.read(.batteryLevel)
      for try await _ in connection.notifications(.temperatureMeasurement).prefix(3) {
        _ = try await connection.read(.batteryLevel)
      }
      try await connection.write([1], to: "alert-level")
      _ = try await connection.read("alert-level")
    }
  }

  /// The duration of the work when nothing interrupts it.
  private static func duration() throws -> Duration {
    let world = try SimulatedWorld(ConnectionWorld.thermometer)
    let device = try world.service()
    let begun = world.loop.now
    try world.loop.run { try await work(device, within: .seconds(600)) }
    #expect(world.isReleased)
    return world.loop.now - begun
  }

  @Test("in virtual time, it works inside the loop's run and takes no real time")
  func virtual() throws {
    #expect(try Self.duration() > .milliseconds(50))
  }

  @Test("in virtual time outside the loop's run, it fails at once with a remedy")
  func notDriven() async throws {
    let world = try SimulatedWorld(ConnectionWorld.thermometer)
    let device = try world.service()
    let failure = await #expect(throws: LoopNotDriven.self) {
      try await Self.work(device, within: .seconds(10))
    }
    #expect("\(try #require(failure))".contains("Loop.run"))
    #expect("\(try #require(failure))".contains("time: .real"))
  }

  @Test("cancelling the task in any phase ends its subscription and its connection")
  func cancelled() throws {
    let (duration, parts) = (try Self.duration(), 40)
    var seen: Set<String> = []
    for part in 0...parts {
      let world = try SimulatedWorld(ConnectionWorld.thermometer)
      let device = try world.service()
      let loop = world.loop
      let result = try loop.run {
        let task = loop.task { try await Self.work(device, within: .seconds(600)) }
        loop.after(duration * part / parts) { task.cancel() }
        return await task.result
      }
      if case .failure(let error) = result {
        #expect(error is CancellationError, "\(part): \(error)")
      }
      try world.scheduler.waitUntilIdle()
      #expect(world.isReleased, "\(part): \(world.happened)")
      seen.formUnion(world.happened)
      let starts = world.count("GattCharacteristic1.StartNotify")
      if world.count(SimulatorLogEntry.Event.subscribed) > 0 {
        #expect(world.count("GattCharacteristic1.StopNotify") == starts, "\(part)")
      }
    }
    #expect(seen.contains("GattCharacteristic1.WriteValue"))
  }

  @Test("a deadline in any phase ends the subscription and the connection")
  func deadline() throws {
    let (duration, parts) = (try Self.duration(), 40)
    for part in 1..<parts {
      let world = try SimulatedWorld(ConnectionWorld.thermometer)
      let device = try world.service()
      let limit = duration * part / parts
      let result = Result {
        try world.loop.run { try await Self.work(device, within: limit) }
      }
      if case .failure(let error) = result {
        let isTimeout =
          error is TimedOut || (error as? DeviceFailure)?.code == .timedOut
        #expect(isTimeout, "\(part): \(error)")
      }
      #expect(world.isReleased, "\(part): \(world.happened)")
    }
  }

  @Test("an inner connection has its own deadline, after which the outer connection continues")
  func inner() throws {
    let world = try SimulatedWorld(ConnectionWorld.thermometer, ConnectionWorld.lamp)
    let (device, lamp) = (try world.service("Thermometer"), try world.service("Lamp"))
    try world.loop.run {
      try await device.withConnection(within: .seconds(600)) { connection in
        let begun = world.loop.now
        await #expect(throws: (any Error).self) {
          try await lamp.withConnection(within: .seconds(20)) { inner in
            _ = try await inner.read(.batteryLevel)
            for try await _ in inner.values(of: Signal<Int>.never()) {}
          }
        }
        #expect(world.loop.now - begun < .seconds(40))
        let level = try await connection.read(.batteryLevel)
        #expect(level == 42)
      }
    }
    #expect(world.isReleased)
  }

  @Test("a call that waits for a turn leaves the queue when it is cancelled")
  func waiting() async throws {
    let world = try ConnectionWorld.real()
    let device = try world.service()
    try await device.withConnection(within: .seconds(900)) { connection in
      let task = Task.detached(priority: Task.currentPriority) {
        try await Self.work(device, within: .seconds(900))
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      let level = try await connection.read(.batteryLevel)
      #expect(level == 42)
    }
    #expect(world.count("Device1.Connect") == 1)
    #expect(world.isReleased)
  }

  @Test("cancelling a child task in its loop ends only that task's subscription")
  func child() async throws {
    let world = try ConnectionWorld.real()
    let device = try world.service()
    try await device.withConnection(within: .seconds(900)) { connection in
      let begun = Mailbox<Bool>(bound: 1)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          var isFirst = true
          for try await _ in connection.notifications(.temperatureMeasurement) {
            if isFirst { begun.send(true) }
            isFirst = false
          }
        }
        _ = try await begun.next(on: world.loop)
        group.cancelAll()
        do {
          try await group.waitForAll()
          Issue.record("the child was not cancelled")
        } catch is CancellationError {}
      }
      let level = try await connection.read(.batteryLevel)
      #expect(level == 42)
      #expect(world.count("GattCharacteristic1.StopNotify") == 1)
    }
    #expect(world.isReleased)
  }
}
