// Pairing with several devices at once over one connection.

import BLETesting
import BlueZ
import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

/// A world with several locks, and a chain for each.
private struct Locks {
  let world: SimulatedWorld
  let services: [BlueZDevice]

  init(_ methods: [(PairingDefinition.Method, passkey: UInt32?)]) throws {
    let loop = VirtualTimeLoop()
    let devices = methods.enumerated().map { number, method in
      var definition = DeviceDefinition.pairing(method.0, passkey: method.passkey)
      definition.name = "Lock-\(number + 1)"
      definition.address = BluetoothAddress(number: 0xc0ff_ee00_0010 + UInt64(number))
      // Pairing takes two seconds.
      definition.link.latency = .seconds(1)
      let generator = SeededGenerator(seed: 0, name: "device \(number)")
      return SimulatedDevice(definition, on: loop, generator: generator)
    }
    // From 5.81 on, a program that connects without an agent is asked nothing while it pairs.
    world = try SimulatedWorld(devices, on: loop, settings: SimulatorSettings(version: .debian12))
    services = try devices.map { [world] device in
      try world.service(device.definition.name, scheduler: SerialScheduler(on: loop))
    }
  }

  /// Connects every device, then pairs with all at once.
  ///
  /// - Returns: How each ended, and when after the first began.
  func pair(
    _ answers: [PairingAnswers], within limit: Duration = .seconds(60)
  ) throws -> [(code: DeviceFailure.Code?, took: Duration)] {
    let loop = world.loop
    return try loop.run {
      try await withThrowingTaskGroup(of: (Int, DeviceFailure.Code?, Duration).self) { group in
        let start = Guarded<Instant?>(nil)
        for (number, service) in services.enumerated() {
          group.addTask {
            let chain = service.connect().flattenMap {
              Signal<PairingOutcome> { sink in
                // All are connected by then.
                try await loop.sleep(for: .seconds(100) - loop.now.sinceStart)
                start.withLock { $0 = $0 ?? loop.now }
                try await service.pair(answers[number]).timeout(limit, "pairing").run(sink)
              }
            }
            var code: DeviceFailure.Code?
            do {
              _ = try await chain.first()
            } catch let failure as DeviceFailure {
              code = failure.code
            }
            return (number, code, loop.now - (start.withLock { $0 } ?? loop.now))
          }
        }
        var ends: [(Int, DeviceFailure.Code?, Duration)] = []
        for try await end in group { ends.append(end) }
        return ends.sorted { $0.0 < $1.0 }.map { ($0.1, $0.2) }
      }
    }
  }

  var paired: Int { world.events.count { "\($0)".contains("paired") } }
}

@Suite("Pairing with several devices at once")
struct SeveralDevicesTests {
  @Test("pairings that ask no question run concurrently")
  func sideBySide() throws {
    let locks = try Locks(Array(repeating: (.justWorks, passkey: nil), count: 3))
    let ends = try locks.pair(Array(repeating: PairingAnswers(), count: 3))
    #expect(ends.map(\.code) == [nil, nil, nil])
    #expect(locks.paired == 3)
    let times = ends.map(\.took)
    #expect(times.allSatisfy { $0 - times[0] < .seconds(1) }, "\(times)")
  }

  @Test("each passkey goes to its own device, one pairing at a time")
  func passkeys() throws {
    let locks = try Locks([(.passkeyEntry, 1), (.passkeyEntry, 22), (.justWorks, nil)])
    let ends = try locks.pair([
      PairingAnswers(secret: Secret("000001")), PairingAnswers(secret: Secret("000022")),
      PairingAnswers(),
    ])
    #expect(ends.map(\.code) == [nil, nil, nil])
    #expect(locks.paired == 3)
  }

  @Test("a pairing that times out before its turn never starts, and fails as busy")
  func late() throws {
    let locks = try Locks([(.passkeyEntry, 1), (.passkeyEntry, 22)])
    // A user who takes 20 s to answer.
    let slow = PairingAnswers(ask: { [loop = locks.world.loop] _, reply in
      let timer = loop.after(.seconds(20)) { reply(.secret(Secret("1"))) }
      return { timer.cancel() }
    })
    let ends = try locks.pair(
      [slow, PairingAnswers(secret: Secret("000022"))], within: .seconds(10)
    )
    #expect(ends[0].code == .timedOut)
    #expect(ends[1].code == .busy)
    #expect(locks.paired == 0)
  }

  @Test("a chain whose agent waits for the user is not affected by another pairing")
  func undisturbed() throws {
    let locks = try Locks([(.passkeyEntry, 1), (.justWorks, nil)])
    let (loop, first, second) = (locks.world.loop, locks.services[0], locks.services[1])
    let slow = PairingAnswers(ask: { _, reply in
      let timer = loop.after(.seconds(10)) { reply(.secret(Secret("1"))) }
      return { timer.cancel() }
    })
    let (read, other) = try loop.run {
      async let read = first.answering(slow) {
        first.connect().flattenMap { first.read(.authenticated) }
      }
      .first()
      try await loop.sleep(for: .seconds(8))
      async let other = second.connect().flattenMap { second.pair(PairingAnswers()) }.first()
      return (try await read, try await other)
    }
    #expect(read == [])
    #expect(other == .paired(isAuthenticated: false))
  }
}
