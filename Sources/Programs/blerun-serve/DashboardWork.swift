// The dashboard's work with devices: its scan, and the watches, chains and batches that pages start.
//
// Each watch, chain and batch has its own scheduler and its own run in the journal. What pages show is
// decided by DashboardModel.

import Bluetooth
import Dashboard
import Jobs
import Journal
import Program
import Signals

/// Starts and stops watches, chains and batches.
final class DashboardWork: DashboardActions {
  /// A running watch, chain or batch.
  private struct Job: Sendable {
    /// Returns the number of its run in the journal; nil if it is not recorded.
    let run: @Sendable () -> Int64?
    let end: @Sendable (_ cause: (any Error)?) -> Void
    /// Records a note in a watch; does nothing for a chain or batch.
    var note: @Sendable (_ text: String) -> Void = { _ in }
  }

  /// The identity of a series. Two watches must not have one in common, or their values would be mixed.
  private struct Watched: Hashable, Sendable {
    let device: DeviceTarget
    /// The characteristic; nil for the RSSI.
    let characteristic: CharacteristicSelector?
    let isRate: Bool

    static func all(_ plan: WatchPlan) -> [Self] {
      let isRate = if case .rate = plan.view { true } else { false }
      return plan.series.map { series in
        Self(
          device: plan.devices[series.device].target, characteristic: series.target,
          isRate: isRate
        )
      }
    }
  }

  private struct State {
    var lastWatch = 0
    var lastRun = 0
    var watches: [Int: Job] = [:]
    /// The series of each watch.
    var watched: [Int: [Watched]] = [:]
    /// The running chains and batches.
    var runs: [RunKey: Job] = [:]
    /// The number of batches that have not begun yet.
    var beginning = 0
    var tasks: [Task<Void, any Error>] = []
    var isEnding = false
  }

  /// The most running watches; also the most running chains and batches.
  private static let mostJobs = 16
  /// A limit longer than any watch or chain.
  private static let longest = Duration.seconds(3600 * 24 * 365 * 10)
  /// The pause before a scan is started again.
  private static let scanPause = Duration.seconds(5)
  /// How often changed runs are read from the journal.
  private static let journalPause = Duration.milliseconds(500)

  /// The limit for beginning a batch, which includes writing its run to the journal.
  private static let beginLimit = Duration.seconds(20)

