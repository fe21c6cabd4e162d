// What the dashboard does with devices: a scan, watches, chains. Each watch and each chain has a
// scheduler of its own, and a run of its own in the journal. Batches are in DashboardWork+Batches.

import Bluetooth
import Dashboard
import Jobs
import Journal
import Program
import Signals

/// Starts and stops what pages ask for.
final class DashboardWork: DashboardActions {
  /// Something under way that can be ended.
  struct Job: Sendable {
    /// The number of its run in the journal; nil for none.
    let run: @Sendable () -> Int64?
    let end: @Sendable (_ cause: (any Error)?) -> Void
    /// Records a note; a chain has none.
    var note: @Sendable (_ text: String) -> Void = { _ in }
  }

  /// Of what no two watches are under way: their values would be mixed.
  struct Watched: Hashable, Sendable {
    let device: DeviceTarget
    let characteristic: CharacteristicSelector
    let isRate: Bool

    static func all(_ plan: WatchPlan) -> [Self] {
      let isRate = if case .rate = plan.view { true } else { false }
      return plan.devices.flatMap { device in
        device.characteristics.map {
          Self(device: device.target, characteristic: $0, isRate: isRate)
        }
      }
    }
  }

  struct State {
    var lastWatch = 0
    var lastRun = 0
    var watches: [Int: Job] = [:]
    /// The series that are watched, by watch.
    var watched: [Int: [Watched]] = [:]
    /// Chains and batches.
    var runs: [RunKey: Job] = [:]
    /// How many batches wait for their beginning.
    var beginning = 0
    var tasks: [Task<Void, any Error>] = []
    var isEnding = false
  }

  /// How many watches, and how many chains and batches, may be under way at once.
  static let mostJobs = 16
  /// Longer than any watch or chain.
  private static let longest = Duration.seconds(3600 * 24 * 365 * 10)
  /// The pause before a scan is tried again.
  private static let scanPause = Duration.seconds(5)
  /// How often the journal is looked at.
  private static let journalPause = Duration.milliseconds(500)

  let world: World
  let hub: DashboardHub
  private let journal: DashboardJournal
  let files: RunnableFiles
  /// How watches, chains and batches are recorded.
  let recording: JournalOptions
  let names: AttributeNames
  let metrics = Guarded(RunMetrics())
  let state = Guarded(State())
  var loop: Loop { world.loop }

  init(
    in world: World, hub: DashboardHub, journal: DashboardJournal, files: RunnableFiles,
    recording: JournalOptions, names: AttributeNames
  ) {
    self.world = world
    self.hub = hub
    self.journal = journal
    self.files = files
    self.recording = recording
    self.names = names
    world.observeLinks { [metrics] news in metrics.withLock { $0.take(news) } }
  }

  /// What `/metrics` prints.
  @Sendable func metricsText() -> String { metrics.withLock { $0.text() } }

  // MARK: Beginning and end

  /// Begins what nobody has to ask for: the scan, the look at the journal, and a watch.
  func begin(watching plan: WatchPlan?) {
    scan()
    if journal.exists { followJournal() }
    if let plan {
      do {
        _ = try watch(plan)
      } catch {
        StandardError.failure(error.text)
      }
    }
  }

  /// Ends everything, and waits until all is disconnected. Each disconnect has its limit.
  func end() async {
    let (jobs, scans) = state.withLock { state in
      state.isEnding = true
      return (Array(state.watches.values) + Array(state.runs.values), state.tasks)
    }
    for task in scans { task.cancel() }
    for job in jobs { job.end(world.interruption.signal.map { Interrupted(signal: $0.number) }) }
    while state.withLock({ !$0.watches.isEmpty || !$0.runs.isEmpty || $0.beginning > 0 }) {
      try? await loop.sleep(for: .milliseconds(20))
    }
    for task in scans { _ = try? await task.value }
  }

  private func keep(_ task: Task<Void, any Error>) { state.withLock { $0.tasks.append(task) } }

