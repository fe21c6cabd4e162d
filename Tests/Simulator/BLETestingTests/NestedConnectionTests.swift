// Connections inside a connection: which of them fails, and with what.

import BLETesting
import Bluetooth
import Signals
import Testing

@Suite("Nested connections")
struct NestedConnectionTests {
  private func world() throws -> (SimulatedWorld, any Device, any Device) {
    let world = try SimulatedWorld(ConnectionWorld.thermometer, ConnectionWorld.lamp)
    return (world, try world.service("Thermometer"), try world.service("Lamp"))
  }

  private func kind(_ body: () async throws -> some Sendable) async -> FailureKind? {
    do {
      _ = try await body()
      return nil
    } catch {
      return FailureKind(error)
    }
  }

  private func isLost(_ kind: FailureKind?) -> Bool {
    switch kind {
    case .link(.lost, _), .link(.notConnected, _): true
    default: false
    }
  }

  @Test("when the outer connection drops, it reports link-lost, and the inner connection continues")
  func outerDrops() throws {
    let (world, thermometer, lamp) = try world()
    try world.loop.run {
      let outer = try await thermometer.withConnection(within: .seconds(600)) { outer in
        let inner = try await lamp.withConnection(within: .seconds(60)) { inner in
          try world.dropLink("Thermometer")
          let lost = await kind { try await outer.read(.batteryLevel) }
          #expect(isLost(lost), "\(lost as Any)")
          #expect(try await inner.read(.batteryLevel) == 7)
          return inner
        }
        let over = await kind { try await inner.read(.batteryLevel) }
        #expect(over == .misuse(.turnEnded))
        let lost = await kind { try await outer.read(.batteryLevel) }
        #expect(isLost(lost), "\(lost as Any)")
        return outer
      }
      // The link is lost and the turn has ended: the error reports the end of the turn.
      let over = await kind { try await outer.read(.batteryLevel) }
      #expect(over == .misuse(.turnEnded))
    }
    #expect(world.isReleased)
  }

  @Test("when the inner connection drops, the error propagates, and the outer connection continues")
  func innerDrops() throws {
    let (world, thermometer, lamp) = try world()
    try world.loop.run {
      try await thermometer.withConnection(within: .seconds(600)) { outer in
        let lost = await kind {
          try await lamp.withConnection(within: .seconds(60)) { inner in
            try world.dropLink("Lamp")
            _ = try await inner.read(.batteryLevel)
          }
        }
        #expect(isLost(lost), "\(lost as Any)")
        let level = try await outer.read(.batteryLevel)
        #expect(level == 42)
      }
    }
    #expect(world.isReleased)
  }

  @Test(
    "a loop over the outer device's values ends with link-lost, even inside the inner connection"
  )
  func values() throws {
    let (world, thermometer, lamp) = try world()
    try world.loop.run {
      try await thermometer.withConnection(within: .seconds(600)) { outer in
        try await lamp.withConnection(within: .seconds(60)) { _ in
          var count = 0
          let ending = await kind {
            for try await _ in outer.notifications(.temperatureMeasurement) {
              count += 1
              if count == 2 { try world.dropLink("Thermometer") }
            }
          }
          #expect(isLost(ending), "\(ending as Any)")
          #expect(count >= 2)
          let again = await kind {
            for try await _ in outer.notifications(.temperatureMeasurement) {}
          }
          #expect(isLost(again), "\(again as Any)")
        }
      }
    }
    #expect(world.count("link-down") == world.count("link-up"))
  }
}