  private let world: World
  private let hub: DashboardHub
  private let journal: DashboardJournal
  private let files: RunnableFiles
  /// The options for recording watches, chains and batches.
  private let recording: JournalOptions
  private let names: AttributeNames
  private let metrics = Guarded(RunMetrics())
  private let state = Guarded(State())
  private var loop: Loop { world.loop }

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
    world.observeLinks { [metrics] news in metrics.withLock { $0.record(news) } }
  }

  /// Returns the text of `/metrics`.
  @Sendable func metricsText(as format: MetricsFormat) -> String {
    metrics.withLock { $0.text(as: format) }
  }

  // MARK: Beginning and end

  /// Starts the scan, following the journal, and the watch of the command line.
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

  /// Ends all work, and waits until all devices are disconnected. Each disconnect has its own limit.
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
          "\(taken.characteristic.map { "\($0)" } ?? "rssi") of \(taken.device.text) is watched already: stop that watch first"
        )
      }
      state.lastWatch += 1
      state.watched[state.lastWatch] = watched
      return state.lastWatch
    }
    let lane = SerialScheduler(on: loop, name: "watch \(id)")
    let identity = RunIdentity(seed: world.identitySeed, text: plan.definition, round: id)
    let record: RunJournal?
    do throws(CommandExit) {
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
        if let event = output.recorded { metrics.withLock { $0.record(event) } }
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

  /// Adds the journal's values of the last day to the charts of a watch.
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
    do throws(CommandExit) {
      record = try openJournal()?.begin("run", plan.description, identity, in: world, on: lane)
    } catch {
      throw refusal(error)
    }
    let key = record?.run.map { RunKey.recorded($0) } ?? .unrecorded(ordinal)
    hub.receive(.chainBegan(key, chain: plan.name ?? name, device: target.text))
    let show: @Sendable (RunEvent) -> Void = { [hub, metrics] event in
      metrics.withLock { $0.record(event) }
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

  // MARK: Batches

  func runBatch(_ name: String) async throws(DashboardRefusal) -> RunKey {
    let batch = try batch(name)
    let ordinal = try nextRun()
    let begun = Guarded<Completion<RunKey>?>(nil)
    state.withLock { $0.beginning += 1 }
    defer { state.withLock { $0.beginning -= 1 } }
    let record = try batchJournal(of: batch, name)
    do {
      return try await wait(on: loop, operation: "beginning \(name)", limit: Self.beginLimit) {
        (done: Completion<RunKey>) in
        begun.withLock { $0 = done }
        start(batch, called: name, ordinal, record) { result in
          begun.withLock { $0 }?.end(result.mapError { $0 as any Error })
        }
      }
    } catch {
      throw error as? DashboardRefusal ?? DashboardRefusal("\(RunFailure(error))")
    }
  }

  /// Starts a batch.
  ///
  /// - Parameter begun: Called with the key of its run, or with the reason why it could not begin. Only
  ///   the first call counts.
  private func start(
    _ batch: Batch, called name: String, _ ordinal: Int, _ record: BatchJournal?,
    begun: @escaping @Sendable (Result<RunKey, DashboardRefusal>) -> Void
  ) {
    let key = Guarded<RunKey?>(nil)
    let runner = Guarded<BatchRunner?>(nil)
    let made = BatchRunner(
      batch,
      on: SerialScheduler(on: loop, name: "batch \(ordinal)"),
      seed: world.identitySeed,
      service: { [world] target, link, lane in
        world.service(for: target, link, run: record?.runs.run, on: lane)
      },
      acquireAdapter: { [self] identity, round in
        if state.withLock({ $0.isEnding }) { throw CancellationError() }
        let release = try await world.beginBatch()
        do {
          try record?.begin(identity, round: round)
        } catch {
          release()
          throw error
        }
        let run = record?.runs.run
        let own = run.map { RunKey.recorded($0) } ?? .unrecorded(ordinal)
        key.withLock { $0 = own }
        hub.receive(.batchBegan(own, batch: batch.name ?? name))
        state.withLock { state in
          state.runs[own] = Job(
            run: { run },
            end: { cause in runner.withLock { $0 }?.cancel(cause ?? CancellationError()) }
          )
        }
        begun(.success(own))
        return release
      },
      onRunEvent: world.explaining { [hub, metrics] event in
        let show: @Sendable () -> Void = {
          metrics.withLock { $0.record(event) }
          if let key = key.withLock({ $0 }) { hub.receive(.batchChain(key, event)) }
        }
        if let record { record.runs.receive(event, show) } else { show() }
      },
      onEvent: { [hub, metrics] event in
        record?.receive(event)
        metrics.withLock { $0.record(event) }
        if let key = key.withLock({ $0 }) { hub.receive(.batch(key, event)) }
        // The batch may end without having begun; otherwise this call of `begun` is ignored.
        if case .finished(let ending) = event.change {
          let why = ending.failure?.description ?? "it ended at once"
          begun(.failure(DashboardRefusal("\(name): \(why)")))
        }
      }
    )
    runner.withLock { $0 = made }
    record?.runs.onFailure { made.cancel($0) }
    _ = loop.task { [self] in
      let status = await made.run(most: 1)
      _ = record?.runs.close(status)
      runner.withLock { $0 = nil }
      state.withLock { state in
        if let key = key.withLock({ $0 }) { state.runs[key] = nil }
      }
    }
  }

  private func batch(_ name: String) throws(DashboardRefusal) -> Batch {
    guard let path = files.batches[name] else {
      throw DashboardRefusal("'\(name)' is not a batch of the folder of --allow-run")
    }
    let batch: Batch
    do {
      batch = try Batch.load(path: path, with: Bindings(), names: names)
    } catch {
      throw DashboardRefusal("\(error)")
    }
    guard batch.every == nil else {
      throw DashboardRefusal("\(name) has 'every': run it with blerun batch")
    }
    guard batch.plans.allSatisfy(\.commands.isEmpty) else {
      throw DashboardRefusal("\(name) runs programs: run it with blerun batch --allow-command")
    }
    return batch
  }

  private func batchJournal(
    of batch: Batch, _ name: String
  ) throws(DashboardRefusal) -> BatchJournal? {
    guard let path = files.batches[name] else { return nil }
    do throws(CommandExit) {
      return try openJournal().map {
        BatchJournal(RunJournal($0, in: world), of: batch, at: Batch.wholePath(of: path))
      }
    } catch {
      throw refusal(error)
    }
  }

  // MARK: Parts of both

  /// Opens the journal for one watch, chain or batch; nil if no journal is written.
  private func openJournal() throws(CommandExit) -> OpenJournal? {
    try recording.open(isSimulated: world.isSimulated)
  }

  private func refusal(_ ending: CommandExit) -> DashboardRefusal {
    DashboardRefusal(ending.messages.joined(separator: "; "))
  }

  /// Returns the ordinal of a new chain or batch of this process.
  ///
  /// - Throws: If too many are running, or the program is ending.
  private func nextRun() throws(DashboardRefusal) -> Int {
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
    try await journal.page(of: run)
  }
}
