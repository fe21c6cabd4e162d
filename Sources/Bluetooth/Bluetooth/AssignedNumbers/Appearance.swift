// The Appearance characteristic: the kind of a device.

/// The names of the appearance values: a category in the upper ten bits, and a kind of it.
///
/// - Source: Bluetooth Assigned Numbers, "Appearance Values".
public enum Appearance {
  /// "Heart Rate Sensor", or "Heart Rate Sensor: Heart Rate Belt"; nil for an unassigned value.
  ///
  /// ```swift
  /// print(Appearance.name(0x0340) ?? "unassigned")  // Heart Rate Sensor
  /// ```
  public static func name(_ value: UInt16) -> String? { names.known(UInt64(value)) }

  /// The value for a name that ``name(_:)`` returns; nil for other texts.
  ///
  /// ```swift
  /// print(Appearance.value(named: "Heart Rate Sensor") == 0x0340)  // true
  /// ```
  public static func value(named name: String) -> UInt16? {
    names.number(name).flatMap { UInt16(exactly: $0) }
  }

  static let names = Names(pairs: lines.entries)

  static let lines = AssignedLines(PackageResources.appearances_txt) { UInt64($0, radix: 16) }
}
