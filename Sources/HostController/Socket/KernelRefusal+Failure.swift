// What a refused system call means for the operation that needed it.

import Bluetooth
import Glibc

extension KernelRefusal {
  /// The failure of an operation that needed the call.
  func failure(_ operation: String) -> DeviceFailure {
    let (code, meaning, hint) = explanation
    return DeviceFailure(
      code: code,
      class: code == .busy ? .passing : .unavailable,
      operation: operation,
      meaning: meaning,
      hint: hint
    )
  }

  private var explanation: (DeviceFailure.Code, String, Hint) {
    switch errorNumber {
    // The monitor channel needs it, and so do commands that are not read-only.
    case EPERM, EACCES:
      (
        .capabilityMissing, "this needs the capability CAP_NET_RAW",
        "sudo setcap cap_net_raw,cap_net_admin+eip \"$(command -v blerun)\", or run it as root"
      )
    case EAFNOSUPPORT, EPROTONOSUPPORT:
      (
        .socketsMissing, "the kernel has no Bluetooth sockets for this process",
        "load the kernel's bluetooth module; in a container, use the host's network"
      )
    case ENODEV:
      (.adapterMissing, "the adapter is gone", "plug it in again; blerun adapters lists them")
    case ENETDOWN:
      (.adapterOff, "the adapter is off", "power it on: bluetoothctl power on")
    case EBUSY:
      (
        .busy, "another program has exclusive access to the adapter",
        "end that program and try again"
      )
    default:
      (.unknown, "the kernel refused the call: \(String(cString: strerror(errorNumber)))", "")
    }
  }
}
