// Values that a device protects with a pairing.

import BlueZ
import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Protected values")
struct ProtectedValueTests {
  @Test("without an agent, a read ends at its deadline, and the failure suggests pairing")
  func deadline() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let service = simulation.service
    let outcome = simulation.run(
      service.connect().flattenMap { service.read(.encrypted).timeout(.seconds(20), "reading") }
    )
    let failure = try simulation.failure(outcome)
    #expect(failure.code == .timedOut)
    #expect(failure.hint.contains("pair(_:)"))
  }

  /// The failure of an operation, and the time it took.
  private func timed<Value: Sendable>(
    _ simulation: Simulation, _ operation: Signal<Value>
  ) throws -> (failure: DeviceFailure, took: Duration) {
    let (loop, service) = (simulation.loop, simulation.service)
    let begun = Guarded(loop.now)
    let ended = Guarded(loop.now)
    let outcome = simulation.run(
      service.connect().flattenMap {
        Signal<Value> { sink in
          begun.withLock { $0 = loop.now }
          defer { ended.withLock { $0 = loop.now } }
          try await operation.run(sink)
        }
      }
    )
    return (try simulation.failure(outcome), ended.withLock { $0 } - begun.withLock { $0 })
  }

  @Test(
    "if the link drops without an answer, the failure reports at once that the device is not paired"
  )
  func dropped() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let service = simulation.service
    let reading = service.read(.encrypted).timeout(.seconds(90), "reading")
    let (failure, took) = try timed(simulation, reading)
    // Half a second after bluetoothd has given up, not at the end of the step's limit.
    #expect(took > .seconds(30.4) && took < .seconds(30.7), "\(took)")
    #expect(failure.code == .notPaired)
    #expect(failure.class == .definite)
    #expect(failure.hint.contains("pair(_:)"))
    #expect(try simulation.deviceProperty("Paired") == nil)
    let again = simulation.run(
      service.connect().flattenMap { service.pair(PairingAnswers()) }
        .flattenMap { _ in service.read(.encrypted) }
    )
    #expect(again.error == nil)
  }

  @Test(
    "a device that ends the link because no pairing happens is reported as not paired",
    arguments: [BlueZVersion.debian12, .debian13]
  )
  func endedByDevice(version: BlueZVersion) throws {
    var settings = SimulatorSettings()
    settings.version = version
    let simulation = try Simulation(definition: .pairing(.justWorks), settings: settings)
    let (simulator, loop) = (simulation.simulator, simulation.loop)
    let address = simulation.device.definition.address
    loop.after(.seconds(8)) { simulator.loseLink(address) }
    for operation in [
      simulation.service.read(.encrypted).map { _ in },
      simulation.service.write([1], to: .encrypted, kind: .request),
      simulation.service.subscribe(.encrypted).map { _ in },
    ] {
      loop.after(.seconds(8)) { simulator.loseLink(address) }
      let (failure, took) = try timed(simulation, operation)
      #expect(failure.code == .notPaired, "\(failure)")
      #expect(took < .seconds(9), "\(took)")
    }
  }

  @Test(
    "a bluetoothd that keeps the link, as 5.82, has the read end at its limit; so do those behind it"
  )
  func kept() throws {
    var settings = SimulatorSettings()
    settings.version = .debian13
    let simulation = try Simulation(definition: .pairing(.justWorks), settings: settings)
    let service = simulation.service
    let reading = service.read(.encrypted).timeout(.seconds(50), "reading")
    let behind = service.read(.plain).timeout(.seconds(5), "reading")
    let (failure, took) = try timed(
      simulation, reading.map { _ in }.catchError { _ in behind.map { _ in } }
    )
    #expect(failure.code == .timedOut)
    #expect(took > .seconds(54) && took < .seconds(56), "\(took)")
    #expect(failure.hint.contains("pair(_:)"))
  }

  @Test("an unanswered acquisition whose link drops is link-lost, not not-paired")
  func acquired() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let (simulator, loop) = (simulation.simulator, simulation.loop)
    let address = simulation.device.definition.address
    loop.after(.seconds(8)) { simulator.loseLink(address) }
    let subscribing = simulation.service.subscribe(
      .encrypted, SubscriptionOptions(delivery: .acquire)
    )
    let (failure, took) = try timed(simulation, subscribing.map { _ in })
    #expect(failure.code == .linkLost)
    #expect(took < .seconds(9))
  }

  @Test("a link that drops during a slow read is link-lost")
  func lostWhileSlow() throws {
    let slow = FaultRule(on: .read, action: .slow(.seconds(10)))
    let simulation = try Simulation(definition: .pairing(.justWorks), faults: [slow])
    let (simulator, loop) = (simulation.simulator, simulation.loop)
    let address = simulation.device.definition.address
    loop.after(.seconds(4)) { simulator.loseLink(address) }
    let (failure, took) = try timed(simulation, simulation.service.read(.plain))
    #expect(failure.code == .linkLost)
    #expect(failure.bluez != nil)
    #expect(took < .seconds(4))
  }

  @Test("with an agent for the chain, a read pairs automatically and is repeated")
  func answering() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 42137))
    let service = simulation.service
    let outcome = simulation.run(
      service.answering(AssociationTests.passkey) {
        service.connect().flattenMap { service.read(.authenticated) }
      }
    )
    #expect(outcome.error == nil)
    #expect(simulation.history.contains("C0:FF:EE:00:00:01 paired, authenticated"))
    #expect(try simulation.deviceProperty("Paired") == true)
  }

  @Test("writes and subscriptions pair automatically too")
  func writesAndSubscriptions() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let service = simulation.service
    let outcome = simulation.run(
      service.answering(PairingAnswers()) {
        service.connect()
          .flattenMap { service.subscribe(.encrypted) }
          .flattenMap { values in
            service.write([3], to: .encrypted, kind: .request).flattenMap { values.take(1) }
          }
      }
    )
    #expect(outcome.value?.value == [3])
    #expect(simulation.history.count { $0.contains("paired") } == 1)
  }

  @Test("an agent that declines leaves the read unanswered")
  func declining() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let service = simulation.service
    let outcome = simulation.run(
      service.answering(PairingAnswers(acceptsJustWorks: false)) {
        service.connect().flattenMap { service.read(.encrypted) }
      }
    )
    #expect(try simulation.failure(outcome).code == .notPaired)
  }

  @Test("a wrong passkey fails the read and ends the link")
  func wrongPasskey() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 1))
    let service = simulation.service
    let outcome = simulation.run(
      service.answering(AssociationTests.passkey) {
        service.connect().flattenMap { service.read(.authenticated) }
      }
    )
    #expect(try simulation.failure(outcome).code == .linkLost)
    #expect(simulation.history.last == "C0:FF:EE:00:00:01 link down")
  }

  @Test("an unauthenticated bond does not suffice for a value that requires authentication")
  func notVouchedFor() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 1))
    let service = simulation.service
    let outcome = simulation.pairThen(PairingAnswers()) { _ in
      service.read(.encrypted).flattenMap { _ in
        service.read(.authenticated).timeout(.seconds(20), "reading")
      }
    }
    #expect(try simulation.failure(outcome).code == .timedOut)
  }

  @Test(
    "a device that still refuses after pairing fails with the expected code",
    arguments: [
      (ATTErrorCode.insufficientEncryption, DeviceFailure.Code.notPaired),
      (.encryptionKeyTooShort, .notPaired), (.insufficientAuthentication, .timedOut),
    ]
  )
  func refusing(code: ATTErrorCode, expected: DeviceFailure.Code) throws {
    let refuse = FaultRule(on: .read, action: .refuse(code))
    let simulation = try Simulation(definition: .pairing(.justWorks), faults: [refuse])
    let service = simulation.service
    let outcome = simulation.pairThen(PairingAnswers()) { _ in
      service.read(.plain).timeout(.seconds(20), "reading")
    }
    #expect(try simulation.failure(outcome).code == expected)
  }

  @Test("unpairing removes the bond, and the next connect finds the device again")
  func unpair() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let service = simulation.service
    #expect(simulation.pair(PairingAnswers()).value == .paired(isAuthenticated: false))
    #expect(simulation.run(service.unpair()).error == nil)
    #expect(try simulation.deviceProperty("Paired") == nil)
    #expect(simulation.run(service.unpair()).error == nil)
    let outcome = simulation.run(
      service.connect().flattenMap { service.read(.encrypted).timeout(.seconds(5), "reading") }
    )
    #expect(try simulation.failure(outcome).code == .timedOut)
  }

  @Test("unpairing ends the link")
  func unpairConnected() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let service = simulation.service
    let outcome = simulation.pairThen(PairingAnswers()) { _ in service.unpair() }
    #expect(outcome.error == nil)
    #expect(simulation.simulator.connectedDevices == [])
  }

  @Test("trust can be set and removed")
  func trust() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let service = simulation.service
    #expect(try simulation.failure(simulation.run(service.trust(true))).code == .notFound)
    #expect(simulation.run(service.connect().flattenMap { service.trust(true) }).error == nil)
    #expect(try simulation.deviceProperty("Trusted") == true)
    #expect(simulation.run(service.trust(false)).error == nil)
    #expect(try simulation.deviceProperty("Trusted") == false)
  }
}
