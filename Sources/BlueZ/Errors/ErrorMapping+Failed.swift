// What the texts of `org.bluez.Error.Failed` mean.

import BlueZInterfaces
import Bluetooth

extension ErrorMapping {
  /// `Failed`: the text alone tells what happened.
  static func failed(_ text: String, _ situation: ErrorSituation) -> Explanation {
    switch ErrorAnswer.failed(text) {
    case .gattNotConnected, .noTransport:
      return .notConnected
    case .connectPending:
      return inFlight(situation)
    case .inputOutputError:
      return .passing(
        situation.call == .connect ? .connectFailed : .refused,
        "the adapter refused to begin: it is off, or still ending the last connection",
        hint: "try again in a second; check that the adapter is on (bluetoothctl show)"
      )
    case .writeNotInitiated:
      return .definite(
        .invalidValue,
        "the value is longer than one write command can carry",
        hint: "write at most three octets less than the MTU, or write with response"
      )
    case .noDiscoveryStarted:
      return .definite(
        .refused,
        "bluetoothd has no discovery of this program's to end",
        hint: "scan again; the adapter may have been switched off or reset meanwhile"
      )
    case .noNotifySession:
      return .definite(
        .refused,
        "this program is not subscribed to the characteristic",
        hint: "subscribe first"
      )
    case .notPaired:
      return .notPaired
    case .operationFailed:
      return .passing(
        .refused,
        "the operation failed without a reason given",
        hint: "try again; see bluetoothd's log (journalctl -u bluetooth) for more"
      )
    default:
      return byErrno(text, situation)
    }
  }

  private static func inFlight(_ situation: ErrorSituation) -> Explanation {
    switch situation.call {
    case .connect: .connectBusy
    case .pair: .pairBusy
    case .disconnect, .discovery, .read, .write, .notify, .acquireNotify, .acquireWrite, .objects:
      .busy
    }
  }

  /// Before 5.62, and for errors of local sockets, the text is that of `strerror`.
  private static func byErrno(_ text: String, _ situation: ErrorSituation) -> Explanation {
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
      return .definite(
        .notPermitted,
        "the system does not permit this to bluetoothd",
        hint: "see its log (journalctl -u bluetooth) for more"
      )
    case "Not paired":
      return situation.call == .pair ? .pairingUndone : .notPaired
    default:
      return situation.call == .connect
        ? .passing(
          .connectFailed,
          "the connection failed for a reason that blerun does not know",
          hint: "try again; see bluetoothd's log (journalctl -u bluetooth) for more"
        ) : unknown(situation)
    }
  }

  /// `le-connection-…` and `br-connection-…`.
  static func connection(_ reason: ConnectionText) -> Explanation {
    switch reason {
    case .abortByLocal, .timeout, .unknown, .linkLayerProtocolError, .abortByRemote,
      .pageTimeout:
      return unreached(reason)
    case .canceled:
      return .passing(
        .connectFailed,
        "the attempt to connect was cancelled: by a disconnect, or because the link fell at once",
        hint: "try again; close other programs that use the device"
      )
    case .adapterNotPowered:
      return .adapterOff
    case .busy, .gattBrowsing, .alreadyConnected:
      return .connectBusy
    case .concurrentConnectionLimit:
      return .passing(
        .busy,
        "the adapter holds as many connections as it can",
        hint: "disconnect another device, and try again"
      )
    case .memoryAllocation, .createSocket, .badSocket:
      return .passing(
        .connectFailed,
        "bluetoothd could not set up the connection on this host",
        hint: "try again; if it stays, restart bluetoothd (systemctl restart bluetooth)"
      )
    case .refused:
      return .passing(
        .connectFailed,
        "the device refused the connection",
        hint: "disconnect it from any other host, or pair with it first (blerun pair)"
      )
    case .keyMissing:
      return .definite(
        .notPermitted,
        "the device has forgotten the bond that this host still has",
        hint: "remove the device (bluetoothctl remove) and pair again"
      )
    case .profileUnavailable, .sdpSearch:
      return .definite(
        .notSupported,
        "bluetoothd tried to connect over BR/EDR, where nothing it knows is offered",
        hint: "remove the device (bluetoothctl remove) and scan for LE only: it is dual-mode"
      )
    case .notSupported, .invalidArguments:
      return .definite(
        .notSupported,
        "the adapter or the device does not support such a connection",
        hint: "check that the adapter is capable of Bluetooth LE (bluetoothctl show)"
      )
    // open: reasons in texts of bluetoothd
    default:
      return unreached(reason)
    }
  }

  private static func unreached(_ reason: ConnectionText) -> Explanation {
    switch reason {
    case .abortByRemote:
      .passing(
        .connectFailed,
        "the device ended the connection while it was being made",
        hint: "try again; it may be busy, or accept only bonded hosts"
      )
    default:
      .passing(
        .connectFailed,
        "the device did not answer, or the link failed as it was being made",
        hint: "check that the device is on, near and not connected elsewhere; try again, "
          + "it often succeeds within five attempts"
      )
    }
  }
}
