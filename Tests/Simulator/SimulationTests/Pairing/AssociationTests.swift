// Pairing in every way that there is, with answers that were decided beforehand.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Pairing with a simulated device")
struct AssociationTests {
  static let passkey = PairingAnswers(secret: Secret("042137"))

  @Test("just works asks no question and pairs the device")
  func justWorks() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let outcome = simulation.pair(PairingAnswers(acceptsJustWorks: false))
    #expect(outcome.error == nil)
    #expect(outcome.value == .paired(isAuthenticated: false))
    #expect(simulation.history.contains("C0:FF:EE:00:00:01 paired, encrypted"))
    #expect(try simulation.deviceProperty("Paired") == true)
    #expect(try simulation.deviceProperty("Bonded") == true)
  }

  @Test("a number shown on both sides is confirmed, always or only if it is the expected one")
  func comparison() throws {
    let always = try Simulation(definition: .pairing(.confirm))
    let isCompared = PairingOutcome.paired(isAuthenticated: true)
    #expect(always.pair(PairingAnswers(comparison: .always(true))).value == isCompared)
    let same = try Simulation(definition: .pairing(.confirm, passkey: 7))
    #expect(same.pair(PairingAnswers(comparison: .only(7))).value == isCompared)
    let other = try Simulation(definition: .pairing(.confirm, passkey: 8))
    let failure = try other.failure(other.pair(PairingAnswers(comparison: .only(7))))
    #expect(failure.code == .pairingFailed)
    #expect(failure.meaning == "the number to compare is 000008, and another was expected")
    #expect(try other.deviceProperty("Paired") == false)
  }

  @Test("a passkey is shown once, and typed on the device")
  func display() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyDisplay, passkey: 1234))
    let shown = Recorded<PairingDisplay>()
    let answers = PairingAnswers(capability: .displayOnly, show: { shown.add($0) })
    #expect(simulation.pair(answers).value == .paired(isAuthenticated: true))
    #expect(shown.all == [.passkey(1234)])
    #expect(shown.all.first?.description == "type 001234 on the device")
  }

  @Test("the user can answer a question later")
  func asked() throws {
    for (method, reply) in [
      (PairingDefinition.Method.confirm, PairingReply.yes),
      (.passkeyEntry, .secret(Secret("000555"))),
    ] {
      let simulation = try Simulation(definition: .pairing(method, passkey: 555))
      let (loop, asked) = (simulation.loop, Recorded<PairingQuestion>())
      let answers = PairingAnswers(ask: { question, replied in
        asked.add(question)
        let timer = loop.after(.seconds(5)) { replied(reply) }
        return { timer.cancel() }
      })
      #expect(simulation.pair(answers).value == .paired(isAuthenticated: true))
      #expect(asked.all == [method == .confirm ? .comparison(555) : .passkey])
    }
  }

  @Test("a device that is already paired stays as it is, and Pair is not called")
  func already() throws {
    let log = Recorded<String>()
    let simulation = try Simulation(definition: .pairing(.justWorks)) { message, _ in
      log.add(message.text)
    }
    let service = simulation.service
    let outcome = simulation.pairThen(PairingAnswers()) { _ in service.pair(PairingAnswers()) }
    #expect(outcome.value == .already)
    #expect(log.all.count { $0.contains("Device1.Pair(") } == 1)
  }

  @Test("the bond outlives the link")
  func bond() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 42137))
    let service = simulation.service
    #expect(simulation.pair(Self.passkey).value == .paired(isAuthenticated: true))
    let outcome = simulation.run(service.connect().flattenMap { service.read(.authenticated) })
    #expect(outcome.error == nil)
    #expect(simulation.history.count { $0.contains("link up") } == 2)
  }

  @Test("a device that is not connected connects for the turn and disconnects afterwards")
  func connects() throws {
    let simulation = try Simulation(definition: .pairing(.justWorks))
    let outcome = simulation.run(simulation.service.pair(PairingAnswers()))
    #expect(outcome.value == .paired(isAuthenticated: false))
    #expect(simulation.simulator.connectedDevices == [])
    #expect(try simulation.deviceProperty("Paired") == true)
  }

  @Test("the agent is registered only while a pairing runs")
  func registered() throws {
    let log = Recorded<String>()
    let simulation = try Simulation(definition: .pairing(.justWorks)) { message, _ in
      if message.interface == "org.bluez.AgentManager1" { log.add(message.member ?? "") }
    }
    #expect(simulation.pair(PairingAnswers()).value == .paired(isAuthenticated: false))
    #expect(log.all == ["RegisterAgent", "RequestDefaultAgent", "UnregisterAgent"])
    log.removeAll()
    let refusing = try Simulation(definition: .pairing(.reject)) { message, _ in
      if message.interface == "org.bluez.AgentManager1" { log.add(message.member ?? "") }
    }
    #expect(refusing.pair(PairingAnswers()).error != nil)
    #expect(log.all == ["RegisterAgent", "RequestDefaultAgent", "UnregisterAgent"])
  }
}
