// The settings of a run of a suite.

/// Times and rules that a suite does not specify.
public struct SuiteSettings: Hashable, Sendable {
  /// The default timeout of an operation.
  public var timeout: Duration
  /// The pause after `connect` and `refresh`.
  public var afterConnect: Duration
  /// The pause between the last operation of a test and its clean-up.
  public var afterTest: Duration
  /// The timeout of waits that have none in the app: every wait has a deadline.
  public var endless: Duration
  /// Whether an unsupported operation is a warning instead of a failure, where success is expected.
  public var warnsOfUnsupported: Bool

  /// The times of the app: 5 s, 1 s and 2 s; and one hour for waits without a timeout.
  ///
  /// - Source: Nordic Semiconductor, nRF Connect for Android, documentation of automated tests.
  public init(
    timeout: Duration = .seconds(5),
    afterConnect: Duration = .seconds(1),
    afterTest: Duration = .seconds(2),
    endless: Duration = .seconds(3600),
    warnsOfUnsupported: Bool = false
  ) {
    self.timeout = timeout
    self.afterConnect = afterConnect
    self.afterTest = afterTest
    self.endless = endless
    self.warnsOfUnsupported = warnsOfUnsupported
  }
}
