// The meanings of the texts of `org.bluez.Error.Failed`.

import BlueZInterfaces
import Bluetooth

extension ErrorMapping {
  /// `Failed`: only the text identifies the error.
  static func failed(_ text: String, _ situation: ErrorSituation) -> Cause {
    switch ErrorAnswer.failed(text) {
    case .gattNotConnected, .noTransport:
      return .notConnected
    case .connectPending:
      return inFlight(situation)
    case .inputOutputError:
      return .transient(
        situation.call == .connect ? .connectFailed : .refused,
        "the adapter refused to connect: it is off, or still ending the last connection",
        hint: "try again in a second; check that the adapter is on (bluetoothctl show)"
      )
    case .writeNotInitiated:
      return .permanent(
        .invalidValue, "the value is longer than one write command can carry",
        hint: "write at most the MTU less 3 bytes, or write with response"
      )
    case .noDiscoveryStarted:
      return .permanent(
        .refused, "bluetoothd has no discovery session of this program",
        hint: "scan again; the adapter may have been powered off or reset"
      )
    case .noNotifySession:
      return .permanent(
        .refused, "this program is not subscribed to the characteristic", hint: "subscribe first"
      )
    case .notPaired:
      return .notPaired
    case .operationFailed:
      return .transient(
        .refused, "the operation failed for an unknown reason",
        hint: "try again; see bluetoothd's log (journalctl -u bluetooth) for more"
      )
    // open: texts of bluetoothd
    default:
      return byErrno(text, situation)
    }
  }

  private static func inFlight(_ situation: ErrorSituation) -> Cause {
    switch situation.call {
    case .connect: .connectBusy
    case .pair: .pairBusy
    case .disconnect, .discovery, .read, .write, .notify, .acquireNotify, .acquireWrite, .objects:
      .busy
    }
  }

  /// Before 5.62, and for errors of local sockets, the text is that of `strerror`.
  private static func byErrno(_ text: String, _ situation: ErrorSituation) -> Cause {
    switch text {
    case "Host is down", "No route to host", "Connection timed out",
      "Software caused connection abort", "Connection refused", "Connection reset by peer",
      "Transport endpoint is not connected":
      return situation.call == .connect
        ? connection(.abortByLocal) : .linkLost
    case "Device or resource busy", "Operation now in progress",
      "Resource temporarily unavailable":
      return inFlight(situation)
    case "Network is down", "No such device":
      return .adapterOff
    case "Operation not permitted", "Permission denied":
      return .permanent(
        .notPermitted, "bluetoothd lacks the permission for this",
        hint: "see its log (journalctl -u bluetooth) for more"
      )
    case "Not paired":
      return situation.call == .pair ? .pairingUndone : .notPaired
    default:
      return situation.call == .connect
        ? .transient(
          .connectFailed, "the connection failed for an unknown reason",
          hint: "try again; see bluetoothd's log (journalctl -u bluetooth) for more"
        ) : unknown(situation)
    }
  }

  /// `le-connection-…` and `br-connection-…`.
  static func connection(_ reason: ConnectionText) -> Cause {
    switch reason {
    case .abortByLocal, .timeout, .unknown, .linkLayerProtocolError, .abortByRemote,
      .pageTimeout:
      return unreached(reason)
    case .canceled:
      return .transient(
        .connectFailed,
        "the attempt to connect was cancelled by a disconnect, or the connection dropped at once",
        hint: "try again; close other programs that use the device"
      )
    case .adapterNotPowered:
      return .adapterOff
    case .busy, .gattBrowsing, .alreadyConnected:
      return .connectBusy
    case .concurrentConnectionLimit:
      return .transient(
        .busy, "the adapter holds as many connections as it can",
        hint: "disconnect another device, and try again"
      )
    case .memoryAllocation, .createSocket, .badSocket:
      return .transient(
        .connectFailed, "bluetoothd could not set up the connection on this host",
        hint: "try again; if it persists, restart bluetoothd (systemctl restart bluetooth)"
      )
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
    default:
      return unreached(reason)
    }
  }

  private static func unreached(_ reason: ConnectionText) -> Cause {
    switch reason {
    case .abortByRemote:
      .transient(
        .connectFailed, "the device ended the connection while it was being made",
        hint: "try again; it may be busy, or accept only bonded hosts"
      )
    default:
      .transient(
        .connectFailed,
        "the device did not respond, or the connection failed while it was being made",
        hint: "check that the device is on, near and not connected elsewhere; try again, "
          + "it often succeeds within five attempts"
      )
    }
  }
}