  private func scan() {
    let lane = SerialScheduler(on: loop, name: "scan")
    let service = world.service(for: .any, on: lane)
    keep(
      loop.task { [hub, loop] in
        while true {
          do {
            let devices = service.startScan(ScanFilter()).flattenMap { seen in
              hub.receive(.scanning(nil))
              return seen
            }
            _ = try await devices.map { hub.receive(.seen($0)) }
              .then { Signal.just(true) }.first(within: Self.longest)
          } catch {
            if Task.isCancelled || error is CancellationError { return }
            hub.receive(.scanning(RunFailure(error)))
          }
          try await loop.sleep(for: Self.scanPause)
        }
      }
    )
  }

  private func followJournal() {
    keep(
      loop.task { [self] in
        while true {
          let changed = await journal.changedRuns(own: runsUnderWay)
          if !changed.isEmpty { hub.receive(.runs(changed)) }
          try await loop.sleep(for: Self.journalPause)
        }
      }
    )
  }

  private var runsUnderWay: Set<Int64> {
    let jobs = state.withLock { Array($0.watches.values) + Array($0.runs.values) }
    return Set(jobs.compactMap { $0.run() })
  }

  // MARK: Watches

  func watch(_ plan: WatchPlan) throws(DashboardRefusal) -> Int {
    let watched = Watched.all(plan)
    let id = try state.withLock { state throws(DashboardRefusal) in
      if state.isEnding { throw DashboardRefusal("blerun is ending") }
      guard state.watches.count < Self.mostJobs else {
        throw DashboardRefusal("\(Self.mostJobs) watches are under way: stop one of them")
      }
      if let taken = watched.first(where: { state.watched.values.joined().contains($0) }) {
        throw DashboardRefusal(
          "\(taken.characteristic) of \(taken.device.text) is watched already: stop that watch first"
        )
      }
      state.lastWatch += 1
      state.watched[state.lastWatch] = watched
      return state.lastWatch
    }
    let lane = SerialScheduler(on: loop, name: "watch \(id)")
    let identity = RunIdentity(seed: world.identitySeed, text: plan.definition, round: id)
    let record: RunJournal?
    do throws(Ending) {
      record = try openJournal()?.begin("watch", plan.definition, identity, in: world, on: lane)
    } catch {
      state.withLock { $0.watched[id] = nil }
      throw refusal(error)
    }
    hub.receive(.watchBegan(id, plan))
    showHistory(of: plan)
    let stop = Subject<Void>(replaying: 1)
    let watching = Watching(
      plan, on: plan.devices.map { world.service(for: $0.target, on: lane) }, in: lane,
      identity: identity,
      receive: world.explainingWatch { [hub, metrics] output in
        if let event = output.recorded { metrics.withLock { $0.take(event) } }
        guard let record else { return hub.receive(.watchOutput(id, output)) }
        record.receive(output, of: plan) { hub.receive(.watchOutput(id, output)) }
      },
      until: stop.signal
    )
    state.withLock { state in
      state.watches[id] = Job(
        run: { record?.run },
        end: { cause in if let cause { lane.cancelAll(cause) } else { stop.send(()) } },
        note: { [loop] text in watching.note(text, at: loop.now) }
      )
    }
    _ = loop.task { [self] in
      var failure: RunFailure?
      do {
        _ = try await watching.records().then { Signal.just(true) }.first(within: Self.longest)
      } catch {
        failure = RunFailure(error)
      }
      watching.finish(failure)
      _ = record?.end(ExitStatus(after: failure))
      hub.receive(.watchEnded(id, failure))
      state.withLock { ($0.watches[id], $0.watched[id]) = (nil, nil) }
    }
    return id
  }

  /// Shows what the journal has of the last day.
  private func showHistory(of plan: WatchPlan) {
    guard journal.exists else { return }
    for series in plan.series {
      guard let attribute = series.reported.attribute else { continue }
      let device = plan.devices[series.device].target.text
      _ = loop.task { [hub, journal] in
        let minutes = await journal.minutes(device: device, attribute: attribute)
        if !minutes.isEmpty {
          hub.receive(.history(device: device, attribute: attribute, minutes))
        }
      }
    }
  }

