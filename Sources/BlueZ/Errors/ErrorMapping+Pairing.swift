// What the answers to pairing mean.

import BlueZInterfaces
import Bluetooth

extension ErrorMapping {
  /// The answers that tell how a pairing ended.
  static func isAboutPairing(_ answer: ErrorAnswer) -> Bool {
    let names = [
      BlueZErrorName.authenticationFailed, BlueZErrorName.authenticationRejected,
      BlueZErrorName.authenticationCanceled, BlueZErrorName.authenticationTimeout,
      BlueZErrorName.canceled, BlueZErrorName.rejected,
    ]
    return names.contains(answer.name) || answer == .failed("Not paired")
  }

  /// - Source: BlueZ 5.66, `src/device.c` (btd_device_bonding_failed and new_authentication_reply).
  static func pairing(_ answer: ErrorAnswer, _ situation: ErrorSituation) -> Explanation {
    switch answer.name {
    case BlueZErrorName.authenticationTimeout:
      return .passing(
        .pairingFailed,
        "pairing was not completed in time",
        hint: "put the device into pairing mode, answer what it asks within 30 s and try again"
      )
    case BlueZErrorName.authenticationCanceled, BlueZErrorName.canceled:
      return .passing(
        .pairingFailed,
        "pairing was given up: somebody cancelled it, or the link was lost",
        hint: "put the device into pairing mode, stay near it and try again"
      )
    case BlueZErrorName.authenticationRejected, BlueZErrorName.rejected:
      return .definite(
        .pairingFailed,
        "the device, or the user of an agent, refused to pair",
        hint: "put the device into pairing mode; remove an old bond on both sides"
      )
    case BlueZErrorName.authenticationFailed:
      return .definite(
        .pairingFailed,
        "the device refused to pair, or a passkey or number was wrong",
        hint: "check the passkey; put the device into pairing mode; remove an old bond on both "
          + "sides (blerun unpair, and on the device)"
      )
    case BlueZErrorName.agentNotAvailable:
      return .definite(
        .pairingFailed,
        "no pairing agent is registered",
        hint: "pair with a step or with blerun pair, which bring an agent with them"
      )
    case BlueZErrorName.connectionAttemptFailed:
      return .passing(
        .connectFailed,
        "the device did not answer the attempt to connect",
        hint: "check that it is on, near and advertising"
      )
    case BlueZErrorName.profileUnavailable:
      return connection(.profileUnavailable)
    default:
      return unknown(situation)
    }
  }
}

extension Explanation {
  static let pairingUndone = definite(
    .pairingFailed,
    "the device did not pair, and gave no reason",
    hint: "put the device into pairing mode; remove an old bond on both sides (blerun unpair)"
  )

  /// Pairing failed because of what our own agent answered.
  static func refused(_ refusal: AgentDialogue.Refusal) -> Explanation {
    switch refusal {
    case .unanswered(.comparison(let number)):
      definite(
        .pairingFailed,
        "the device wants a number compared, and nothing says whether it is right: "
          + PairingQuestion.sixDigits(number),
        hint: "look at the device, and pair with confirm: true, or with the number it shows"
      )
    case .unanswered(let question):
      definite(
        .pairingFailed,
        "the device wants \(question == .pin ? "a PIN" : "a passkey"), and none was given",
        hint: "give the one that the device shows or has printed on it: passkey: { env: NAME }, "
          + "or blerun pair --passkey-file"
      )
    case .declined:
      definite(
        .pairingFailed,
        "this side declined what pairing asked",
        hint: "leave the refusal out if the device is to be paired"
      )
    case .otherNumber(let number):
      definite(
        .pairingFailed,
        "the number to compare is \(PairingQuestion.sixDigits(number)), and another was expected",
        hint: "check that nobody is between this host and the device; the number is a new one "
          + "each time unless the device is simulated"
      )
    case .unusable(let question):
      definite(
        .pairingFailed,
        question == .pin
          ? "what was given is no PIN: 1 to 16 octets"
          : "what was given is no passkey: up to six digits",
        hint: "check the file or the environment variable that the passkey comes from"
      )
    }
  }
}
