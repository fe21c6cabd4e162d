// What an error answer means to whoever ran the operation.

import Bluetooth

/// The meaning of an error: which failure it is, whether it may pass, and what to try.
struct Explanation: Equatable, Sendable {
  let code: DeviceFailure.Code
  let failureClass: FailureClass
  let meaning: String
  let hint: String

  private init(
    _ code: DeviceFailure.Code,
    _ failureClass: FailureClass,
    _ meaning: String,
    _ hint: String
  ) {
    self.code = code
    self.failureClass = failureClass
    self.meaning = meaning
    self.hint = hint
  }

  /// The same may succeed when it is tried again.
  static func passing(
    _ code: DeviceFailure.Code,
    _ meaning: String,
    hint: String
  ) -> Explanation {
    Explanation(code, .passing, meaning, hint)
  }

  /// The same will fail again.
  static func definite(
    _ code: DeviceFailure.Code,
    _ meaning: String,
    hint: String
  ) -> Explanation {
    Explanation(code, .definite, meaning, hint)
  }

  /// The bus, the daemon or the adapter is not there.
  static func unavailable(
    _ code: DeviceFailure.Code,
    _ meaning: String,
    hint: String
  ) -> Explanation {
    Explanation(code, .unavailable, meaning, hint)
  }
}

// MARK: Failures without an answer, and those that several answers share

extension Explanation {
  static let daemonMissing = unavailable(
    .daemonMissing,
    "bluetoothd is not on the bus",
    hint: "start it (systemctl start bluetooth), or run with --simulate"
  )
  static let daemonLeft = unavailable(
    .daemonMissing,
    "bluetoothd left the bus while this was under way",
    hint: "see why it stopped (journalctl -u bluetooth), start it and run again"
  )
  static let busLost = unavailable(
    .busLost,
    "the connection to the message bus ended",
    hint: "check that the bus is running (systemctl status dbus) and run again"
  )
  static let busNotPermitted = unavailable(
    .notPermitted,
    "the message bus does not let this user call bluetoothd",
    hint: "add the user to the group bluetooth, or run as root"
  )
  static let adapterOff = unavailable(
    .adapterOff,
    "the adapter is switched off",
    hint: "switch it on with bluetoothctl power on; rfkill unblock bluetooth if that is refused"
  )
  static let adapterBlocked = unavailable(
    .adapterOff,
    "the adapter is blocked by rfkill",
    hint: "rfkill unblock bluetooth, then bluetoothctl power on"
  )
  static let linkLost = passing(
    .linkLost,
    "the link to the device was lost",
    hint: "bring the device closer or check its power, and try again"
  )
  static let transactionTimedOut = passing(
    .linkLost,
    "the device did not answer within 30 s, so bluetoothd gives the link up",
    hint:
      "try again; if it stays so, restart the device; a protected attribute wants the device to "
      + "be paired first: a pair step, or blerun pair"
  )
  static let deviceRemoved = passing(
    .linkLost,
    "bluetoothd removed the device while it was in use",
    hint: "try again, and it is discovered anew; see that no other program removes it"
  )
  static let objectGone = passing(
    .linkLost,
    "bluetoothd no longer knows this object: the device or its services have gone",
    hint: "connect again, so that the device is found and its services are read anew"
  )
  static let notConnected = passing(
    .notConnected,
    "the device is not connected",
    hint: "connect first; after a loss of the link, connect again"
  )
  static let servicesUnread = passing(
    .notConnected,
    "the device is connected, and bluetoothd is still reading its services",
    hint: "connect first, which waits for them, also where another program has connected"
  )
  static let busy = passing(
    .busy,
    "bluetoothd is already doing this, for this program or another",
    hint: "wait a moment and try again; close other programs that use the device"
  )
  static let connectBusy = passing(
    .busy,
    "another program's attempt to connect to this device is under way",
    hint:
      "close other programs that use the device, or run with --take-over, which ends the attempt"
  )
  static let pairBusy = passing(
    .busy,
    "another pairing with this device is under way",
    hint: "wait a moment and try again; close other programs that pair with the device"
  )
  static let notFound = passing(
    .notFound,
    "no device that matches was seen",
    hint: "check that it is on, near and advertising (blerun scan shows what is), "
      + "and not connected to another host"
  )
  static let noAnswer = passing(
    .timedOut,
    "no answer came in time",
    hint: "try again, or allow more time with --timeout"
  )
  static let notPaired = definite(
    .notPaired,
    "the device wants a paired, encrypted link for this attribute",
    hint: "pair with the device first: a pair step, or blerun pair; if it is paired already, it "
      + "wants a passkey or a number compared, so unpair it and pair with more capability"
  )
  /// Seen: without an agent, bluetoothd neither answers a read that needs a bond nor gives it up.
  static let pairingAwaited = definite(
    .notPaired,
    "the device wants to be paired for this attribute, and dropped the link without an answer",
    hint: "pair with it first: a pair step, or blerun pair"
  )
  /// Seen: an attribute that wants more than the bond gives is not answered at all.
  static let bondHint =
    "try again, or allow more time with --timeout; if the attribute is protected, the device may "
    + "want a passkey or a number compared: unpair it, and pair with more capability"
  static let pairingHint =
    "try again, or allow more time with --timeout; if the attribute is protected, the device wants "
    + "to be paired first: a pair step, or blerun pair"
}

// MARK: Endings of a link that is being made or ended

extension Explanation {
  static let disconnectedMeanwhile = passing(
    .connectFailed,
    "the link was disconnected while it was being made",
    hint: "let no other part of the program disconnect the device meanwhile, and try again"
  )
  static let lostWhileResolving = passing(
    .connectFailed,
    "the link fell before the device's services were read",
    hint: "bring the device closer and try again"
  )
  static let stillConnected = passing(
    .refused,
    "bluetoothd did not end the link",
    hint: "end it with bluetoothctl disconnect; if that fails too, switch the adapter off and on"
  )
}
