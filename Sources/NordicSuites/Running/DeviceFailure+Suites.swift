// The kinds of failure that only suites have.

public import Bluetooth

extension DeviceFailure.Code {
  /// A target of a suite that is no device yet.
  public static let targetNotBound = Self(rawValue: "target-not-bound")
  /// An operation of a suite that this host has no way of doing.
  public static let notSupportedHere = Self(rawValue: "not-supported-here")
}
