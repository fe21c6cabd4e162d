// Failed queries of the kernel or a controller, and the failures that they are reported as.

import Bluetooth
import Glibc

/// A query without a result.
enum HostProblem: Error, Equatable {
  /// The kernel has no such connection.
  case noLink
  /// The controller refused a command.
  case refused(HCIStatus)
  /// The controller answered that it does not know the level.
  case levelUnknown
  /// The controller has no commands for the PHY.
  case noPHYCommand
  /// The controller lacks a PHY.
  case noPHY(PHY)
  /// The controller of the device cannot change the PHY.
  case noRemotePHY
  /// The controller reported a PHY that has no name here.
  case phyUnknown
  /// The management interface refused a command.
  case refusedByKernel(status: UInt8)
  /// No trace is running that could have observed the events of the controllers.
  case untraced
  /// The connection was made before the trace started.
  case madeUntraced
  case noAdapter(String)
  /// A system call failed, with this error number.
  case systemCall(Int32)

  /// The problem of a command about a connection that was refused.
  init(_ status: HCIStatus) { self = status == .unknownConnection ? .noLink : .refused(status) }

  /// The failure of an operation that needed the reply.
  func failure(_ operation: String) -> DeviceFailure {
    let (code, meaning, hint) = explanation
    return DeviceFailure(
      code: code, class: failureClass, operation: operation, meaning: meaning, hint: hint
    )
  }

  private var failureClass: FailureClass {
    switch self {
    case .noLink, .systemCall(EBUSY): .passing
    case .refused(let status) where status.isBusy: .passing
    case .refused, .levelUnknown, .noPHYCommand, .noPHY, .noRemotePHY, .phyUnknown: .definite
    case .refusedByKernel, .untraced, .madeUntraced, .noAdapter, .systemCall: .unavailable
    }
  }

  private var explanation: (DeviceFailure.Code, String, Hint) {
    switch self {
    case .noLink: (.notConnected, "the kernel has no connection to it", "connect first")
    case .refused(let status):
      (
        status == .unknownCommand ? .notSupported : status.isBusy ? .busy : .refused,
        "the controller answered \(status)", ""
      )
    case .levelUnknown:
      (.notSupported, "the controller does not report it", "use another adapter")
    case .noPHYCommand:
      (
        .notSupported,
        "the adapter cannot change or report the PHY: its controller answered "
          + "\(HCIStatus.unknownCommand)",
        "use an adapter with Bluetooth 5"
      )
    case .noPHY(let phy):
      (
        .notSupported,
        "the adapter lacks the PHY \(phy.rawValue): its controller answered "
          + "\(HCIStatus.unsupportedFeature)",
        "use another adapter"
      )
    // `notSupported` is for what this host lacks.
    case .noRemotePHY:
      (
        .refused,
        "the device cannot change its PHY: the controller answered "
          + "\(HCIStatus.unsupportedRemoteFeature)",
        "stay on 1m, the PHY of every device"
      )
    case .phyUnknown:
      (.notSupported, "the controller reports a PHY that is not known here", "")
    case .refusedByKernel(let status):
      (
        .refused, "the kernel's management interface answered status \(status)",
        "see doc/mgmt-api.txt of BlueZ"
      )
    case .untraced:
      (
        .timingUnknown,
        "the parameters are unknown: a controller reports them when a connection is made or "
          + "updated, and they cannot be read later",
        "run with --trace FILE, which needs CAP_NET_RAW"
      )
    case .madeUntraced:
      (
        .timingUnknown,
        "the parameters are unknown: the connection was made before the trace started, or "
          + "to a private address of the device",
        "disconnect the device first, so that this run makes the connection"
      )
    case .noAdapter(let name):
      (.adapterMissing, "unknown adapter '\(name)'", "blerun adapters lists them")
    // The monitor channel needs this privilege, as do commands that are not read-only.
    case .systemCall(EPERM), .systemCall(EACCES):
      (
        .capabilityMissing, "this needs the capability CAP_NET_RAW",
        "sudo setcap cap_net_raw,cap_net_admin+eip \"$(command -v blerun)\", or run it as root"
      )
    case .systemCall(EAFNOSUPPORT), .systemCall(EPROTONOSUPPORT):
      (
        .socketsMissing, "the kernel has no Bluetooth sockets for this process",
        "load the kernel's bluetooth module; in a container, use the host's network"
      )
    case .systemCall(ENODEV):
      (.adapterMissing, "the adapter is gone", "plug it in again; blerun adapters lists them")
    case .systemCall(ENETDOWN):
      (.adapterOff, "the adapter is off", "power it on: bluetoothctl power on")
    case .systemCall(EBUSY):
      (
        .busy, "another program has exclusive access to the adapter",
        "end that program and try again"
      )
    case .systemCall(let number):
      (.unknown, "the kernel refused the call: \(String(cString: strerror(number)))", "")
    }
  }
}

extension HCIAnswer {
  /// The level in dBm that a controller reported for a connection.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.5.4 (127: not known).
  func level(of handle: UInt16) throws(HostProblem) -> Int {
    switch self {
    case .refused(let status): throw HostProblem(status)
    case .done(let parameters):
      var reader = PacketReader(parameters)
      guard reader.uint16() == handle, let level = reader.int8(), level != 127 else {
        throw .levelUnknown
      }
      return level
    }
  }
}

extension ManagementAnswer {
  /// The return parameters.
  func parameters() throws(HostProblem) -> [UInt8] {
    switch self {
    case .done(let parameters): return parameters
    case .refused(let status): throw .refusedByKernel(status: status)
    }
  }
}
