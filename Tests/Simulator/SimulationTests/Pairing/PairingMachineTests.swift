// The pairing decisions of the simulated bluetoothd, and the association models.

import BlueZInterfaces
import Bluetooth
import SimulatedDevices
import Testing

@testable import BlueZSimulator

@Suite("Pairing of a simulated device")
struct PairingMachineTests {
  typealias Machine = PairingMachine<String>

  @Test(
    "the association model follows the specification",
    arguments: [
      (IOCapability.displayOnly, IOCapability.displayOnly, AssociationModel.justWorks),
      (.displayOnly, .displayYesNo, .justWorks), (.displayOnly, .keyboardOnly, .hostDisplays),
      (.displayOnly, .noInputNoOutput, .justWorks),
      (.displayOnly, .keyboardDisplay, .hostDisplays), (.displayYesNo, .displayOnly, .justWorks),
      (.displayYesNo, .displayYesNo, .comparison), (.displayYesNo, .keyboardOnly, .hostDisplays),
      (.displayYesNo, .noInputNoOutput, .justWorks),
      (.displayYesNo, .keyboardDisplay, .comparison), (.keyboardOnly, .displayOnly, .hostEnters),
      (.keyboardOnly, .displayYesNo, .hostEnters), (.keyboardOnly, .keyboardOnly, .hostEnters),
      (.keyboardOnly, .noInputNoOutput, .justWorks),
      (.keyboardOnly, .keyboardDisplay, .hostEnters),
      (.noInputNoOutput, .keyboardDisplay, .justWorks),
      (.keyboardDisplay, .displayOnly, .hostEnters),
      (.keyboardDisplay, .displayYesNo, .comparison),
      (.keyboardDisplay, .keyboardOnly, .hostDisplays),
      (.keyboardDisplay, .noInputNoOutput, .justWorks),
      (.keyboardDisplay, .keyboardDisplay, .comparison),
    ]
  )
  func models(host: IOCapability, device: IOCapability, model: AssociationModel) {
    #expect(AssociationModel(host: host, device: device) == model)
  }

  @Test(
    "without LE Secure Connections there is no numeric comparison",
    arguments: [
      (IOCapability.displayYesNo, IOCapability.displayYesNo, AssociationModel.justWorks),
      (.displayYesNo, .keyboardDisplay, .hostDisplays),
      (.keyboardDisplay, .displayYesNo, .hostEnters),
      (.keyboardDisplay, .keyboardDisplay, .hostDisplays),
    ]
  )
  func legacyModels(host: IOCapability, device: IOCapability, model: AssociationModel) {
    #expect(AssociationModel(host: host, device: device, isLegacy: true) == model)
  }

  /// The actions in words.
  func words(_ actions: [Machine.Action]) -> [String] {
    actions.compactMap { action in
      switch action {
      case .answer(let calls), .drop(let calls):
        return calls.isEmpty ? nil : "\(action)"
      case .refuse(let calls, let answer):
        return calls.isEmpty ? nil : "refuse \(calls) \(answer.text)"
      default: return "\(action)"
      }
    }
  }

  @Test("cancelling withdraws the question, then answers Pair and the cancelling call")
  func cancel() {
    var machine = Machine()
    _ = machine.pair("a", of: ":1", agent: .keyboardOnly)
    _ = machine.exchanged(1, with: .passkeyEntry, passkey: 5)
    let words = words(machine.cancel("c"))
    #expect(words == ["withdraw", "refuse [\"a\"] Authentication Canceled", "answer([\"c\"])"])
    #expect(self.words(machine.answered(1, .passkey(5))) == [])
    #expect(self.words(machine.cancel("d")) == ["refuse [\"d\"] Does Not Exist"])
  }

  @Test("requests wait for one shared pairing, and are then repeated")
  func requests() {
    var machine = Machine()
    func secure(_ call: String) -> [Machine.Action] {
      machine.secure(.encrypted, call, agent: .keyboardOnly, device: .displayOnly)
    }
    #expect(secure("r").count == 1)
    #expect(secure("s").isEmpty)
    _ = machine.exchanged(1, with: .passkeyEntry, passkey: 5)
    #expect(words(machine.answered(1, .passkey(5))).last == "answer([\"r\", \"s\"])")
    #expect(machine.bond == .authenticated)
  }

  @Test("a wrong passkey answers Pair at once, and pending requests when the link ends")
  func wrongPasskey() {
    var machine = Machine()
    _ = machine.pair("a", of: ":1", agent: .keyboardOnly)
    _ = machine.secure(.encrypted, "r", agent: .keyboardOnly, device: .displayOnly)
    _ = machine.exchanged(1, with: .passkeyEntry, passkey: 5)
    let words = words(machine.answered(1, .passkey(6)))
    #expect(words == ["refuse [\"a\"] Authentication Failed", "loseLink"])
    #expect(self.words(machine.linkLost()) == ["refuse [\"r\"] Authentication Canceled"])
    #expect(machine.bond == .none)
  }

  @Test("a Pair joins a pairing that the device asked for; a second one is refused")
  func joins() {
    for (reply, last) in [
      (Machine.Reply.accepted, "answer([\"a\"])"),
      (.refused, "reportMissingAgent"),
    ] {
      var machine = Machine()
      #expect(words(machine.requested(agent: .noInputNoOutput)) == ["exchange(1)"])
      #expect(words(machine.requested(agent: .noInputNoOutput)) == [])
      _ = machine.exchanged(1, with: .justWorks, passkey: 0)
      #expect(words(machine.pair("a", of: ":1", agent: .displayYesNo)) == [])
      let second = words(machine.pair("b", of: ":2", agent: .displayYesNo))
      #expect(second == ["refuse [\"b\"] In Progress"])
      let ending = words(machine.answered(1, reply))
      #expect(ending.last == last)
      #expect((ending.first == "refuse [\"a\"] Authentication Failed") == (reply == .refused))
    }
  }

  @Test("a Security Request changes nothing without an agent, with a bond, or during a Pair")
  func ignoredRequests() {
    var machine = Machine()
    #expect(words(machine.requested(agent: nil)) == ["reportMissingAgent"])
    #expect(!machine.isPairing)
    _ = machine.pair("a", of: ":1", agent: .noInputNoOutput)
    #expect(words(machine.requested(agent: .noInputNoOutput)) == [])
    #expect(!machine.isUnasked)
    _ = machine.exchanged(1, with: .justWorks, passkey: 0)
    #expect(words(machine.requested(agent: .noInputNoOutput)) == [])
    #expect(!machine.isPairing)
  }
}
