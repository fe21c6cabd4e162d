// From an error reply to its meaning: one table for names, one for the texts of `Failed`.
//
// A pure function. The caller keeps the reply itself beside the meaning.

import BlueZInterfaces
import Bluetooth

enum ErrorMapping {
  /// The meaning of an error reply in a situation.
  static func explain(_ answer: ErrorAnswer, _ situation: ErrorSituation) -> Cause {
    if let problem = bus(answer, situation) { return problem }
    if situation.isAdapterOff { return .adapterOff }
    if situation.isGATT && situation.isLinkDown {
      return situation.wasDisconnected && answer == .gattNotConnected ? .notConnected : .linkLost
    }
    if let reason = ConnectionText(parsing: answer.text) { return connection(reason) }
    if situation.isGATT, let code = answer.attErrorCode {
      let isSubscription = [.notify, .acquireNotify].contains(situation.call)
      return code == .writeNotPermitted && isSubscription
        ? configurationNotPermitted : refusal(code)
    }
    if answer.name == BlueZErrorName.failed { return failed(answer.text, situation) }
    return named(answer, situation)
  }

  // MARK: Names of the bus

  private static func bus(_ answer: ErrorAnswer, _ situation: ErrorSituation) -> Cause? {
    switch answer.name {
    case BlueZErrorName.Bus.serviceUnknown, BlueZErrorName.Bus.nameHasNoOwner:
      return .daemonMissing
    case BlueZErrorName.Bus.noReply:
      // The bus sends this for a callee that left; our own deadlines have no D-Bus name.
      return answer == .recipientLeft ? .daemonLeft : .noAnswer
    case BlueZErrorName.Bus.timeout, BlueZErrorName.Bus.timedOut:
      return .noAnswer
    case BlueZErrorName.Bus.disconnected, BlueZErrorName.Bus.noServer,
      BlueZErrorName.Bus.noNetwork, BlueZErrorName.Bus.ioError:
      return .busLost
    case BlueZErrorName.Bus.accessDenied, BlueZErrorName.Bus.authFailed:
      return .busNotPermitted
    case BlueZErrorName.Bus.limitsExceeded, BlueZErrorName.Bus.noMemory:
      return .transient(
        .busy, "the message bus has reached one of its limits",
        hint: "wait for other work on this host to end, and try again"
      )
    case BlueZErrorName.Bus.unknownObject:
      return situation.call == .discovery
        ? .unavailable(
          .adapterMissing, "bluetoothd no longer has this adapter",
          hint: "plug it in again; bluetoothctl list shows the adapters there are"
        ) : .objectGone
    case BlueZErrorName.Bus.unknownMethod, BlueZErrorName.Bus.unknownInterface,
      BlueZErrorName.Bus.unknownProperty, BlueZErrorName.Bus.propertyReadOnly,
      BlueZErrorName.Bus.invalidSignature, BlueZErrorName.Bus.inconsistentMessage:
      return .permanent(
        .notSupported, "this bluetoothd does not offer the call",
        hint: "install a newer BlueZ; bluetoothctl --version shows the installed one"
      )
    case BlueZErrorName.Bus.invalidArguments:
      return .permanent(
        .notSupported, "bluetoothd does not accept the call's arguments",
        hint: "report it: it is an error in blerun, or an unsupported version of bluetoothd"
      )
    default:
      return answer.name.hasPrefix(BlueZErrorName.Bus.spawnPrefix) ? .daemonMissing : nil
    }
  }

  // MARK: Names of bluetoothd

