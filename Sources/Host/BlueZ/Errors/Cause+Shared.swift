// The causes without an error reply, and those that several error replies share.

import BlueZInterfaces
import Bluetooth

extension Cause {
  static let daemonMissing = unavailable(
    .daemonMissing, "bluetoothd is not on the bus",
    hint: "start it (systemctl start bluetooth), or \(.simulate)"
  )
  static let daemonLeft = unavailable(
    .daemonMissing, "bluetoothd left the bus during the operation",
    hint: "check why it stopped (journalctl -u bluetooth), start it and run again"
  )
  static let busLost = unavailable(
    .busLost, "the connection to the message bus ended",
    hint: "check that the bus is running (systemctl status dbus) and run again"
  )
  /// A message of bluetoothd was refused because of its size.
  static func messageTooLarge(_ reason: String) -> Cause {
    permanent(
      .invalidValue, "bluetoothd sent a message that was refused: \(reason)",
      hint: "it is not what bluetoothd sends: check which program owns org.bluez on the bus"
    )
  }
  /// A value is longer than the Attribute Protocol allows.
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.2.9 (Long Attribute Values).
  static func receivedTooLong(octets: Int) -> Cause {
    permanent(
      .invalidValue,
      "a value of \(octets) bytes was received, and an attribute has at most "
        + "\(GattCharacteristic1.longestValue)",
      hint: "it is not what bluetoothd sends: check which program owns org.bluez on the bus"
    )
  }
  static let busNotPermitted = unavailable(
    .notPermitted, "the message bus does not permit this user to call bluetoothd",
    hint: "add the user to the group bluetooth, or run as root"
  )
  static let adapterOff = unavailable(
    .adapterOff, "the adapter is powered off",
    hint: "power it on with bluetoothctl power on; rfkill unblock bluetooth if that is refused"
  )
  static let adapterGone = unavailable(
    .adapterMissing, "bluetoothd no longer has this adapter",
    hint: "plug it in again; bluetoothctl list shows the adapters there are"
  )
  static let adapterBlocked = unavailable(
    .adapterOff, "the adapter is blocked by rfkill",
    hint: "rfkill unblock bluetooth, then bluetoothctl power on"
  )
  static let linkLost = transient(
    .linkLost, "the link to the device was lost",
    hint: "bring the device closer or check its power, and try again"
  ).again(.aborted)
  static let transactionTimedOut = transient(
    .linkLost, "the device did not respond within 30 s, so bluetoothd disconnects it",
    hint:
      "try again; if it persists, restart the device; a protected attribute requires pairing "
      + "first: \(.pair)"
  )
  static let deviceRemoved = transient(
    .linkLost, "bluetoothd removed the device while it was in use",
    hint: "try again to discover it again; check that no other program removes it"
  ).again(.vanished)
  static let objectGone = transient(
    .linkLost, "bluetoothd has removed this object, and with it the device or its services",
    hint: "connect again, so that the device is found and its services are read again"
  ).again(.vanished)
  static let notConnected = transient(
    .notConnected, "the device is not connected",
    hint: "connect first; after a loss of the link, connect again"
  )
  static let servicesUnread = transient(
    .notConnected, "the device is connected, and bluetoothd is still reading its services",
    hint: "connect first, which waits for them, even when another program has connected"
  )
  static let busy = transient(
    .busy, "bluetoothd is already doing this, for this program or another",
    hint: "wait a moment and try again; close other programs that use the device"
  )
  static let connectBusy = transient(
    .busy, "another program is connecting to this device",
    hint:
      "close other programs that use the device, or \(.takeOver), which ends the attempt"
  )
  static let pairBusy = transient(
    .busy, "another pairing with this device is in progress",
    hint: "wait a moment and try again; close other programs that pair with the device"
  )
  static let notFound = transient(
    .notFound, "no matching device was found",
    hint: "check that it is on, near and advertising (see \(.scan)), "
      + "and not connected to another host"
  )
  /// - Parameter received: What discovery has received instead.
  static func notFound(_ target: DeviceTarget, received: [Advertisement]) -> Cause {
    transient(.notFound, notFound.meaning + target.others(among: received), hint: notFound.hint)
  }
  static let noAnswer = transient(
    .timedOut, "no answer came in time", hint: "try again, or \(.moreTime)"
  )
  static let notPaired = permanent(
    .notPaired, "the device requires a paired, encrypted connection for this attribute",
    hint: "pair with the device first: \(.pair); if it is paired already, it "
      + "requires an authenticated bond, so unpair it and pair with more capability"
  )
  /// Seen: without an agent, bluetoothd neither answers a read that needs a bond nor cancels it.
  static let pairingAwaited = permanent(
    .notPaired, "the device requires pairing for this attribute, and dropped the connection",
    hint: "pair with it first: \(.pair)"
  )
  /// Seen: an attribute that requires more than the bond provides is not answered at all.
  static let bondHint: Hint =
    "try again, or \(.moreTime); if the attribute is protected, the device may "
    + "require an authenticated bond: unpair it, and pair with more capability"
  /// A device without the key of the bond has the kernel disconnect, and that is all that a client
  /// sees before 5.83, which reports the reason.
  static let bondLostHint: Hint =
    "it is paired here: if it was reset, or paired with another host, it has lost the bond; remove "
    + "the bond here with \(.unpair), and pair again"
  static let pairingHint: Hint =
    "try again, or \(.moreTime); if the attribute is protected, the device "
    + "requires pairing first: \(.pair)"
}

// MARK: Endings of a link that is being made or ended

extension Cause {
  static let disconnectedMeanwhile = transient(
    .connectFailed, "the link was disconnected while it was being made",
    hint: "check that nothing else disconnects the device, and try again"
  )
  static let notReached = transient(
    .connectFailed,
    "the device did not respond, or the connection failed while it was being made",
    hint: "check that the device is on, near and not connected elsewhere; try again, "
      + "it often succeeds within five attempts"
  )
  static let lostWhileResolving = transient(
    .connectFailed, "the connection dropped before the device's services were read",
    hint: "bring the device closer and try again"
  ).again(.aborted)
  static let stillConnected = transient(
    .refused, "bluetoothd did not end the link",
    hint: "end it with bluetoothctl disconnect; if that fails too, power the adapter off and on"
  )
}

// MARK: Pairing

extension Cause {
  static let pairingUndone = permanent(
    .pairingFailed, "the device did not pair, for an unknown reason",
    hint: "put the device into pairing mode; remove an old bond on both sides (\(.unpair))"
  )

  /// The adapter was not pairable: bluetoothd requested a pairing without a bond.
  static let bondNotKept = transient(
    .pairingFailed,
    "the device paired, but bluetoothd keeps no bond: the agent of another program had left, and "
      + "the adapter was not pairable any more",
    hint: "disconnect, and pair again"
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
  static func refused(_ refusal: AgentDialogue.Rejection) -> Cause {
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
