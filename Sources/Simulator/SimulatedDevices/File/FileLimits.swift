// The limits of a device file.

/// Bounds on definitions, so that the attributes of every device fit into its handles, and memory
/// is bounded.
package enum FileLimits {
  static let devices = 10_000
  package static let services = 64
  /// The characteristics of one device, in all services.
  package static let characteristics = 512
  /// The descriptors of one characteristic.
  package static let descriptors = 16
  /// The values of one series.
  package static let values = 10_000
  /// The rules of one control point, and the actions of each.
  package static let responses = 256
  /// The names for UUIDs.
  static let names = 4096
  static let faults = 256
  static let burst = 1_000_000
  static let machines = 16
  static let adapters = 8
  /// The states of one machine.
  static let states = 64
  /// The transitions of one state.
  static let transitions = 256
  package static let advertisements = 16
  /// The bytes of one attribute's value.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.2.9.
  package static let octets = 512
  /// The bytes of a device's name.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part C §12.1.
  package static let name = 248
  /// The time between two values of a behaviour.
  package static let period = Duration.milliseconds(1)...Duration.seconds(86_400)
  /// The delay of an operation.
  package static let delay = Duration.zero...Duration.seconds(3600)
}
