// What a run of a suite leaves to whoever starts it.

/// Times and rules that a suite does not write down.
public struct SuiteSettings: Hashable, Sendable {
  /// How long an operation may take that has no time of its own.
  public var timeout: Duration
  /// The pause after `connect` and `refresh`.
  public var afterConnect: Duration
  /// The pause between the last operation of a test and its clean-up.
  public var afterTest: Duration
  /// How long what waits without end does wait: every wait has a deadline.
  public var endless: Duration
  /// Whether what this host cannot do is a warning, where the suite expects success.
  public var warnsOfUnsupported: Bool

  /// The times of the application: 5 s, 1 s and 2 s; and an hour for what is endless there.
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
