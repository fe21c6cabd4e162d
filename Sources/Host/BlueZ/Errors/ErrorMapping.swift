// The meanings of error replies: one table, with what Connect does after each.
//
// A pure function. Refusal tells the errors apart; the caller keeps the reply itself beside the meaning.

import BlueZInterfaces
import Bluetooth

enum ErrorMapping {
  /// The meaning of an error reply in a situation: an error of the bus first, then what is known of
  /// the adapter and the connection, then what bluetoothd reports.
  static func explain(_ answer: ErrorAnswer, _ situation: ErrorSituation) -> Cause {
    let refusal = answer.refusal
    if refusal.isOfBus { return meaning(refusal, situation) }
    if situation.isAdapterOff { return .adapterOff }
    if situation.isGATT && situation.isLinkDown {
      return situation.wasDisconnected && refusal == .gattNotConnected ? .notConnected : .linkLost
    }
    return meaning(refusal, situation)
  }

  /// The table. A meaning says after which failures another attempt of Connect is worthwhile, with
  /// `again`; after the others, it is not.
  static func meaning(_ refusal: Refusal, _ situation: ErrorSituation) -> Cause {
    let call = situation.call
    switch refusal {
    // The bus
    case .daemonMissing: return .daemonMissing
    case .daemonLeft: return .daemonLeft
    case .noReply: return .noAnswer
    case .busLost: return .busLost
    case .busDenied: return .busNotPermitted
    case .busExhausted:
      return .transient(
        .busy, "the message bus has reached one of its limits",
        hint: "wait for other work on this host to end, and try again"
      )
    case .unknownObject: return call == .discovery ? .adapterGone : .objectGone
    case .unknownCall:
      return .permanent(
        .notSupported, "this bluetoothd does not offer the call",
        hint: "install a newer BlueZ; bluetoothctl --version shows the installed one"
      )
    case .malformedCall:
      return .permanent(
        .notSupported, "bluetoothd does not accept the call's arguments",
        hint: "report it: it is an error in blerun, or an unsupported version of bluetoothd"
      )

    // The adapter and the device
    case .notReady: return .adapterOff.again(.notReady)
    case .blocked: return .adapterBlocked
    case .networkDown: return .adapterOff
    case .noSuchAdapter:
      return .unavailable(
        .adapterMissing, "bluetoothd has no such adapter",
        hint: "bluetoothctl list shows the adapters there are"
      )
    case .doesNotExist:
      return Cause.transient(
        .notFound, "bluetoothd does not know the device", hint: "scan for it first (\(.scan))"
      ).again(.vanished)
    case .notConnected, .gattNotConnected, .noTransport: return .notConnected
    case .inProgress: return inProgress(call).again(.inProgress)
    case .connectPending: return inFlight(call).again(.inProgress)
    case .resourceBusy: return inFlight(call).again(.busy)
    case .busy:
      return Cause.transient(
        .busy, "bluetoothd cannot do this now", hint: "wait a moment and try again"
      ).again(.busy)
    case .alreadyExists, .alreadyConnected:
      return .permanent(
        .refused, "it is already done",
        hint: "leave out the \(.step), or undo the earlier one first"
      )
    case .notSupported: return notSupported(call)
    case .notAuthorized:
      return .permanent(
        .notPermitted,
        situation.isGATT
          ? "the device, or bluetoothd for a service that it claims, refuses the access"
          : "bluetoothd refuses the request",
        hint: "pair with the device; for a service that bluetoothd claims, see "
          + "ExportClaimedServices in /etc/bluetooth/main.conf"
      )
    case .notPermitted:
      return .permanent(
        .notPermitted, "bluetoothd does not permit this",
        hint: "see its log (journalctl -u bluetooth) for more"
      )
    case .denied:
      return .permanent(
        .notPermitted, "bluetoothd lacks the permission for this",
        hint: "see its log (journalctl -u bluetooth) for more"
      )
    case .invalidArguments:
      return .permanent(
        .invalidValue, "bluetoothd does not accept the arguments",
        hint: call == .discovery
          ? "check the scan's filter" : "check the value and the options of the \(.step)"
      )
    case .noDiscovery:
      return .permanent(
        .refused, "bluetoothd has no discovery session of this program",
        hint: "scan again; the adapter may have been powered off or reset"
      )

    // Connecting
    case .connection(let reason): return connection(reason)
    case .notSettled:
      return Cause.transient(
        call == .connect ? .connectFailed : .refused,
        "the adapter refused to connect: it is off, or still ending the last connection",
        hint: "try again in a second; check that the adapter is on (bluetoothctl show)"
      ).again(.notSettled)
    case .connectionAborted:
      return call == .connect ? .notReached.again(.aborted) : .linkLost
    case .connectionRefused: return call == .connect ? .notReached : .linkLost
    case .pageTimeout:
      return .transient(
        .connectFailed, "the device did not respond to the attempt to connect",
        hint: "check that it is on, near and advertising"
      )

    // Attributes
    case .att(.writeNotPermitted) where call == .notify || call == .acquireNotify:
      // A subscription writes the configuration, which is what the device does not permit.
      return .permanent(
        .notPermitted,
        "the device does not permit writing the configuration that enables its notifications",
        hint: "\(.inspect) shows the descriptors: where a characteristic has no Client "
          + "Characteristic Configuration, bluetoothd takes its only descriptor for one"
      )
    case .att(let code): return refused(by: code)
    case .invalidLength: return refused(by: .invalidAttributeValueLength)
    case .writeAcquired: return acquired(for: "writing", situation)
    case .notifyAcquired: return acquired(for: "notifications", situation)
    case .writeNotInitiated:
      return .permanent(
        .invalidValue, "the value is longer than one write command can carry",
        hint: "write at most the MTU less 3 bytes, or write with response"
      )
    case .noNotifySession:
      return .permanent(
        .refused, "this program is not subscribed to the characteristic", hint: "subscribe first"
      )
    case .operationFailed:
      return .transient(
        .refused, "the operation failed for an unknown reason",
        hint: "try again; see bluetoothd's log (journalctl -u bluetooth) for more"
      )

    // Pairing
    // - Source: BlueZ 5.66, `src/device.c` (btd_device_bonding_failed and new_authentication_reply).
    case .authenticationTimeout:
      return .transient(
        .pairingFailed, "pairing was not completed in time",
        hint: "put the device into pairing mode, answer its requests within 30 s and try again"
      )
    case .authenticationCanceled:
      return .transient(
        .pairingFailed, "pairing was cancelled, or the link was lost",
        hint: "put the device into pairing mode, stay near it and try again"
      )
    case .authenticationRejected:
      return .permanent(
        .pairingFailed, "the device, or the user of an agent, rejected the pairing",
        hint: "put the device into pairing mode; remove an old bond on both sides"
      )
    case .authenticationFailed:
      return .permanent(
        .pairingFailed, "the device rejected the pairing, or a passkey or number was wrong",
        hint: "check the passkey; put the device into pairing mode; remove an old bond on both "
          + "sides (\(.unpair), and on the device)"
      )
    case .noAgent:
      return .permanent(.pairingFailed, "no pairing agent is registered", hint: "\(.pairWithAgent)")
    case .unpaired: return call == .pair ? .pairingUndone : .notPaired

    // Others
    case .failed where call == .connect:
      return .transient(
        .connectFailed, "the connection failed for an unknown reason",
        hint: "try again; see bluetoothd's log (journalctl -u bluetooth) for more"
      )
    case .failed, .unknown: return unknown(situation)
    }
  }

