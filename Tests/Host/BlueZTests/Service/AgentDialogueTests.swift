// The replies of our agent, request by request.

import BlueZInterfaces
import Bluetooth
import DBus
import Testing

@testable import BlueZ

@Suite("The dialogue of an agent")
struct AgentDialogueTests {
  func actions(_ answers: PairingAnswers, _ request: AgentRequest) -> [AgentDialogue.Action] {
    var dialogue = AgentDialogue(answers)
    return dialogue.handle(.request(request))
  }

  static let ask: PairingAnswers.Ask = { _, _ in {} }

  @Test("a passkey is sent as a number, a PIN as a text")
  func secrets() {
    let answers = PairingAnswers(secret: Secret("004711"))
    #expect(actions(answers, .passkey) == [.reply([.uint32(4711)])])
    #expect(actions(answers, .pinCode) == [.reply([.string("004711")])])
  }

  @Test("an invalid passkey or PIN is refused")
  func unusable() {
    #expect(actions(PairingAnswers(secret: Secret("1234567")), .passkey) == [.refuse])
    #expect(actions(PairingAnswers(secret: Secret("-1")), .passkey) == [.refuse])
    let long = Secret(String(repeating: "1", count: 17))
    #expect(actions(PairingAnswers(secret: long), .pinCode) == [.refuse])
    #expect(actions(PairingAnswers(secret: Secret("")), .pinCode) == [.refuse])
  }

  @Test("without answers or a prompt, every request except Just Works is rejected")
  func nothingGiven() {
    let answers = PairingAnswers()
    for request in [AgentRequest.passkey, .pinCode, .confirmation(1)] {
      #expect(actions(answers, request) == [.refuse])
    }
    #expect(actions(answers, .authorization) == [.reply([])])
    #expect(actions(PairingAnswers(acceptsJustWorks: false), .authorization) == [.refuse])
    #expect(
      actions(PairingAnswers(acceptsJustWorks: false), .authorizeService("180f")) == [.refuse]
    )
  }

  @Test("a passkey to be typed on the device is shown once, however many digits have been typed")
  func shown() {
    var dialogue = AgentDialogue(PairingAnswers())
    let first = dialogue.handle(.request(.displayPasskey(5, entered: 0)))
    #expect(first == [.show(.passkey(5)), .reply([])])
    #expect(dialogue.handle(.request(.displayPasskey(5, entered: 1))) == [.reply([])])
    let other = dialogue.handle(.request(.displayPinCode("0000")))
    #expect(other == [.show(.pin("0000")), .reply([])])
  }

  @Test("answers that refuse every request show nothing, and cancel display-only requests")
  func refusingAll() {
    let answers = PairingAnswers(acceptsJustWorks: false, comparison: .always(false))
    for request in [AgentRequest.passkey, .pinCode, .confirmation(1), .authorization] {
      #expect(actions(answers, request) == [.refuse])
    }
    for request in [AgentRequest.displayPasskey(5, entered: 0), .displayPinCode("0000")] {
      #expect(actions(answers, request) == [.refuse, .cancelPairing])
    }
    #expect(answers.offeredCapability == .keyboardDisplay)
  }

  @Test("the user is asked only for answers that were not given")
  func asked() {
    let answers = PairingAnswers(comparison: .always(true), ask: Self.ask)
    #expect(actions(answers, .confirmation(1)) == [.reply([])])
    #expect(actions(answers, .passkey) == [.ask(.passkey)])
  }

  @Test("a reply counts once, and is ignored after its question was cancelled")
  func replies() {
    var dialogue = AgentDialogue(PairingAnswers(ask: Self.ask))
    #expect(dialogue.handle(.request(.confirmation(9))) == [.ask(.comparison(9))])
    #expect(dialogue.handle(.replied(.yes)) == [.reply([])])
    #expect(dialogue.handle(.replied(.yes)) == [])
    #expect(dialogue.handle(.request(.passkey)) == [.ask(.passkey)])
    #expect(dialogue.handle(.withdrawn) == [.withdraw])
    #expect(dialogue.handle(.replied(.secret(Secret("1")))) == [])
    #expect(dialogue.handle(.withdrawn) == [])
  }

  @Test("a second request replaces a pending request")
  func replaced() {
    var dialogue = AgentDialogue(PairingAnswers(ask: Self.ask))
    _ = dialogue.handle(.request(.confirmation(1)))
    let second = dialogue.handle(.request(.confirmation(2)))
    #expect(second == [.withdraw, .ask(.comparison(2))])
  }

  @Test("a rejection keeps its reason")
  func refusals() {
    var dialogue = AgentDialogue(PairingAnswers(comparison: .only(3)))
    #expect(dialogue.refusal == nil)
    _ = dialogue.handle(.request(.confirmation(4)))
    #expect(dialogue.refusal == .otherNumber(4))
    _ = dialogue.handle(.request(.passkey))
    #expect(dialogue.refusal == .unanswered(.passkey))
  }

  @Test("the capability is derived from the answers unless it is given")
  func capability() {
    let secret = Secret("1")
    #expect(PairingAnswers().offeredCapability == .noInputNoOutput)
    #expect(PairingAnswers(secret: secret).offeredCapability == .keyboardOnly)
    #expect(PairingAnswers(comparison: .always(true)).offeredCapability == .displayYesNo)
    let both = PairingAnswers(comparison: .always(true), secret: secret)
    #expect(both.offeredCapability == .keyboardDisplay)
    #expect(PairingAnswers(ask: Self.ask).offeredCapability == .keyboardDisplay)
    let given = PairingAnswers(capability: .displayOnly, secret: secret)
    #expect(given.offeredCapability == .displayOnly)
  }

  @Test("valid calls are parsed as requests, and invalid calls are refused")
  func requests() {
    let device = DBusValue.objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01")
    #expect(Agent1.requestPasskey.input.decode([device]) != nil)
    #expect(Agent1.requestConfirmation.input.decode([device, .uint32(7)])?.1 == 7)
    let shown = Agent1.displayPasskey.input.decode([device, .uint32(7), .uint16(2)])
    #expect(shown?.1 == 7)
    #expect(shown?.2 == 2)
    #expect(Agent1.requestConfirmation.input.decode([device]) == nil)
    #expect(Agent1.displayPinCode.input.decode([device, .uint32(7)]) == nil)
  }
}
