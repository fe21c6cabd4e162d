// Failures of what this host's kernel keeps to itself, and to whom a failure happened.

extension DeviceFailure.Code {
  /// The process lacks a capability of the kernel, such as CAP_NET_RAW.
  public static let capabilityMissing = Self(rawValue: "capability-missing")
  /// The kernel has no Bluetooth sockets, or none for this process.
  public static let socketsMissing = Self(rawValue: "sockets-missing")
}

extension DeviceFailure {
  /// The same failure, of an operation on `device`.
  public func on(_ device: String) -> DeviceFailure {
    DeviceFailure(
      code: code,
      class: `class`,
      operation: operation,
      device: device,
      attribute: attribute,
      bluez: bluez,
      att: att,
      meaning: meaning,
      hint: hint
    )
  }
}