  static func unknown(_ situation: ErrorSituation) -> Cause {
    .permanent(
      situation.call == .connect ? .connectFailed : .unknown,
      "bluetoothd returned an unknown error",
      hint: "see its log (journalctl -u bluetooth) for more"
    )
  }

  // MARK: Meanings that depend on the call

  private static func inProgress(_ call: ErrorSituation.Call) -> Cause {
    switch call {
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

  private static func notSupported(_ call: ErrorSituation.Call) -> Cause {
    switch call {
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

  private static func inFlight(_ call: ErrorSituation.Call) -> Cause {
    switch call {
    case .connect: .connectBusy
    case .pair: .pairBusy
    case .disconnect, .discovery, .read, .write, .notify, .acquireNotify, .acquireWrite, .objects:
      .busy
    }
  }

  private static func acquired(for what: String, _ situation: ErrorSituation) -> Cause {
    situation.isWriteAcquiredLocally
      ? .transient(
        .busy, "a writer of this program has acquired this characteristic for writing",
        hint: "write with that writer, or end it first"
      )
      : .transient(
        .busy, "the characteristic is acquired by another program for \(what)",
        hint: "close the other program, or disconnect the device; if there is none, bluetoothd "
          + "before 5.84 has kept a failed attempt: unpair the device to clear it"
      )
  }

  // MARK: Reasons of failed connections

  /// `le-connection-…` and `br-connection-…`.
  private static func connection(_ reason: ConnectionText) -> Cause {
    switch reason {
    case .abortByLocal, .timeout, .unknown, .linkLayerProtocolError:
      return .notReached.again(.aborted)
    case .abortByRemote:
      return Cause.transient(
        .connectFailed, "the device ended the connection while it was being made",
        hint: "try again; it may be busy, or accept only bonded hosts"
      ).again(.aborted)
    case .canceled:
      return Cause.transient(
        .connectFailed,
        "the attempt to connect was cancelled by a disconnect, or the connection dropped at once",
        hint: "try again; close other programs that use the device"
      ).again(.aborted)
    case .adapterNotPowered: return .adapterOff.again(.notReady)
    case .busy, .gattBrowsing: return .connectBusy.again(.busy)
    case .alreadyConnected: return .connectBusy.again(.notSettled)
    case .concurrentConnectionLimit:
      return Cause.transient(
        .busy, "the adapter holds as many connections as it can",
        hint: "disconnect another device, and try again"
      ).again(.busy)
    case .memoryAllocation, .createSocket, .badSocket:
      return Cause.transient(
        .connectFailed, "bluetoothd could not set up the connection on this host",
        hint: "try again; if it persists, restart bluetoothd (systemctl restart bluetooth)"
      ).again(.busy)
    case .refused:
      return .transient(
        .connectFailed, "the device refused the connection",
        hint: "disconnect it from any other host, or pair with it first: \(.pair)"
      )
    case .keyMissing:
      return .permanent(
        .notPermitted, "the device has lost the bond that this host still has",
        hint: "remove the device (bluetoothctl remove) and pair again"
      )
    case .profileUnavailable, .sdpSearch:
      return .permanent(
        .notSupported,
        "bluetoothd tried to connect over BR/EDR, where the device offers no known profile",
        hint: "remove the device (bluetoothctl remove) and scan for LE only: it is dual-mode"
      )
    case .notSupported, .invalidArguments:
      return .permanent(
        .notSupported, "the adapter or the device does not support such a connection",
        hint: "check that the adapter is capable of Bluetooth LE (bluetoothctl show)"
      )
    // open: reasons in texts of bluetoothd
    default: return .notReached
    }
  }

  // MARK: ATT errors

  /// The peer returned an ATT error code.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.4.1.1 (Error codes); Core Specification
  ///   Supplement 11, Part B (Common profile and service error codes).
  static func refused(by code: ATTErrorCode) -> Cause {
    switch code.rawValue {
    case 0x01, 0x12:
      // The device does not know the attribute that bluetoothd has read from it.
      return .permanent(
        .refused, "the device refused: \(code.meaning)",
        hint:
          "after a firmware update, bluetoothd may use the old services that it has cached: \(.fresh)"
      )
    case 0x02:
      return .permanent(
        .notPermitted, "the device does not permit reading this attribute",
        hint: "\(.inspect) shows what each characteristic offers"
      )
    case 0x03:
      return .permanent(
        .notPermitted, "the device does not permit writing this attribute",
        hint: "\(.inspect) shows what each characteristic offers"
      )
    case 0x05, 0x0c, 0x0f:
      return .notPaired
    case 0x07:
      return .permanent(
        .invalidValue, "the offset lies beyond the end of the value",
        hint: "read or write from the start of the value"
      )
    case 0x0b:
      return .permanent(
        .refused,
        "the value fits into one response; this device reads only longer values from an "
          + "offset",
        hint: "read it from the start"
      )
    case 0x0d:
      return .permanent(
        .invalidValue, "the value has a length that the attribute does not accept",
        hint: "a value has at most 512 bytes; see the device's documentation for its limit"
      )
    case 0x0e:
      return .transient(
        .refused, "the device reported an unlikely error, or did not respond within 30 s",
        hint:
          "try again; if it persists, restart the device; a protected attribute requires pairing "
          + "first: \(.pair)"
      )
    case 0x11, 0xfe:
      return .transient(
        .busy, "the device cannot do this now: \(code.meaning)",
        hint: "wait a moment and try again"
      )
    case 0x80...0x9f:
      return .permanent(
        .refused, "the device returned \(code.meaning)",
        hint: "see the device's documentation for this code"
      )
    default:
      return .permanent(
        .refused, "the device refused: \(code.meaning)",
        hint: "check the value and the order of the \(.step)s against the device's documentation"
      )
    }
  }
}

extension Refusal {
  /// Whether the bus itself reports it, or bluetoothd's object layer: whatever the state of the adapter.
  fileprivate var isOfBus: Bool {
    let all: Set<Refusal> = [
      .daemonMissing, .daemonLeft, .noReply, .busLost, .busDenied, .busExhausted, .unknownObject,
      .unknownCall, .malformedCall,
    ]
    return all.contains(self)
  }
}
