// How much a device file may ask for.

/// Bounds on definitions, so that every device fits its handles and no file is a burden.
package enum FileLimits {
  static let devices = 10_000
  package static let services = 64
  /// Of one device, in all services.
  package static let characteristics = 512
  /// Of one characteristic.
  package static let descriptors = 16
  /// Of one series.
  package static let values = 10_000
  /// Of one control point, and the actions of each.
  package static let responses = 256
  /// For UUIDs.
  static let names = 4096
  static let faults = 256
  static let burst = 1_000_000
  static let machines = 16
  static let adapters = 8
  /// Of one machine.
  static let states = 64
  /// Of one state.
  static let transitions = 256
  package static let advertisements = 16
  /// Octets of one attribute's value.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.2.9.
  package static let octets = 512
  /// Octets of a device's name.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part C §12.1.
  package static let name = 248
  /// What may lie between two values of a behaviour.
  package static let period = Duration.milliseconds(1)...Duration.seconds(86_400)
  /// How long an operation may be made to take.
  package static let delay = Duration.zero...Duration.seconds(3600)
}
