// What a refused system call means for the one who wanted something of the kernel.

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

  private var explanation: (DeviceFailure.Code, String, String) {
    switch errorNumber {
    // Listening to the monitor channel needs it, and so do commands that do not only read.
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
      (.adapterOff, "the adapter is off", "switch it on: bluetoothctl power on")
    case EBUSY:
      (.busy, "another program holds the adapter for itself", "end that program and try again")
    default:
      (.unknown, "the kernel refused it: \(String(cString: strerror(errorNumber)))", "")
    }
  }
}
