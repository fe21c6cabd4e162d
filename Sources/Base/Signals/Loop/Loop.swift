// The one thread of control on which signals, timers, descriptors and async jobs run.
//
// What is common to real and virtual time: the queue, the timers and the watches. Who turns the loop, and
// what may run when, is in Loop+Driving.swift.

/// A first-in first-out queue of jobs with timers and watched descriptors, turned by whoever
/// blocks.
///
/// A loop is the executor of every task that it starts and the clock of every wait made on it.
/// Exactly one thread turns it at a time. If nobody blocks and there is work, an ``EventLoop``
/// starts a background thread for it, and ends it when the work is done. Who blocks meanwhile waits.
public class Loop: TaskExecutor, @unchecked Sendable {
  // `batch` and `batchIndex` are touched only by the thread that drives, which is one at a time;
  // everything else is constant or guarded.
  enum Job {
    case job(UnownedJob)
    case callback(@Sendable () -> Void)
  }

  /// The block of a `schedule`.
  typealias Block = @Sendable () -> Void

  struct State {
    var incoming: [Job] = []
    var timers = TimerHeap()
    var watches = WatchTable()
    var order: UInt64 = 0
    /// Blocks of turns whose time has come, in virtual time: run by the driver, not as jobs.
    var blocks: [Block] = []
    /// The threads that sleep until their goals are reached, or until they are to drive.
    var waiters: [DriveWaiter] = []
    /// Who turns the loop; nil when nobody does.
    var driver: Driver?
    /// Whether the background thread exists, be it the driver or about to end.
    var hasBackground = false
    /// Whether the driver waits for events.
    var asleep = false
    /// Work under way that is neither a job nor a timer now: tasks, observations.
    var holds = 0
    /// What is cancelled when the loop is shut down.
    var work: [Work] = []
    var isShutDown = false
  }

  let state = Guarded(State())
  /// The clock of this loop, and what its driver waits for.
  let source: any EventSource
  // The jobs taken from `incoming`, and how many of them have run.
  @exclusivity(unchecked) var batch: [Job] = []
  @exclusivity(unchecked) var batchIndex = 0

  init(_ source: some EventSource) { self.source = source }

  deinit {
    // Timers and watches hold the state, which holds them; and they may be cancelled later.
    let (timers, watches) = state.withLock { ($0.timers.removeAll(), $0.watches.removeAll()) }
    withExtendedLifetime((timers, watches)) {}
  }

  /// The present time of this loop.
  public final var now: Instant { source.now }

  /// The wall-clock time at this loop's start, since 1970-01-01T00:00:00Z; a constant when time is
  /// virtual.
  public final var wallClockAtStart: Duration { source.wallClockAtStart }

  /// Whether time passes only while somebody drives.
  package final var isVirtual: Bool { !source.hasBackgroundThread }

  // MARK: Jobs

  /// Runs a job of the Swift runtime on this loop. Called by the runtime; use ``post(_:)`` instead.
  public final func enqueue(_ job: consuming ExecutorJob) {
    enqueue(.job(UnownedJob(job)))
  }

  /// Runs `callback` on this loop, after everything that is queued now. Never re-entrant.
  public final func post(_ callback: @escaping @Sendable () -> Void) {
    enqueue(.callback(callback))
  }

  private func enqueue(_ job: Job) {
    act(
      on: state.withLock { state in
        state.incoming.append(job)
        return progress(&state)
      }
    )
  }

  /// Whether the loop was shut down.
  public final var isShutDown: Bool { state.withLock { $0.isShutDown } }

  // MARK: Timers

  /// Calls `fire` on this loop once `delay` has passed.
  ///
  /// - Parameters:
  ///   - delay: Zero or less means: as soon as the loop gets to it, but never from here.
  ///   - fire: Called on the loop.
  @discardableResult
  public final func after(_ delay: Duration, _ fire: @escaping @Sendable () -> Void) -> LoopTimer {
    at(now + delay, fire)
  }

