// The meanings of error replies to pairing.

import BlueZInterfaces
import Bluetooth

extension ErrorMapping {
  /// The errors that report how a pairing ended.
  static func isAboutPairing(_ answer: ErrorAnswer) -> Bool {
    let names = [
      BlueZErrorName.authenticationFailed, BlueZErrorName.authenticationRejected,
      BlueZErrorName.authenticationCanceled, BlueZErrorName.authenticationTimeout,
      BlueZErrorName.canceled, BlueZErrorName.rejected,
    ]
    return names.contains(answer.name) || answer == .failed("Not paired")
  }

  /// - Source: BlueZ 5.66, `src/device.c` (btd_device_bonding_failed and new_authentication_reply).
  static func pairing(_ answer: ErrorAnswer, _ situation: ErrorSituation) -> Cause {
    switch answer.name {
    case BlueZErrorName.authenticationTimeout:
      return .transient(
        .pairingFailed, "pairing was not completed in time",
        hint: "put the device into pairing mode, answer its requests within 30 s and try again"
      )
    case BlueZErrorName.authenticationCanceled, BlueZErrorName.canceled:
      return .transient(
        .pairingFailed, "pairing was cancelled, or the link was lost",
        hint: "put the device into pairing mode, stay near it and try again"
      )
    case BlueZErrorName.authenticationRejected, BlueZErrorName.rejected:
      return .permanent(
        .pairingFailed, "the device, or the user of an agent, rejected the pairing",
        hint: "put the device into pairing mode; remove an old bond on both sides"
      )
    case BlueZErrorName.authenticationFailed:
      return .permanent(
        .pairingFailed, "the device rejected the pairing, or a passkey or number was wrong",
        hint: "check the passkey; put the device into pairing mode; remove an old bond on both "
          + "sides (\(.unpair), and on the device)"
      )
    case BlueZErrorName.agentNotAvailable:
      return .permanent(.pairingFailed, "no pairing agent is registered", hint: "\(.pairWithAgent)")
    case BlueZErrorName.connectionAttemptFailed:
      return .transient(
        .connectFailed, "the device did not respond to the attempt to connect",
        hint: "check that it is on, near and advertising"
      )
    case BlueZErrorName.profileUnavailable:
      return connection(.profileUnavailable)
    default:
      return unknown(situation)
    }
  }
}

extension Cause {
  static let pairingUndone = permanent(
    .pairingFailed, "the device did not pair, for an unknown reason",
    hint: "put the device into pairing mode; remove an old bond on both sides (\(.unpair))"
  )

  /// Every pairing was to be rejected, and the device asked nothing that could be.
  static let pairingUnasked = permanent(
    .pairingFailed,
    "the device paired without asking, so there was nothing to reject; its bond was removed from "
      + "this host",
    hint: "to prevent that, the device has to require a passkey or a comparison; remove the bond "
      + "on the device too"
  )

  /// Pairing failed because of an answer of our own agent.
  static func refused(_ refusal: AgentDialogue.Refusal) -> Cause {
    switch refusal {
    case .unanswered(.comparison(let number)):
      permanent(
        .pairingFailed,
        "the device requests numeric comparison, and no answer was given: "
          + PairingQuestion.sixDigits(number),
        hint: "check the device, and pair with \(.confirm), or with the number that it displays"
      )
    case .unanswered(let question):
      permanent(
        .pairingFailed,
        "the device requests \(question == .pin ? "a PIN" : "a passkey"), and none was given",
        hint: "give the one that the device displays or has printed on it: \(.passkey)"
      )
    case .declined, .declinedToShow:
      permanent(
        .pairingFailed, "this host rejected a pairing request",
        hint: "remove the rejection if the device is to be paired"
      )
    case .otherNumber(let number):
      permanent(
        .pairingFailed,
        "the number to compare is \(PairingQuestion.sixDigits(number)), and another was expected",
        hint: "check for a man in the middle; the number is a new one "
          + "each time unless the device is simulated"
      )
    case .unusable(let question):
      permanent(
        .pairingFailed,
        question == .pin
          ? "invalid PIN: expected 1 to 16 bytes"
          : "invalid passkey: expected up to six digits",
        hint: "check the file or the environment variable that the passkey comes from"
      )
    }
  }
}
