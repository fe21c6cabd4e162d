// The end of the link, in every state of a subscription.

import BlueZ
import BlueZSimulator
import Bluetooth
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Subscriptions whose link drops")
struct LinkLossTests {
  private static let resuming = SubscriptionOptions(onLinkLoss: .resume)

  /// The events of a stream: the number of each value, "gap" for each gap.
  private func story(_ events: [NotificationEvent]) -> [String] {
    events.map { event in
      switch event {
      case .value(let notification): "\(notification.value.first ?? 0)"
      case .gap(let gap): gap.cause == .linkLost ? "gap" : "dropped \(gap.dropped)"
      }
    }
  }

  private func losing(_ simulation: Simulation, after delay: Duration) {
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    simulation.loop.after(delay) { simulator.loseLink(address) }
  }

  @Test(
    "a dropped link fails the subscription after the values that arrived before",
    arguments: SubscriptionOptions.Delivery.allCases)
  func fails(delivery: SubscriptionOptions.Delivery) throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    let seen = Recorded<String>()
    let failure = try simulation.failure { service in
      service.subscribe(.stream, SubscriptionOptions(delivery: delivery)).flattenMap { events in
        events.map { event in
          if case .value(let notification) = event {
            seen.add("\(notification.value[0])")
            if notification.value == [3] { simulator.loseLink(address) }
          }
          return event
        }.collect()
      }
    }
    #expect(failure.code == .linkLost)
    #expect(failure.operation == "listening to ff01" || failure.operation.contains("listening"))
    #expect(seen.all == ["1", "2", "3"])
  }

  @Test(
    "a resuming subscription continues after a gap",
    arguments: SubscriptionOptions.Delivery.allCases)
  func resumes(delivery: SubscriptionOptions.Delivery) throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    let options = SubscriptionOptions(delivery: delivery, onLinkLoss: .resume)
    let events = try simulation.first { service in
      service.subscribe(.stream, options).flattenMap { events in
        events.map { event in
          if event.notification?.value == [3] { simulator.loseLink(address) }
          return event
        }
        .take(6).collect()
      }
    }
    #expect(story(events) == ["1", "2", "3", "gap", "1", "2"])
    guard case .gap(let gap) = events[3] else { return }
    #expect(gap.to > gap.from)
    #expect(gap.dropped == 0)
    #expect(simulation.history.count { $0.hasSuffix("link up") } == 2)
    #expect(simulation.history.count { $0.hasSuffix("link down") } == 2)
  }

  @Test("a subscription resumes when the device returns later, by retrying")
  func absent() throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    let loop = simulation.loop
    let events = try simulation.first { service in
      service.subscribe(.stream, Self.resuming).flattenMap { events in
        events.map { event in
          if event.notification?.value == [2] {
            simulator.vanish(address)
            loop.after(.seconds(50)) { simulator.appear(address) }
          }
          return event
        }
        .take(4).collect()
      }
    }
    #expect(story(events) == ["1", "2", "gap", "1"])
  }

  @Test("resuming ends at the caller's deadline and leaves no link")
  func deadline() throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    let service = simulation.service
    let outcome = service.connect()
      .flattenMap {
        service.subscribe(.stream, Self.resuming).flattenMap { events in
          events.map { event in
            if event.notification?.value == [2] { simulator.vanish(address) }
            return event
          }.collect()
        }
      }
      .map { $0.count }
      .firstOrDefault(0, within: .seconds(10))
    #expect(outcome.error is TimedOut || (outcome.error as? DeviceFailure)?.code == .timedOut)
    #expect(simulation.simulator.connectedDevices.isEmpty)
  }

  @Test("without a caller's limit, resuming ends at its own limit with the last reason")
  func limit() throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    #expect(throws: DeviceFailure.self) {
      try simulation.first(within: .seconds(1000)) { service in
        service.subscribe(.stream, Self.resuming).flattenMap { events in
          events.map { event in
            if event.notification?.value == [2] { simulator.vanish(address) }
            return event
          }.collect()
        }
      }
    }
    #expect(simulation.loop.now.sinceStart < .seconds(300))
  }

  @Test("a link that drops during StartNotify fails the subscription")
  func whileSubscribing() throws {
    let simulation = try Simulation.bench()
    let failure = try simulation.failure { service in
      Signal<Void>.deferred {
        self.losing(simulation, after: .milliseconds(5))
        return service.subscribe(.stream, Self.resuming).map { _ in }
      }
    }
    #expect(failure.code == .linkLost)
    #expect(simulation.simulator.connectedDevices.isEmpty)
  }

  @Test("a drop while no consumer waits is reported to the next consumer")
  func whileIdle() throws {
    let simulation = try Simulation.bench()
    let loop = simulation.loop
    let events = try simulation.first { service in
      service.subscribe(.stream, Self.resuming).flattenMap { events in
        self.losing(simulation, after: .milliseconds(250))
        return Signal<Void> { sink in
          try await loop.sleep(for: .seconds(3))
          try await sink(())
        }
        .flattenMap { events.take(4).collect() }
      }
    }
    #expect(story(events) == ["1", "2", "gap", "1"])
  }

  @Test("drops during and just after resuming end in one complete subscription")
  func again() throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    let loop = simulation.loop
    let seen = Recorded<NotificationEvent>()
    try simulation.first { service in
      service.subscribe(.stream, Self.resuming).flattenMap { events in
        events.filter { event in
          if seen.all.isEmpty {
            simulator.loseLink(address)
            // While it connects, while services are resolved, and while values come again.
            for delay in [60, 330, 1200] {
              loop.after(.milliseconds(delay)) { simulator.loseLink(address) }
            }
          }
          seen.add(event)
          return event.notification?.value == [10]
        }
        .take(1)
      }
    }
    let told = story(seen.all)
    #expect(told.count { $0 == "gap" } >= 2)
    #expect(told.suffix(11) == ["gap"] + (1...10).map(String.init))
    #expect(simulation.history.count { $0.hasSuffix("link up") } >= 3)
  }

  @Test("our own disconnect is not a loss: the stream completes")
  func ownDisconnect() throws {
    let simulation = try Simulation.bench()
    let failure = try simulation.failure { service in
      service.subscribe(.stream, Self.resuming).flattenMap { events in
        service.disconnect().flattenMap { events.collect() }
      }
    }
    #expect(failure.code == .notConnected)
    #expect(simulation.history.count { $0.hasSuffix("link up") } == 1)
  }

  @Test("when the characteristic's objects are replaced, the subscription resumes on the new ones")
  func objectsRemade() throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    let loop = simulation.loop
    let device = simulation.device
    let handle = device.table.services[4].characteristics[0].handle
    let events = try simulation.first { service in
      service.subscribe(.alert, Self.resuming).flattenMap { events in
        simulator.offer(.alert, false, at: address)
        loop.after(.milliseconds(5)) { simulator.offer(.alert, true, at: address) }
        loop.after(.seconds(2)) { _ = device.write(handle, [5], withResponse: true) }
        return Signal<Void> { sink in
          try await loop.sleep(for: .seconds(1))
          try await sink(())
        }
        .flattenMap { events.take(2).collect() }
      }
    }
    #expect(story(events) == ["gap", "5"])
  }
}