  /// Calls `fire` on this loop at `instant`, or soon when it is past.
  @discardableResult
  public final func at(_ instant: Instant, _ fire: @escaping @Sendable () -> Void) -> LoopTimer {
    let timer = LoopTimer(state: state, fire)
    act(
      on: state.withLock { state in
        state.order += 1
        let wasEarliest = state.timers.earliest
        state.timers.insert(timer, at: instant, order: state.order)
        // A sleeping driver has to learn of an earlier end of its sleep.
        if state.driver != nil, let wasEarliest, wasEarliest <= instant { return .nothing }
        return progress(&state)
      }
    )
    return timer
  }

  // MARK: Descriptors

  /// Calls `ready` on this loop whenever `descriptor` is ready for one of `interest`, or hung up.
  ///
  /// Level-triggered: it is called again as long as it stays ready. The descriptor stays the
  /// caller's, who cancels the watch before closing it. Several watches of one descriptor are
  /// called in the order of registration.
  package final func watch(
    _ descriptor: Int32, for interest: Watch.Events,
    _ ready: @escaping @Sendable (Watch.Events) -> Void
  ) -> Watch {
    let watch = Watch(
      state: state, source: source, descriptor: descriptor, interest: interest, ready: ready
    )
    state.withLock { source.apply($0.watches.add(watch)) }
    return watch
  }

  /// Makes the callbacks of the watches of a descriptor that is ready.
  final func report(_ descriptor: Int32, _ events: Watch.Events) {
    let (first, others) = state.withLock { $0.watches.calls(for: descriptor, events) }
    guard let first else { return }
    running { first.watch.ready(first.events) }
    for (watch, events) in others where state.withLock({ _ in watch.isActive }) {
      running { watch.ready(events) }
    }
  }

  /// Runs a callback of this loop, marked as such for this thread.
  @inline(__always)
  final func running<R>(_ body: () -> R) -> R {
    let context = ThreadContext.current
    let before = context.running
    context.running = self
    defer { context.running = before }
    return body()
  }

  // MARK: End

  /// Fails every wait on this loop, and lets the work drain.
  ///
  /// Tasks that this loop started are cancelled; new waits fail with ``LoopShutDown``. Jobs that
  /// are already queued still run when somebody drives.
  public final func shutDown() {
    let work = state.withLock { state in
      state.isShutDown = true
      return state.work
    }
    for work in work { work.cancel() }
    wakeBlocked()
  }

  /// Shuts the loop down, runs what is queued, and forgets the timers that are still armed.
  ///
  /// The last thing to do with a loop that is not to outlive its use: what lies in its queue and
  /// its timers would keep it alive. Clean-ups that the end sets off are run as far as they go
  /// without time passing; what waits for something from outside is not waited for.
  public final func end() {
    shutDown()
    let isDone = Guarded(false)
    try? drive(
      starting: { look(for: isDone, roundsLeft: 1_000) },
      until: DriveCondition { isDone.withLock { $0 } }
    )
    _ = state.withLock { $0.timers.removeAll() }
    // Who slept for a timer has nothing to sleep for any more.
    wakeBlocked()
  }

  /// Sets `isDone` when nothing is queued any more, behind what is queued now and what that queues.
  private func look(for isDone: Guarded<Bool>, roundsLeft: Int) {
    post { [self] in
      let isQuiet = batchIndex >= batch.count && state.withLock { $0.incoming.isEmpty }
      if isQuiet || roundsLeft == 0 { return isDone.withLock { $0 = true } }
      look(for: isDone, roundsLeft: roundsLeft - 1)
    }
  }

  /// Work begins: somebody turns the loop for it, and its end comes before that of the loop.
  final func begin(_ work: Work) {
    hold()
    let isShutDown = state.withLock { state in
      state.work.append(work)
      return state.isShutDown
    }
    if isShutDown { work.cancel() }
  }

  final func end(_ work: Work) {
    state.withLock { state in state.work.removeAll { $0 === work } }
    letGo()
  }
}
