// The journal of a watch: a run for each day, with a chain for each device.

package import Jobs
package import Journal
package import Signals

/// The runs of a watch under way.
///
/// A watch may last for weeks. Each day, in UTC, its run ends and another one begins, so that old runs
/// can be pruned while it goes on.
package final class WatchJournal: Sendable {
  private typealias Chain = @Sendable (RunEvent, _ report: @escaping @Sendable () -> Void) -> Void

  private struct State {
    var run: RunJournal
    /// One for each device.
    var chains: [Chain]
  }

  private let file: JournalFile
  private let options: JournalOptions
  private let plan: WatchPlan
  private let loop: Loop
  private let isSimulated: Bool
  private let cancel: @Sendable (RunFailure) -> Void
  private let state: Guarded<State>

  /// Records that the watch begins.
  ///
  /// - Parameter scheduler: That of the watch; nil for the world's own.
  /// - Throws: ``Ending`` when a required journal fails at once.
  package init(
    _ file: JournalFile,
    _ options: JournalOptions,
    of plan: WatchPlan,
    _ identity: RunIdentity,
    in world: World,
    on scheduler: SerialScheduler? = nil
  ) throws(Ending) {
    self.file = file
    self.options = options
    self.plan = plan
    loop = world.loop
    isSimulated = world.isSimulated
    let scheduler = scheduler ?? world.scheduler
    cancel = { scheduler.cancelAll($0) }
    let header = Self.header(plan, identity, isSimulated, on: world.loop)
    let run = try RunJournal.begin(file, options, header, in: world, on: scheduler)
    state = Guarded(State(run: run, chains: plan.devices.map { _ in run.chain() }))
  }

  private static func header(
    _ plan: WatchPlan,
    _ identity: RunIdentity,
    _ isSimulated: Bool,
    on loop: Loop
  ) -> RunHeader {
    RunHeader("watch", plan.definition, identity, isSimulated: isSimulated, on: loop)
  }

  /// Records an output, and reports it when the journal has it, if it must.
  package func receive(_ output: WatchOutput, _ report: @escaping @Sendable () -> Void) {
    if let identity = output.nextRun { begin(identity) }
    if let event = output.recorded, let device = output.device {
      state.withLock { $0.chains[device] }(event, report)
    } else {
      state.withLock { $0.run }.report(report)
    }
  }

  /// The chains of the former run have ended: the next run begins.
  private func begin(_ identity: RunIdentity) {
    _ = state.withLock { $0.run }.finish(.ok)
    do throws(JournalFailure) {
      let header = Self.header(plan, identity, isSimulated, on: loop)
      let run = try RunJournal(file, options, header, on: loop, cancel: cancel)
      state.withLock { $0 = State(run: run, chains: plan.devices.map { _ in run.chain() }) }
    } catch {
      cancel(RunFailure(error))
    }
  }

  /// The number of the present run; nil as long as it could not be written.
  package var run: Int64? { state.withLock { $0.run }.run }

  /// Records how the watch ended, and closes the journal.
  ///
  /// - Returns: The status of the watch with this journal.
  package func end(_ status: ExitStatus) -> ExitStatus { state.withLock { $0.run }.end(status) }
}
