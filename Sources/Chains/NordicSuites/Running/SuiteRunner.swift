// The runner of a suite, and its settings.
//
// TestRun runs each test.

public import Bluetooth
package import Jobs
public import RunEvents
public import Signals

/// Runs the tests of a suite in order, each in its own turn, and reports their events.
///
/// A failed test does not end the run. All devices are disconnected before the next test begins.
public struct SuiteRunner: Sendable {
  /// Creates the service of a device.
  public typealias MakeService = @Sendable (DeviceTarget) -> any Device

  public let suite: Suite
  public let scheduler: SerialScheduler
  public let identity: RunIdentity
  public var settings: SuiteSettings
  /// The devices of targets that have no address, by the targets' identifiers.
  public var devices: [String: DeviceTarget]
  /// Asks the user during pairing; nil if there is no user to ask.
  public var ask: PairingAnswers.Ask?
  /// Receives each operation with its limit, on the loop; nil if no view shows them.
  package var follow: (@Sendable (RunWait) -> Void)?
  let makeService: MakeService
  private let report: @Sendable (RunEvent) -> Void

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler of the tests and of all services.
  ///   - report: Called with each event when it happens, one at a time. If it stores events, the
  ///     event must be stored when it returns.
  public init(
    suite: Suite, scheduler: SerialScheduler, seed: UInt64,
    settings: SuiteSettings = SuiteSettings(), devices: [String: DeviceTarget] = [:],
    makeService: @escaping MakeService, report: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) {
    self.suite = suite
    self.scheduler = scheduler
    identity = Self.identity(of: suite, seed: seed)
    self.settings = settings
    self.devices = devices
    self.makeService = makeService
    self.report = report
  }

  /// Returns the identity of a run, which depends only on the suite and the seed.
  public static func identity(of suite: Suite, seed: UInt64) -> RunIdentity {
    RunIdentity(seed: seed, text: suite.lines.joined(separator: "\n"))
  }

  /// Runs the suite. The run ends early only if it is cancelled.
  public func run() async -> RunGroupEnding {
    let begun = scheduler.loop.now
    let group = RunGroup(kind: suite.kind.rawValue, title: suite.title, count: suite.runs.count)
    var bindings = devices
    for target in suite.targets where bindings[target.id] == nil {
      bindings[target.id] = target.address.map { .address($0) }
    }
    let device = device(of: nil, in: bindings)
    emit(.run(.groupStarted(group)), on: device, since: begun)
    let bound = Guarded(bindings)
    var results: [RunEnding] = []
    for (index, test) in suite.runs.enumerated() {
      let ending = await TestRun(self, test, index: index + 1, of: begun, bound).run()
      results.append(ending)
      if ending.status == .cancelled { break }
    }
    let ending = RunGroupEnding(results: results, notRun: suite.runs.count - results.count)
    emit(.run(.groupFinished(ending)), on: device, since: begun)
    return ending
  }

  /// Reports an event.
  ///
  /// - Parameters:
  ///   - test: The test of the event; nil for the suite.
  ///   - device: The name of its device in the output.
  ///   - begun: The start of the test, or of the suite.
  func emit(
    _ change: RunEvent.Change, of test: RunEvent.Test? = nil, on device: String,
    since begun: Instant
  ) {
    let now = scheduler.loop.now
    report(
      RunEvent(
        run: identity, device: device, test: test, attempt: 1,
        offset: now - begun,
        wallClock: scheduler.loop.wallClockAtStart + now.sinceStart, change: change
      )
    )
  }

  /// Returns the name of a target's device in the output; that of the target until it is bound.
  ///
  /// - Parameters:
  ///   - id: The target; nil for the first one.
  ///   - bindings: The devices of targets, by the targets' identifiers.
  func device(of id: String?, in bindings: [String: DeviceTarget]) -> String {
    guard let id = id ?? suite.targets.first?.id else { return "-" }
    return bindings[id]?.text ?? suite.targets.first { $0.id == id }?.name ?? id
  }
}

/// The times and rules that a suite does not specify.
public struct SuiteSettings: Hashable, Sendable {
  /// The default timeout of an operation.
  public var timeout = Duration.seconds(5)
  /// The pause after `connect` and `refresh`.
  var afterConnect = Duration.seconds(1)
  /// The pause between the last operation of a test and its clean-up.
  var afterTest = Duration.seconds(2)
  /// The timeout of waits that have none in the app; here every wait must have a limit.
  public var endless = Duration.seconds(3600)
  /// Whether an unsupported operation whose success is expected is a warning instead of a failure.
  public var warnsOfUnsupported: Bool

  /// Creates settings with the times of the app (5 s, 1 s and 2 s), and one hour for waits without a timeout.
  ///
  /// - Source: Nordic Semiconductor, nRF Connect for Android, documentation of automated tests.
  public init(warnsOfUnsupported: Bool = false) { self.warnsOfUnsupported = warnsOfUnsupported }
}
