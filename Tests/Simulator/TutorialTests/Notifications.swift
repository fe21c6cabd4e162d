// The code of docs/tutorials/notifications.md.

import BLETesting
import Bluetooth
import Signals
import Testing

let heartRateSensor = DeviceSource.yaml(
  """
  name: HRM-1
  address: C0:FF:EE:00:00:02
  services:
    - service: heart-rate
      characteristics:
        - characteristic: heart-rate-measurement
          properties: [notify]
          wave: { parts: [{ hex: "00" }, { u8: { low: 60, high: 90 } }], period: 1m, every: 1s }
  """
)

/// The heart rates, in beats per minute, until the consumer stops or the connection drops.
func heartRates(of sensor: any Device) -> Signal<Int> {
  sensor.notifications("heart-rate-measurement").map { notified in Int(notified.value[1]) }
}

@Suite("Notifications")
struct NotificationsTutorial {
  @Test("the subscription ends after five values")
  func five() throws {
    let world = try SimulatedWorld(heartRateSensor)
    let sensor = try world.service()
    let rates = sensor.session { heartRates(of: sensor).take(5).collect() }
    let values = try rates.firstOrThrow(within: .seconds(60))
    #expect(values.count == 5)
    #expect(values.allSatisfy { (60...90).contains($0) })
    #expect(world.log.last?.event == "link-down")
  }
}

extension NotificationsTutorial {
  @Test("async code reads notifications in a loop, and leaving it ends the subscription")
  func loop() async throws {
    let world = try SimulatedWorld(heartRateSensor, time: .real, settings: .instant)
    let sensor = try world.service()
    let highest = try await sensor.withConnection(within: .seconds(30)) { connection in
      var highest = 0
      for try await notified in connection.notifications("heart-rate-measurement").prefix(2) {
        highest = max(highest, Int(notified.value[1]))
      }
      return highest
    }
    #expect((60...90).contains(highest))
  }
}

extension NotificationsTutorial {
  @Test("ten seconds without a notification are a failure")
  func silence() throws {
    let world = try SimulatedWorld(heartRateSensor)
    let sensor = try world.service()
    let rates = sensor.session {
      heartRates(of: sensor).idleTimeout(.seconds(10)).collect()
    }
    world.loop.after(.seconds(20)) { try? world.addFault("{ fault: lost-notifications, for: 1m }") }
    let outcome = rates.firstOrDefault([], within: .seconds(120))
    #expect((outcome.error as? TimedOut)?.after == .seconds(10))
  }
}

extension NotificationsTutorial {
  @Test("a dropped connection is made again, and the values continue")
  func reconnecting() throws {
    let world = try SimulatedWorld(heartRateSensor)
    let sensor = try world.service()
    let rates = sensor.session { heartRates(of: sensor) }
      .retry(RetryPolicy(attempts: 5, backoff: .seconds(1)))
      .take(30)
      .collect()
    world.loop.after(.seconds(20)) { try? world.dropLink() }
    #expect(try rates.firstOrThrow(within: .seconds(120)).count == 30)
    #expect(world.log.filter { $0.event == "link-up" }.count == 2)
  }
}

extension NotificationsTutorial {
  @Test("the mean of each five seconds is sent")
  func means() throws {
    let world = try SimulatedWorld(heartRateSensor)
    let sensor = try world.service()
    let means = sensor.session {
      heartRates(of: sensor).bufferWithTime(.seconds(5)).take(3)
        .map { rates in rates.isEmpty ? 0 : rates.reduce(0, +) / rates.count }
        .collect()
    }
    let values = try means.firstOrThrow(within: .seconds(60))
    #expect(values.count == 3)
    #expect(values.allSatisfy { (60...90).contains($0) })
  }
}
