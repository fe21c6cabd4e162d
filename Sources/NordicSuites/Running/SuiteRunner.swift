// A suite on its devices: cold until it is run.

public import Bluetooth
public import Jobs
public import Signals

/// Runs the tests of a suite in order, each in a turn of its own, telling of everything.
///
/// A test that fails does not keep the next from being run. What it connected is disconnected before
/// the next begins.
public struct SuiteRunner: Sendable {
  /// Makes the operations on a device; called as a target is bound.
  public typealias MakeService = @Sendable (DeviceTarget) -> any DeviceService

  public let suite: Suite
  public let scheduler: SerialScheduler
  public let identity: RunIdentity
  public var settings: SuiteSettings
  /// The devices of targets that have no address, by their identifiers.
  public var devices: [String: DeviceTarget]
  /// Asks a person what pairing wants to know; nil: there is nobody.
  public var ask: PairingAnswers.Ask?
  let makeService: MakeService
  let report: @Sendable (SuiteEvent) -> Void

  /// Describes a run; nothing happens yet.
  ///
  /// - Parameters:
  ///   - scheduler: In whose turns the tests run; every service has to be on it.
  ///   - report: Called with each event as it happens, one at a time.
  public init(
    suite: Suite,
    scheduler: SerialScheduler,
    seed: UInt64,
    settings: SuiteSettings = SuiteSettings(),
    devices: [String: DeviceTarget] = [:],
    makeService: @escaping MakeService,
    report: @escaping @Sendable (SuiteEvent) -> Void = { _ in }
  ) {
    self.suite = suite
    self.scheduler = scheduler
    identity = Self.identity(of: suite, seed: seed)
    self.settings = settings
    self.devices = devices
    self.makeService = makeService
    self.report = report
  }

  /// What distinguishes the run of a suite from others.
  public static func identity(of suite: Suite, seed: UInt64) -> RunIdentity {
    RunIdentity(seed: seed, text: suite.lines.joined(separator: "\n"))
  }

  /// The run as a whole. It ends early only when it is cancelled from outside.
  public func run() async -> SuiteEnding {
    let begun = scheduler.loop.now
    let bindings = Bindings(suite.targets, devices)
    emit(.suiteStarted(suite, seed: identity.seed), since: begun)
    var results: [TestResult] = []
    for (index, test) in suite.runs.enumerated() {
      let result = await run(test, index: index + 1, bindings, since: begun)
      results.append(result)
      emit(.testFinished(result), since: begun)
      if result.status == .cancelled { break }
    }
    let ending = SuiteEnding(results: results, notRun: suite.runs.count - results.count)
    emit(.suiteFinished(ending), since: begun)
    return ending
  }

  private func run(
    _ test: SuiteTest,
    index: Int,
    _ bindings: Bindings,
    since begun: Instant
  ) async -> TestResult {
    emit(.testStarted(test, index: index), since: begun)
    let start = scheduler.loop.now
    let run = TestRun(self, test, index: index, bindings, begun: begun)
    var thrown: (any Error)?
    do {
      try await scheduler.turn { try await run.perform() }
    } catch {
      thrown = error
    }
    return run.result(thrown, took: scheduler.loop.now - start)
  }

  func emit(_ change: SuiteEvent.Change, since begun: Instant) {
    let now = scheduler.loop.now
    report(
      SuiteEvent(
        run: identity,
        offset: now - begun,
        wallClock: scheduler.loop.wallClockAtStart + now.sinceStart,
        change: change
      )
    )
  }
}
