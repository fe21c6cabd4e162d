// Pairings that fail, and the state they leave behind.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Pairing that fails")
struct FailedPairingTests {
  @Test("a device that refuses is a permanent pairing failure")
  func refused() throws {
    let simulation = try Simulation(definition: .pairing(.reject))
    let failure = try simulation.failure(simulation.pair(PairingAnswers()))
    #expect(failure.code == .pairingFailed)
    #expect(failure.class == .definite)
    #expect(failure.bluez?.name == "org.bluez.Error.AuthenticationFailed")
    #expect(simulation.simulator.connectedDevices == [])
  }

  @Test("a wrong passkey is a permanent failure and ends the link")
  func wrongPasskey() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 1))
    let failure = try simulation.failure(simulation.pair(AssociationTests.passkey))
    #expect(failure.code == .pairingFailed)
    #expect(failure.class == .definite)
    #expect(failure.meaning == "the device rejected the pairing, or a passkey or number was wrong")
    #expect(!"\(failure)".contains("42137"))
    #expect(simulation.history.last == "C0:FF:EE:00:00:01 link down")
  }

  @Test(
    "a question without a configured answer is refused, and the failure names the answer to give",
    arguments: [
      (PairingDefinition.Method.passkeyEntry, AgentCapability.keyboardOnly, "secret: in Pairing"),
      (.confirm, .displayYesNo, "comparison: .always(true)"),
    ]
  )
  func unanswered(
    method: PairingDefinition.Method, capability: AgentCapability, hint: String
  ) throws {
    let simulation = try Simulation(definition: .pairing(method, passkey: 5))
    let failure = try simulation.failure(simulation.pair(PairingAnswers(capability: capability)))
    #expect(failure.code == .pairingFailed)
    #expect(failure.hint.contains(hint))
  }

  @Test("a device that lost the bond keeps no connection until it is removed and paired again")
  func lostBond() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let service = simulation.service
    #expect(simulation.pair(PairingAnswers()).error == nil)
    simulation.simulator.apply(.loseBonds, to: DeviceDefinition.thermometerAddress)
    let read = service.connect().flattenMap { service.read(.encrypted) }
    let failure = try simulation.failure(simulation.run(read))
    #expect(failure.code == .connectFailed)
    #expect(failure.hint.contains("it has lost the bond; remove the bond here with unpair()"))
    #expect(try simulation.deviceProperty("Paired") == true)
    #expect(simulation.run(service.unpair()).error == nil)
    #expect(simulation.pair(PairingAnswers()).error == nil)
    #expect(simulation.run(read).error == nil)
  }

  @Test("if this side rejects the pairing, the failure says so")
  func declined() throws {
    let simulation = try Simulation(definition: .pairing(.confirm, passkey: 5))
    let answers = PairingAnswers(comparison: .always(false))
    let failure = try simulation.failure(simulation.pair(answers))
    #expect(failure.meaning == "this host rejected a pairing request")
    #expect(try simulation.deviceProperty("Paired") == false)
  }

  @Test(
    "answers that reject every pairing leave no bond, whatever the device asks",
    arguments: [
      (PairingDefinition.Method.justWorks, "the device paired without asking"),
      (.confirm, "this host rejected a pairing request"),
      (.passkeyEntry, "this host rejected a pairing request"),
      (.passkeyDisplay, "this host rejected a pairing request"),
    ]
  )
  func refusingAll(method: PairingDefinition.Method, meaning: String) throws {
    let simulation = try Simulation(definition: .pairing(method, passkey: 5))
    let shown = Recorded<PairingDisplay>()
    let answers = PairingAnswers(
      acceptsJustWorks: false, comparison: .always(false), show: { shown.add($0) }
    )
    let failure = try simulation.failure(simulation.pair(answers))
    #expect(failure.code == .pairingFailed)
    #expect(failure.class == .definite)
    #expect(failure.meaning.hasPrefix(meaning))
    #expect(shown.all == [])
    #expect(simulation.simulator.connectedDevices == [])
    let isPaired = try? simulation.deviceProperty("Paired")
    #expect(isPaired != true)
  }

  @Test("an invalid passkey is named as invalid without being shown")
  func unusable() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 5))
    let answers = PairingAnswers(secret: Secret("hunter2"))
    let failure = try simulation.failure(simulation.pair(answers))
    #expect(failure.meaning == "invalid passkey: expected up to six digits")
    #expect(!"\(failure)".contains("hunter2"))
  }

  /// A user who never replies.
  func silent(_ withdrawn: Recorded<String>) -> PairingAnswers {
    PairingAnswers(ask: { _, _ in { withdrawn.add("withdrawn") } })
  }

  @Test("a deadline cancels the pairing, withdraws the question and unregisters the agent")
  func deadline() throws {
    let log = Recorded<String>()
    let simulation = try Simulation(definition: .pairing(.confirm)) { message, _ in
      if message.kind == .methodCall { log.add(message.member ?? "") }
    }
    let (service, withdrawn) = (simulation.service, Recorded<String>())
    let outcome = simulation.run(
      service.connect().flattenMap {
        service.pair(silent(withdrawn)).timeout(.seconds(10), "pairing")
      }
    )
    let failure = try simulation.failure(outcome)
    #expect(failure.code == .timedOut)
    #expect(failure.meaning == "pairing was not completed within 10 s, and was cancelled")
    #expect(withdrawn.all == ["withdrawn"])
    let calls = log.all.filter { !["GetNameOwner", "AddMatch"].contains($0) }
    let expected = [
      "Pair", "RequestConfirmation", "CancelPairing", "Cancel", "UnregisterAgent", "Disconnect",
    ]
    #expect(Array(calls.suffix(6)) == expected)
    #expect(try simulation.deviceProperty("Paired") == false)
  }

  @Test("a question unanswered for 30 s makes the device end the link: a transient failure")
  func deviceGivesUp() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 5))
    let withdrawn = Recorded<String>()
    let failure = try simulation.failure(simulation.pair(silent(withdrawn)))
    #expect(failure.code == .pairingFailed)
    #expect(failure.class == .passing)
    #expect(withdrawn.all == ["withdrawn"])
    #expect(simulation.loop.now.sinceStart > .seconds(30))
    #expect(simulation.loop.now.sinceStart < .seconds(35))
  }

  @Test("a pairing that another program cancels is a transient failure")
  func cancelled() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 5))
    let other = try simulation.bus.connect()
    let cancel = try simulation.unanswered("CancelPairing")
    let answers = PairingAnswers(ask: { _, _ in
      try? other.send(cancel)
      return {}
    })
    let failure = try simulation.failure(simulation.pair(answers))
    #expect(failure.code == .pairingFailed)
    #expect(failure.class == .passing)
    #expect(failure.bluez?.name == "org.bluez.Error.AuthenticationCanceled")
  }

  @Test("cancelling the chain cancels the pairing and leaves nothing behind")
  func interrupted() throws {
    let log = Recorded<String>()
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 5)) { message, _ in
      if message.kind == .methodCall { log.add(message.member ?? "") }
    }
    let (scheduler, withdrawn) = (simulation.scheduler, Recorded<String>())
    let answers = PairingAnswers(ask: { _, _ in
      scheduler.cancelAll(CancellationError())
      return { withdrawn.add("withdrawn") }
    })
    #expect(simulation.pair(answers).error != nil)
    #expect(withdrawn.all == ["withdrawn"])
    #expect(log.all.contains("CancelPairing"))
    #expect(log.all.contains("UnregisterAgent"))
    #expect(simulation.simulator.connectedDevices == [])
    #expect(try simulation.deviceProperty("Paired") == false)
  }

  @Test("if bluetoothd leaves the bus, the question is withdrawn and the failure says so")
  func daemonLeaves() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 5))
    let (withdrawn, host) = (Recorded<String>(), simulation.simulator.bus)
    let answers = PairingAnswers(ask: { _, _ in
      host.close()
      return { withdrawn.add("withdrawn") }
    })
    let failure = try simulation.failure(simulation.pair(answers))
    #expect(failure.code == .daemonMissing)
    #expect(withdrawn.all == ["withdrawn"])
  }
}
