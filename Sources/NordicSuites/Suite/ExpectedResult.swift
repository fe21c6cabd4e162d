// What an operation or an assertion is expected to end in.

/// The `expected` of an operation.
///
/// - Source: Nordic Semiconductor, nRF Connect for Android, documentation of automated tests.
public enum ExpectedResult: String, Hashable, Sendable, CaseIterable {
  case success = "SUCCESS"
  /// A failure is reported and does no harm.
  case successOrWarning = "SUCCESS_WARNING_ON_FAIL"
  case failure = "FAIL"
  /// A success is reported and does no harm.
  case failureOrWarning = "FAIL_WARNING_ON_SUCCESS"

  /// Whether a failure is what is hoped for.
  public var isFailure: Bool { self == .failure || self == .failureOrWarning }

  /// Whether the other result is only reported.
  public var isLenient: Bool { self == .successOrWarning || self == .failureOrWarning }
}

/// What an operation is expected to end in, and with which error.
public struct Expected: Hashable, Sendable {
  public var result: ExpectedResult
  /// The number that the failure must have; nil for any failure.
  public var errorCode: Int?

  public init(_ result: ExpectedResult = .success, errorCode: Int? = nil) {
    self.result = result
    self.errorCode = errorCode
  }
}
