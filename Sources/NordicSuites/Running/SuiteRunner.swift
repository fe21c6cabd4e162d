// A suite on its devices: cold until it is run.

public import Bluetooth
public import Jobs
public import Signals

/// Runs the tests of a suite in order, each in a turn of its own, and reports every event.
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
    emit(.started(suite), since: begun)
    var results: [RunEnding] = []
    for (index, test) in suite.runs.enumerated() {
      let ending = await TestRun(self, test, index: index + 1, bindings, suiteBegun: begun).run()
      results.append(ending)
      if ending.status == .cancelled { break }
    }
    let ending = SuiteEnding(results: results, notRun: suite.runs.count - results.count)
    emit(.finished(ending), since: begun)
    return ending
  }

  func emit(_ change: SuiteEvent.Change, since begun: Instant) {
    let now = scheduler.loop.now
    report(
      SuiteEvent(run: identity, offset: now - begun, wallClock: wallClock(at: now), change: change)
    )
  }

  func wallClock(at instant: Instant) -> Duration {
    scheduler.loop.wallClockAtStart + instant.sinceStart
  }

  /// The device of a target, as output names it. It does not change when a scan binds the target.
  ///
  /// - Parameter id: The target; nil for the first one.
  func device(of id: String?) -> String {
    let id = id ?? suite.targets.first?.id
    guard let target = suite.targets.first(where: { $0.id == id }) else { return id ?? "-" }
    return devices[target.id]?.text ?? target.address.map { "\($0)" } ?? target.name ?? target.id
  }
}
