// An event loop: it runs async jobs, timers and descriptor callbacks one after another.
//
// This part is common to real and virtual time; an EventSource provides clock and descriptor events.

/// A first-in first-out queue of jobs with timers and watched descriptors.
///
/// A loop is the executor of every task that it starts, and the clock of every wait made on it.
/// One thread at a time drives it: a thread that blocks for a result. If no thread blocks and there is
/// work, an ``EventLoop`` starts a background thread, which ends when the work is done; a thread that
/// blocks meanwhile sleeps until the background thread has its result.
public class Loop: TaskExecutor, @unchecked Sendable {
  // `batch` and `batchIndex` are used only by the driver, which is one thread at a time; everything else
  // is constant or guarded.
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
    /// The blocks of begun turns, in virtual time: the driver runs them between jobs.
    var blocks: [Block] = []
    /// The threads that sleep until their goals are reached, or until they are woken to drive.
    var waiters: [DriveWaiter] = []
    /// The thread that drives the loop; nil if none does.
    var driver: Driver?
    /// Whether the background thread exists, as the driver or about to end.
    var hasBackground = false
    /// Whether the driver waits for events.
    var asleep = false
    /// The number of unfinished tasks and observations, which need a driver although no job or timer is
    /// queued.
    var holds = 0
    /// The work that `shutDown` cancels.
    var work: [Work] = []
    var isShutDown = false
  }

  let state = Guarded(State())
  /// The clock of this loop, and the events that its driver waits for.
  let source: any EventSource
  // The jobs that the driver is running, and how many of them have run.
  @exclusivity(unchecked) var batch: [Job] = []
  @exclusivity(unchecked) var batchIndex = 0

  init(_ source: some EventSource) { self.source = source }

  deinit {
    // Breaks the retain cycles of timers and watches with the state. They may still be cancelled later.
    let (timers, watches) = state.withLock { ($0.timers.removeAll(), $0.watches.removeAll()) }
    withExtendedLifetime((timers, watches)) {}
  }

  /// The current time of this loop.
  public final var now: Instant { source.now }

  /// The wall-clock time at the start of this loop, since 1970-01-01T00:00:00Z; a constant in virtual
  /// time.
  public final var wallClockAtStart: Duration { source.wallClockAtStart }

  /// Whether time is virtual: it passes only while a thread drives the loop.
  package final var isVirtual: Bool { !source.hasBackgroundThread }

  // MARK: Jobs

  /// Runs a job of the Swift runtime on this loop. Called by the runtime; use ``post(_:)`` instead.
  public final func enqueue(_ job: consuming ExecutorJob) {
    enqueue(.job(UnownedJob(job)))
  }

  /// Runs `callback` on this loop, after everything that is queued now; never inside this call.
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
  ///   - delay: The time until `fire` is called. Zero or less: as soon as possible, but never inside this
  ///     call.
  ///   - fire: Called on the loop.
  @discardableResult
  public final func after(_ delay: Duration, _ fire: @escaping @Sendable () -> Void) -> LoopTimer {
    at(now + delay, fire)
  }

  /// Calls `fire` on this loop at `instant`, or soon if that has passed.
  @discardableResult
  public final func at(_ instant: Instant, _ fire: @escaping @Sendable () -> Void) -> LoopTimer {
    let timer = LoopTimer(state: state, fire)
    act(
      on: state.withLock { state in
        state.order += 1
        let wasEarliest = state.timers.earliest
        state.timers.insert(timer, at: instant, order: state.order)
        // A driver that sleeps until a later timer must be woken.
        if state.driver != nil, let wasEarliest, wasEarliest <= instant { return .nothing }
        return progress(&state)
      }
    )
    return timer
  }

  // MARK: Descriptors

  /// Calls `ready` on this loop whenever `descriptor` is ready for one of `interest`, or hung up.
  ///
  /// Level-triggered: `ready` is called again as long as the descriptor stays ready. The caller keeps
  /// the descriptor, and must cancel the watch before closing it. Several watches of one descriptor are
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

  /// Calls the watches of a descriptor that is ready.
  final func report(_ descriptor: Int32, _ events: Watch.Events) {
    let (first, others) = state.withLock { $0.watches.calls(for: descriptor, events) }
    guard let first else { return }
    running { first.watch.ready(first.events) }
    for (watch, events) in others where state.withLock({ _ in watch.isActive }) {
      running { watch.ready(events) }
    }
  }

  /// Runs a callback, and marks this thread as running code of this loop meanwhile.
  @inline(__always)
  final func running<R>(_ body: () -> R) -> R {
    let context = ThreadContext.current
    let before = context.running
    context.running = self
    defer { context.running = before }
    return body()
  }

  // MARK: End

  /// Cancels the tasks that this loop started, and lets their work end.
  ///
  /// New waits fail with ``LoopShutDown``. Jobs that are already queued still run when a thread drives
  /// the loop.
  public final func shutDown() {
    let work = state.withLock { state in
      state.isShutDown = true
      return state.work
    }
    for work in work { work.cancel() }
    wakeBlocked()
  }

  /// Shuts the loop down, runs the queued jobs, and removes all timers.
  ///
  /// The last call on a loop: its queued jobs and its timers would otherwise keep it alive. Clean-ups
  /// run as far as they can without time passing; waits for events from outside are abandoned.
  public final func end() {
    shutDown()
    let isDone = Guarded(false)
    try? drive(
      starting: { setWhenQuiet(isDone, roundsLeft: 1_000) },
      until: DriveCondition { isDone.withLock { $0 } }
    )
    _ = state.withLock { $0.timers.removeAll() }
    // Threads that slept until a timer must re-check their goals.
    wakeBlocked()
  }

  /// Sets `isDone` as soon as the queue is empty, after at most `roundsLeft` further rounds.
  private func setWhenQuiet(_ isDone: Guarded<Bool>, roundsLeft: Int) {
    post { [self] in
      let isQuiet = batchIndex >= batch.count && state.withLock { $0.incoming.isEmpty }
      if isQuiet || roundsLeft == 0 { return isDone.withLock { $0 = true } }
      setWhenQuiet(isDone, roundsLeft: roundsLeft - 1)
    }
  }

  /// Registers work: the loop is driven until its end, and `shutDown` cancels it.
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
    endHold()
  }
}
