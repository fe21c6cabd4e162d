// Failures that come from the kernel of this host.

extension DeviceFailure.Code {
  /// The process lacks a capability of the kernel, such as CAP_NET_RAW.
  public static let capabilityMissing = Self(rawValue: "capability-missing")
  /// Nothing on this host has observed the connection parameters.
  public static let timingUnknown = Self(rawValue: "timing-unknown")
  /// The kernel has no Bluetooth sockets, or does not give them to this process.
  public static let socketsMissing = Self(rawValue: "sockets-missing")
}
