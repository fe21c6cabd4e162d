// The kinds of failure that only attributes have.

extension DeviceFailure.Code {
  /// The characteristic has no such descriptor.
  public static let descriptorMissing = Self(rawValue: "descriptor-missing")
}
