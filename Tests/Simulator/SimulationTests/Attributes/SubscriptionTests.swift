// Subscriptions of a simulated device: sharing, buffers, exchanges, the end of the link.

import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Subscriptions on a simulated device")
struct SubscriptionTests {
  private func values(_ events: [NotificationEvent]) -> [UInt8?] {
    events.map { $0.notification?.value.first }
  }

  private func sleep(_ loop: Loop, _ duration: Duration) -> Signal<Void> {
    Signal { sink in
      try await loop.sleep(for: duration)
      try await sink(())
    }
  }

  @Test("two observers share one subscription, which ends with the last of them")
  func shared() throws {
    let simulation = try Simulation.bench()
    let both = try simulation.first { service in
      service.subscribe(.stream, SubscriptionOptions()).flattenMap { first in
        service.subscribe(.stream, SubscriptionOptions()).flattenMap { second in
          second.take(2).collect()
        }
        .flattenMap { two in
          first.take(3).collect().map { [two, $0] }
        }
      }
    }
    #expect(both.map(values) == [[1, 2], [1, 2, 3]])
    #expect(simulation.history.count { $0.contains(" subscribed ff01") } == 1)
    #expect(simulation.history.count { $0.contains("unsubscribed ff01") } == 1)
  }

  @Test("values are timestamped on arrival, not when they are consumed")
  func stamps() throws {
    let simulation = try Simulation.bench()
    let loop = simulation.loop
    let events = try simulation.first { service in
      service.subscribe(.stream, SubscriptionOptions()).flattenMap { events in
        self.sleep(loop, .seconds(1)).flattenMap { events.take(3).collect() }
      }
    }
    let stamps = events.compactMap { $0.notification?.at }
    #expect(stamps[1] - stamps[0] == .milliseconds(100))
    #expect(stamps[2] - stamps[1] == .milliseconds(100))
  }

  @Test(
    "a full buffer follows its overflow rule", arguments: SubscriptionOptions.OverflowRule.allCases
  )
  func overflow(rule: SubscriptionOptions.OverflowRule) throws {
    let simulation = try Simulation.bench()
    let loop = simulation.loop
    let options = SubscriptionOptions(buffer: 3, overflow: rule)
    let taking: @Sendable (BlueZDevice) -> Signal<[NotificationEvent]> = { service in
      service.subscribe(.stream, options).flattenMap { events in
        self.sleep(loop, .milliseconds(1050)).flattenMap { events.take(5).collect() }
      }
    }
    switch rule {
    case .error:
      #expect(throws: BufferOverflow(bound: 3)) { try simulation.first(taking) }
    case .dropOldest:
      let events = try simulation.first(taking)
      #expect(values(events) == [nil, 8, 9, 10, 11])
      #expect(dropped(events) == [7])
    case .dropNewest:
      let events = try simulation.first(taking)
      #expect(values(events) == [1, 2, 3, nil, 11])
      #expect(dropped(events) == [7])
    }
  }

  private func dropped(_ events: [NotificationEvent]) -> [Int] {
    events.compactMap { event in
      if case .gap(let gap) = event { gap.dropped } else { nil }
    }
  }

  @Test("our own reads are not notifications, even from an offset")
  func noEcho() throws {
    let simulation = try Simulation.bench()
    let events = try simulation.first { service in
      service.write([1, 2, 3], to: .alert, kind: .request).flattenMap {
        service.subscribe(.alert, SubscriptionOptions()).flattenMap { events in
          service.read(.alert)
            .flattenMap { _ in service.read(.alert, offset: 1) }
            .flattenMap { _ in service.write([9], to: .alert, kind: .request) }
            .flattenMap { events.take(1).collect() }
        }
      }
    }
    #expect(values(events) == [9])
  }

  @Test("an exchange accepts a notification that arrives before the write's reply")
  func exchangeEarly() throws {
    let simulation = try Simulation.bench()
    let exchange = try simulation.first {
      $0.exchange(write: [7], to: .alert, expectingOn: .alert)
    }
    #expect(exchange.notification.value == [7])
    #expect(exchange.notification.at >= exchange.begun)
    #expect(exchange.notification.at <= exchange.answered)
    #expect(exchange.answered > exchange.begun)
    #expect(simulation.history.contains { $0.contains("unsubscribed 2a06") })
  }

  @Test("an exchange waits for a notification that arrives after the write's reply")
  func exchangeLate() throws {
    let simulation = try Simulation.bench()
    let exchange = try simulation.first {
      $0.exchange(write: [7], to: .alert, expectingOn: .stream) { $0.value == [3] }
    }
    #expect(exchange.notification.value == [3])
    #expect(exchange.notification.at > exchange.answered)
  }

  @Test("an exchange whose write is refused fails with the refusal and ends its subscription")
  func exchangeRefused() throws {
    let simulation = try Simulation.bench()
    let failure = try simulation.failure {
      $0.exchange(
        write: [7], to: CharacteristicSelector(characteristic: .batteryLevel, instance: 0),
        kind: .request, expectingOn: .stream
      )
    }
    #expect(failure.code == .notSupported)
    #expect(simulation.history.contains { $0.contains("unsubscribed ff01") })
  }
}
