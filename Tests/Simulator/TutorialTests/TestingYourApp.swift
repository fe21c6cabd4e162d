// The code of docs/tutorials/testing-your-app.md.

import BLETesting
import Bluetooth
import Signals
import Testing

/// Rings a key fob when a refrigerator is warmer than `limit`, in °C.
struct RefrigeratorAlarm {
  let refrigerator: any Device
  let fob: any Device
  let limit: Int

  /// Reads the temperature once a minute. Sends each that is above the limit, after the fob rang.
  func alarms() -> Signal<Int> {
    Signal.poll(every: .seconds(60), takingTurnsOf: refrigerator.scheduler) {
      refrigerator.session { refrigerator.read("ff01").map { Int($0[0]) } }
        .retry(RetryPolicy(attempts: 3, backoff: .seconds(5)))
    }
    .filter { $0 > limit }
    .flattenMap { celsius in
      fob.session { fob.write([2], to: "alert-level") }.map { celsius }
    }
  }
}

let kitchen: [DeviceSource] = [
  .yaml(
    """
    name: Refrigerator
    address: C0:FF:EE:00:00:21
    services:
      - service: ff00
        characteristics:
          - { characteristic: ff01, properties: [read], value: { u8: 5 } }
    """
  ),
  .yaml(
    """
    name: Fob
    address: C0:FF:EE:00:00:22
    services:
      - service: immediate-alert
        characteristics:
          - { characteristic: alert-level, properties: [write, write-without-response], value: { u8: 0 } }
    """
  ),
]

extension SimulatedWorld {
  /// The alarms of this kitchen, as a run that the thread of the test drives.
  func alarms() throws -> Signal<Int> {
    let (refrigerator, fob) = (try service("Refrigerator"), try service("Fob"))
    return RefrigeratorAlarm(refrigerator: refrigerator, fob: fob, limit: 8).alarms().on(scheduler)
  }
}

@Suite("A refrigerator alarm")
struct TestingTutorial {
  @Test("a warm refrigerator rings the fob within a minute")
  func warm() throws {
    let world = try SimulatedWorld(kitchen)
    world.loop.after(.seconds(600)) { try? world.setValue([12], of: "ff01", at: "Refrigerator") }
    #expect(try world.alarms().firstOrThrow(within: .seconds(700)) == 12)
    #expect(try world.value(of: "alert-level", at: "Fob") == [2])
    #expect(world.loop.now.sinceStart < .seconds(670))
  }

  @Test("a cold refrigerator does not ring the fob")
  func cold() throws {
    let world = try SimulatedWorld(kitchen)
    let outcome = try world.alarms().firstOrDefault(0, within: .seconds(600))
    #expect(outcome.error is TimedOut)
    #expect(try world.value(of: "alert-level", at: "Fob") == [0])
  }
}

extension TestingTutorial {
  @Test("a connection that drops twice delays the alarm but does not lose it")
  func unreliable() throws {
    let world = try SimulatedWorld(kitchen)
    try world.setValue([12], of: "ff01", at: "Refrigerator")
    for read in 1...2 {
      try world.addFault(
        "{ on: read, characteristic: ff01, nth: \(read), do: lose-link }", at: "Refrigerator"
      )
    }
    #expect(try world.alarms().firstOrThrow(within: .seconds(60)) == 12)
  }

  @Test("an unreachable refrigerator is reported after three attempts")
  func gone() throws {
    let world = try SimulatedWorld(kitchen)
    try world.vanish("Refrigerator")
    let outcome = try world.alarms().firstOrDefault(0, within: .seconds(900))
    #expect((outcome.error as? DeviceFailure)?.code == .notFound)
  }
}

extension TestingTutorial {
  @Test("each reading uses its own connection, and every connection ends")
  func connections() throws {
    let world = try SimulatedWorld(kitchen)
    _ = try world.alarms().firstOrDefault(0, within: .seconds(185))
    let events = world.log.map(\.event)
    #expect(events.filter { $0 == "link-up" }.count == 4, "\(world.log)")
    #expect(events.filter { $0 == "link-down" }.count == 4, "\(world.log)")
  }
}
