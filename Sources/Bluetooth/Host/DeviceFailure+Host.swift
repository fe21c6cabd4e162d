// Failures of what this host's kernel keeps to itself.

extension DeviceFailure.Code {
  /// The process lacks a capability of the kernel, such as CAP_NET_RAW.
  public static let capabilityMissing = Self(rawValue: "capability-missing")
  /// The kernel has no Bluetooth sockets, or none for this process.
  public static let socketsMissing = Self(rawValue: "sockets-missing")
}
