// The expected result of an operation or an assertion.

/// The `expected` of an operation.
///
/// - Source: Nordic Semiconductor, nRF Connect for Android, documentation of automated tests.
public enum ExpectedResult: String, Hashable, Sendable, CaseIterable {
  case success = "SUCCESS"
  /// A failure is only reported.
  case successOrWarning = "SUCCESS_WARNING_ON_FAIL"
  case failure = "FAIL"
  /// A success is only reported.
  case failureOrWarning = "FAIL_WARNING_ON_SUCCESS"

  /// Whether a failure is expected.
  public var isFailure: Bool { self == .failure || self == .failureOrWarning }

  /// Whether the other result is only reported.
  public var isLenient: Bool { self == .successOrWarning || self == .failureOrWarning }
}

/// The expected result of an operation, and the expected error code.
public struct Expected: Hashable, Sendable {
  public var result: ExpectedResult
  /// The error code that the failure must have; nil for any failure.
  public var errorCode: Int?

  public init(_ result: ExpectedResult = .success, errorCode: Int? = nil) {
    self.result = result
    self.errorCode = errorCode
  }
}
