// Failures of what this host's kernel keeps to itself.

extension DeviceFailure.Code {
  /// The process lacks a capability of the kernel, such as CAP_NET_RAW.
  public static let capabilityMissing = Self(rawValue: "capability-missing")
  /// Nothing on this host knows the timing of the link.
  public static let timingUnknown = Self(rawValue: "timing-unknown")
  /// The kernel has no Bluetooth sockets, or none for this process.
  public static let socketsMissing = Self(rawValue: "sockets-missing")
}
