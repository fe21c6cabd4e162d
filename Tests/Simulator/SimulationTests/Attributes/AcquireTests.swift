// AcquireNotify and AcquireWrite on a simulated device: sockets, locks, descriptors.

import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Acquired characteristics")
struct AcquireTests {
  private static let acquiring = SubscriptionOptions(delivery: .acquire)

  @Test("values arrive through the socket, and the lock is released when the stream ends")
  func values() throws {
    let simulation = try Simulation.bench()
    let (acquired, signalled) = try simulation.first { service in
      // collect sends its array after the subscription has ended.
      service.subscribe(.stream, Self.acquiring).flattenMap { $0.take(3) }.collect()
        .flattenMap { acquired in
          service.notifications(.stream).take(2).collect().map { (acquired, $0) }
        }
    }
    #expect(acquired.compactMap { $0.notification?.value } == [[1], [2], [3]])
    let stamps = acquired.compactMap { $0.notification?.at }
    #expect(stamps[1] - stamps[0] == .milliseconds(100))
    // The subscription ended at the device, so the series starts over.
    #expect(signalled.map(\.value) == [[1], [2]])
  }

  @Test("by default nothing is acquired, and values arrive as signals")
  func notByDefault() throws {
    let sockets = PassedSockets()
    let simulation = try Simulation.bench(log: sockets.note)
    let first = try simulation.first { $0.subscribe(.stream).flattenMap { $0.take(1) } }
    #expect(first.value == [1])
    #expect(sockets.count == 0)
  }

  @Test("another observer joins the existing subscription, whichever delivery it requests")
  func joins() throws {
    let simulation = try Simulation.bench()
    let both = try simulation.first { service in
      service.subscribe(.stream, Self.acquiring).flattenMap { first in
        service.subscribe(.stream, SubscriptionOptions()).flattenMap { second in
          second.take(2).collect()
        }
        .flattenMap { two in first.take(2).collect().map { [two, $0] } }
      }
    }
    #expect(both[0] == both[1])
    #expect(simulation.history.count { $0.contains(" subscribed ff01") } == 1)
  }

  /// bluetoothd signals a value once for each subscribed program, and a client cannot tell that the
  /// signals carry the same value.
  @Test(
    "a characteristic that another program notifies cannot be acquired; shared values arrive twice"
  )
  func listenedElsewhere() throws {
    let simulation = try Simulation.bench()
    let other = try simulation.otherProgram(on: simulation.scheduler)
    let failure = try simulation.failure { service in
      other.subscribe(.stream, SubscriptionOptions()).flattenMap { _ in
        service.subscribe(.stream, Self.acquiring).map { _ in }
      }
    }
    #expect(failure.code == .busy)
    #expect(failure.hint.contains("signals"))
    let values = try simulation.first { service in
      other.subscribe(.stream, SubscriptionOptions()).flattenMap { _ in
        service.notifications(.stream).take(4).collect()
      }
    }
    #expect(values.map(\.value) == [[1], [1], [2], [2]])
  }

  @Test("a subscription that another program released fails and says so")
  func released() throws {
    let simulation = try Simulation.bench()
    let failure = try simulation.failure { service in
      service.subscribe(.stream, Self.acquiring).flattenMap { events in
        simulation.stopNotify(.stream).flattenMap { events.collect() }
      }
    }
    #expect(failure.code == .refused)
    #expect(failure.meaning.contains("acquired subscription"))
  }