  func endWatch(_ id: Int) -> Bool {
    guard let job = state.withLock({ $0.watches[id] }) else { return false }
    job.end(nil)
    return true
  }

  func note(_ text: String) {
    hub.receive(.note(text))
    for watch in state.withLock({ Array($0.watches.values) }) { watch.note(text) }
  }

  // MARK: Chains

  func run(_ name: String, device: String?) throws(DashboardRefusal) -> RunKey {
    let plan = try plan(name, device: device)
    guard let target = plan.device ?? (plan.onlyScans ? .any : nil) else {
      throw DashboardRefusal("\(name) names no device: choose one")
    }
    guard plan.commands.isEmpty else {
      throw DashboardRefusal("\(name) runs programs: run it with blerun run --allow-commands")
    }
    let ordinal = try nextRun()
    let lane = SerialScheduler(on: loop, name: "chain \(ordinal)")
    let identity = RunIdentity(seed: world.identitySeed, plan: plan, round: ordinal)
    let record: RunJournal?
    do throws(Ending) {
      record = try openJournal()?.begin("run", plan.description, identity, in: world, on: lane)
    } catch {
      throw refusal(error)
    }
    let key = record?.run.map { RunKey.recorded($0) } ?? .unrecorded(ordinal)
    hub.receive(.chainBegan(key, chain: plan.name ?? name, device: target.text))
    let show: @Sendable (RunEvent) -> Void = { [hub, metrics] event in
      metrics.withLock { $0.take(event) }
      hub.receive(.chain(key, event))
    }
    let runner = ChainRunner(
      plan: plan, service: world.service(for: target, plan.link, run: record?.run, on: lane),
      identity: identity, device: target.text,
      report: world.explaining(record?.receiving(show) ?? show)
    )
    state.withLock { state in
      state.runs[key] = Job(
        run: { record?.run }, end: { cause in lane.cancelAll(cause ?? CancellationError()) }
      )
    }
    _ = loop.task { [self] in
      let outcome: ExitStatus
      do {
        outcome = try await runner.ending().first(within: Self.longest).exitStatus
      } catch {
        outcome = ExitStatus(after: RunFailure(error))
      }
      _ = record?.end(outcome)
      state.withLock { $0.runs[key] = nil }
    }
    return key
  }

  /// The journal of one watch, chain or batch; nil when none is written.
  func openJournal() throws(Ending) -> OpenJournal? {
    try recording.open(isSimulated: world.isSimulated)
  }

  func refusal(_ ending: Ending) -> DashboardRefusal {
    DashboardRefusal(ending.messages.joined(separator: "; "))
  }

  /// The ordinal of another chain or batch of this process.
  ///
  /// - Throws: When too many are under way, or all are ending.
  func nextRun() throws(DashboardRefusal) -> Int {
    try state.withLock { state throws(DashboardRefusal) in
      if state.isEnding { throw DashboardRefusal("blerun is ending") }
      guard state.runs.count + state.beginning < Self.mostJobs else {
        throw DashboardRefusal("\(Self.mostJobs) chains and batches are under way")
      }
      state.lastRun += 1
      return state.lastRun
    }
  }

  private func plan(_ name: String, device: String?) throws(DashboardRefusal) -> Plan {
    guard let path = files.chains[name] else {
      throw DashboardRefusal("'\(name)' is not a chain of the folder of --allow-run")
    }
    do {
      var plan = try Plan(file: path, with: Bindings(), names: names).withSecrets()
      if let device { plan.device = try DeviceTarget(parsing: device) }
      return plan
    } catch {
      throw DashboardRefusal("\(error)")
    }
  }

  func endRun(_ key: RunKey) -> Bool {
    guard let job = state.withLock({ $0.runs[key] }) else { return false }
    job.end(nil)
    return true
  }

  func page(of run: Int64) async throws(DashboardRefusal) -> String? {
    await journal.page(of: run)
  }
}
