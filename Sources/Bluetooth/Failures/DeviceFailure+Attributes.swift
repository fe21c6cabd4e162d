// The failure codes that only attribute operations have.

extension DeviceFailure.Code {
  /// The characteristic has no such descriptor.
  public static let descriptorMissing = Self(rawValue: "descriptor-missing")
}