  @Test("the writer sends any number of commands in order")
  func commands() throws {
    let simulation = try Simulation.bench()
    let count = 2000
    try simulation.first { service in
      service.acquireWriter(.sink).flattenMap { writer in
        Signal<Int> { sink in
          for number in 0..<count { try await writer.write([UInt8(number & 255)]) }
          try await sink(writer.longestValue)
        }
      }
      .collect()
      .flattenMap { _ in
        // The lock is released: single commands are accepted again.
        service.write([255], to: .sink, kind: .command)
      }
    }
    let written = simulation.history.filter { $0.contains("written ff02") }
    #expect(written.count == count + 1)
    let last = written.suffix(3)
    #expect(
      Array(last)
        == [998, 999, 255].map { number in
          let value = number == 255 ? 255 : (count - 1000 + number) & 255
          return "\(simulation.device.definition.address) written ff02 [\(value)]"
        }
    )
  }

  @Test("a read after a flush of the writer comes after the commands")
  func flush() throws {
    let simulation = try Simulation.bench()
    try simulation.first { service in
      service.acquireWriter(.alert).flattenMap { writer in
        Signal<Void> { sink in
          for number in 1...20 as ClosedRange<UInt8> { try await writer.write([number]) }
          try await writer.flush()
          try await sink(())
        }
        .flattenMap { service.read(.alert) }
      }
    }
    let history = simulation.history.filter { $0.contains("2a06") && !$0.contains("notified") }
    let address = simulation.device.definition.address
    #expect(
      history == (1...20).map { "\(address) written 2a06 [\($0)]" } + ["\(address) read 2a06"]
    )
  }

  @Test("a writer of a connection with an impossible MTU fails, and names the MTU")
  func smallMTU() throws {
    var definition = DeviceDefinition.bench
    definition.link.mtu = 22
    let failure = try Simulation(definition: definition).failure { service in
      service.acquireWriter(.sink).map { _ in }
    }
    #expect(failure.code == .unknown)
    #expect(failure.meaning.contains("an MTU of 22 bytes"))
  }

  @Test("a command too long for the writer is refused before it is sent")
  func longCommand() throws {
    let simulation = try Simulation.bench()
    let failure = try simulation.failure { service in
      service.acquireWriter(.sink).flattenMap { writer in
        Signal<Void> { sink in
          try await writer.write([UInt8](repeating: 1, count: writer.longestValue))
          try await writer.write([UInt8](repeating: 2, count: writer.longestValue + 1))
          try await sink(())
        }
      }
    }
    #expect(failure.code == .invalidValue)
    #expect(failure.meaning.contains("62 bytes"))
    #expect(simulation.history.count { $0.contains("written ff02") } == 1)
  }

  @Test("a write beside the writer is refused, and the failure names the holder of the lock")
  func writeLocks() throws {
    let simulation = try Simulation.bench()
    let own = try simulation.failure { service in
      service.acquireWriter(.sink).flattenMap { _ in
        service.write([1], to: .sink, kind: .command)
      }
    }
    #expect(own.code == .busy)
    #expect(own.meaning.contains("this program"))
    let other = try simulation.otherProgram(on: simulation.scheduler)
    let foreign = try simulation.failure { service in
      other.acquireWriter(.sink).flattenMap { _ in
        service.acquireWriter(.sink).map { _ in }
      }
    }
    #expect(foreign.code == .busy)
    #expect(foreign.meaning.contains("acquired by another program for writing"))
  }

  @Test("a writer whose link drops fails with link-lost")
  func writerLoss() throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    let loop = simulation.loop
    let failure = try simulation.failure { service in
      service.acquireWriter(.sink).flattenMap { writer in
        Signal<Void> { sink in
          try await writer.write([1])
          simulator.loseLink(address)
          try await loop.sleep(for: .milliseconds(10))
          try await writer.write([2])
          try await sink(())
        }
      }
    }
    #expect(failure.code == .linkLost)
  }

  @Test("a characteristic without the property cannot be acquired", arguments: [true, false])
  func notSupported(isWriter: Bool) throws {
    let simulation = try Simulation.bench()
    let failure = try simulation.failure { service in
      isWriter
        ? service.acquireWriter(.stream).map { _ in }
        : service.subscribe(.sink, Self.acquiring).map { _ in }
    }
    #expect(failure.code == .notSupported)
  }

  @Test("no descriptor stays open after any kind of ending")
  func descriptors() throws {
    let sockets = PassedSockets()
    let simulation = try Simulation.bench(log: sockets.note)
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    let loop = simulation.loop
    for round in 0..<20 {
      _ = try? simulation.first(within: .milliseconds(2300 + 7 * round)) { service in
        service.acquireWriter(.sink).flattenMap { writer in
          service.subscribe(.stream, Self.acquiring).flattenMap { events in
            if round.isMultiple(of: 2) {
              loop.after(.milliseconds(17 * round)) { simulator.loseLink(address) }
            }
            return events.take(2 + round % 3).collect()
          }
        }
      }
    }
    // Deadlines that strike at every moment of the calls themselves.
    for step in 0..<60 {
      _ = try? simulation.first(within: .milliseconds(150 + step)) { service in
        service.subscribe(.stream, Self.acquiring).flattenMap { _ in
          service.acquireWriter(.sink).map { _ in }
        }
      }
    }
    #expect(throws: LoopIdle.self) { try loop.drive { false } }
    #expect(sockets.count > 40)
    #expect(sockets.open == 0)
  }

  @Test("a socket that arrives after the deadline is closed at once, and the lock is released")
  func late() throws {
    let sockets = PassedSockets()
    let simulation = try Simulation.bench(log: sockets.note)
    let loop = simulation.loop
    simulation.device.setFaults([
      FaultRule(on: .subscribe, occurrence: .nth(1), action: .slow(.seconds(2)))
    ])
    let values = try simulation.first { service in
      service.subscribe(.stream, Self.acquiring).map { _ in }
        .timeout(.seconds(1), "subscribing")
        .catchError { _ in .just(()) }
        .flattenMap {
          Signal<Int> { sink in
            try await loop.sleep(for: .milliseconds(1500))
            try await sink(sockets.open)
          }
        }
        .flattenMap { open in
          service.subscribe(.stream, Self.acquiring).flattenMap { events in
            events.take(1).map { _ in open }
          }
        }
    }
    #expect(values == 0)
    #expect(sockets.count == 2)
  }
}