  private static func named(_ answer: ErrorAnswer, _ situation: ErrorSituation) -> Cause {
    switch answer.name {
    case BlueZErrorName.inProgress:
      return inProgress(situation)
    case BlueZErrorName.notConnected:
      return .notConnected
    case BlueZErrorName.notReady, BlueZErrorName.blocked:
      return answer.name == BlueZErrorName.blocked ? .adapterBlocked : .adapterOff
    case BlueZErrorName.noSuchAdapter:
      return .unavailable(
        .adapterMissing, "bluetoothd has no such adapter",
        hint: "bluetoothctl list shows the adapters there are"
      )
    case BlueZErrorName.doesNotExist:
      return .transient(
        .notFound, "bluetoothd does not know the device", hint: "scan for it first (\(.scan))"
      )
    case BlueZErrorName.notPermitted:
      return notPermitted(answer.text, situation)
    case BlueZErrorName.notAuthorized:
      return .permanent(
        .notPermitted,
        situation.isGATT
          ? "the device, or bluetoothd for a service that it claims, refuses the access"
          : "bluetoothd refuses the request",
        hint: "pair with the device; for a service that bluetoothd claims, see "
          + "ExportClaimedServices in /etc/bluetooth/main.conf"
      )
    case BlueZErrorName.notSupported:
      return notSupported(situation)
    case BlueZErrorName.invalidArguments, BlueZErrorName.invalidLength,
      BlueZErrorName.invalidValueLength, BlueZErrorName.invalidOffset:
      return invalid(answer.text, situation)
    case BlueZErrorName.alreadyExists, BlueZErrorName.alreadyConnected:
      return .permanent(
        .refused, "it is already done",
        hint: "leave out the \(.step), or undo the earlier one first"
      )
    case BlueZErrorName.notAvailable, BlueZErrorName.busy:
      return .transient(.busy, "bluetoothd cannot do this now", hint: "wait a moment and try again")
    default:
      return pairing(answer, situation)
    }
  }

  private static func inProgress(_ situation: ErrorSituation) -> Cause {
    switch situation.call {
    case .connect: .connectBusy
    case .notify:
      .transient(
        .busy, "another subscription to this characteristic is being started or stopped",
        hint: "wait a moment and try again; close other programs that use the device"
      )
    case .pair: .pairBusy
    case .acquireNotify:
      .transient(
        .busy,
        "the characteristic cannot be acquired while a program is subscribed to it, this one or "
          + "another",
        hint: "close the other program, or use delivery by signals, which several "
          + "programs can share"
      )
    case .discovery, .disconnect, .read, .write, .acquireWrite, .objects: .busy
    }
  }

  private static func notSupported(_ situation: ErrorSituation) -> Cause {
    switch situation.call {
    case .notify:
      .permanent(
        .notSupported, "the characteristic supports neither notifications nor indications",
        hint: "\(.inspect) shows what each characteristic offers"
      )
    case .acquireNotify:
      .permanent(
        .notSupported,
        "the characteristic does not support notifications, and indications cannot be acquired",
        hint: "use delivery by signals; \(.inspect) shows what each "
          + "characteristic offers"
      )
    case .acquireWrite:
      .permanent(
        .notSupported,
        "the characteristic does not support write without response, so it cannot be acquired for "
          + "writing",
        hint: "write with requests; \(.inspect) shows what each characteristic offers"
      )
    case .write:
      .permanent(
        .notSupported,
        "the characteristic does not support this kind of write, or the device does not support "
          + "the request",
        hint: "\(.inspect) shows what each characteristic offers"
      )
    case .read:
      .permanent(
        .notSupported, "the device does not support the request",
        hint: "\(.inspect) shows what each characteristic offers"
      )
    case .connect, .disconnect, .discovery, .pair, .objects:
      .permanent(
        .notSupported, "the adapter or bluetoothd does not support this",
        hint: "check that the adapter is capable of Bluetooth LE (bluetoothctl show)"
      )
    }
  }

  static func unknown(_ situation: ErrorSituation) -> Cause {
    .permanent(
      situation.call == .connect ? .connectFailed : .unknown,
      "bluetoothd returned an unknown error",
      hint: "see its log (journalctl -u bluetooth) for more"
    )
  }
}
