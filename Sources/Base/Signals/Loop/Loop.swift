// An event loop: it runs async jobs, timers and descriptor callbacks one after another.
//
// This part is common to real and virtual time; an EventSource provides clock and descriptor
// events.
//
// One thread at a time is the driver: it runs jobs, timers and callbacks one after another. A
// thread that blocks becomes the driver if there is none, until its goal is reached; otherwise it
// sleeps, and the driver wakes it between two jobs when its goal is reached. A driver that stops
// while work is left wakes a sleeping thread to drive, or starts the background thread, which
// drives until no work is left. The block of a `schedule` is not a job. In real time it has its own
// thread; in virtual time the driver runs it between two jobs, unless the driver is already inside
// such a block.

import Glibc

/// A first-in first-out queue of jobs with timers and watched descriptors.
///
/// A loop is the executor of every task that it starts, and the clock of every wait made on it.
/// One thread at a time drives it: a thread that blocks for a result. If no thread blocks and there
/// is work, an ``EventLoop`` starts a background thread, which ends when the work is done; a thread
/// that blocks meanwhile sleeps until the background thread has its result.
public class Loop: TaskExecutor, @unchecked Sendable {
  // `batch` and `batchIndex` are used only by the driver, which is one thread at a time; everything
  // else is constant or guarded.
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
    /// The number of unfinished tasks and observations, which need a driver although no job or
    /// timer is queued.
    var holds = 0
    /// The work that `shutDown` cancels.
    var work: [Work] = []
    var isShutDown = false
  }

  let state = Guarded(State())
  /// The clock of this loop, and the events that its driver waits for.
  let source: any EventSource
  // The jobs that the driver is running, and how many of them have run.
  @exclusivity(unchecked) private var batch: [Job] = []
  @exclusivity(unchecked) private var batchIndex = 0

  init(_ source: some EventSource) { self.source = source }

  deinit {
    // Breaks the retain cycles of timers and watches with the state. They may still be cancelled
    // later.
    let (timers, watches) = state.withLock { ($0.timers.removeAll(), $0.watches.removeAll()) }
    withExtendedLifetime((timers, watches)) {}
  }

  /// The current time of this loop.
  public final var now: Instant { source.now }

  /// The wall-clock time at the start of this loop, since 1970-01-01T00:00:00Z; a constant in
  /// virtual time.
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
  ///   - delay: The time until `fire` is called. Zero or less: as soon as possible, but never
  ///     inside this call.
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
  /// Level-triggered: `ready` is called again as long as the descriptor stays ready. The caller
  /// keeps the descriptor, and must cancel the watch before closing it. Several watches of one
  /// descriptor are called in the order of registration.
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
  /// New waits fail with ``LoopShutDown``. Jobs that are already queued still run when a thread
  /// drives the loop.
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
  /// The last call on a loop: its queued jobs and its timers would otherwise keep it alive.
  /// Clean-ups run as far as they can without time passing; waits for events from outside are
  /// abandoned.
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

  // MARK: Driving

  /// The thread that drives the loop: a blocked one, or the background thread.
  struct Driver {
    let isBackground: Bool
    private let thread = pthread_self()

    var isThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }
  }

  /// Whether some thread drives this loop.
  final var isDriven: Bool { state.withLock { $0.driver != nil } }

  /// Whether this thread drives this loop. It may be between two jobs, where it checks goals and
  /// frees finished jobs.
  private var isDrivenHere: Bool { state.withLock { $0.driver?.isThisThread == true } }

  /// The action, performed without the lock, that makes some thread process new work.
  private enum Progress {
    case nothing
    case wakeDriver
    case wakeThread(DriveWaiter)
    case startBackground
  }

  /// Decides which thread processes new work. Called with the lock held.
  private func progress(_ state: inout State) -> Progress {
    if state.driver != nil {
      guard state.asleep else { return .nothing }
      state.asleep = false
      return .wakeDriver
    }
    if !state.waiters.isEmpty { return .wakeThread(state.waiters.removeFirst()) }
    guard !isVirtual, !state.hasBackground else { return .nothing }
    state.hasBackground = true
    return .startBackground
  }

  private func act(on progress: Progress) {
    switch progress {
    case .nothing: break
    case .wakeDriver: source.wake()
    case .wakeThread(let waiter): waiter.wake()
    case .startBackground: startBackgroundThread()
    }
  }

  /// Wakes all blocked threads so that they re-check their goals.
  private func wakeBlocked() {
    let (waiters, wakeDriver) = state.withLock { state in
      defer {
        state.waiters = []
        state.asleep = false
      }
      return (state.waiters, state.asleep)
    }
    if wakeDriver { source.wake() }
    for waiter in waiters { waiter.wake() }
  }

  /// Wakes all blocked threads after a change that did not happen on the loop. For one that did,
  /// the driver checks the goals after the job anyway.
  final func wakeBlockedFromOutside() {
    if ThreadContext.current.running !== self { wakeBlocked() }
  }

  /// Runs the block of a turn, which may block its thread.
  final func runBlock(_ block: @escaping Block) {
    if !isVirtual {
      guard startThread("signals-turn", block) != 0 else { return }
      endProcess("no thread is left for the block of a turn: see ulimit -u")
    }
    act(
      on: state.withLock { state in
        state.blocks.append(block)
        return progress(&state)
      }
    )
  }

  /// Counts unfinished work, for which a thread must drive the loop. Balanced by `endHold`.
  @usableFromInline
  final func hold() {
    act(
      on: state.withLock { state in
        state.holds += 1
        return state.driver == nil ? progress(&state) : .nothing
      }
    )
  }

  @usableFromInline
  final func endHold() {
    let isLast = state.withLock { state in
      state.holds -= 1
      // The background thread was waiting only for this work: wake it, so that it ends.
      guard state.holds == 0, state.driver?.isBackground == true, state.asleep else { return false }
      state.asleep = false
      return true
    }
    if isLast { source.wake() }
  }

  /// Drives this loop on the calling thread until `done`, which is called between jobs, returns
  /// true.
  ///
  /// - Throws: ``BlockedInsideLoop`` on a thread that is running a job of any loop, or drives this
  ///   one; in virtual time ``LoopIdle`` or ``EventLimitReached``.
  public final func drive(until done: @escaping @Sendable () -> Bool) throws {
    try drive(until: DriveCondition(isReached: done))
  }

  /// Drives this loop until `done` returns true, also from a job or a callback of it that never returns:
  /// one that ends the process.
  final func driveAtExit(until done: @escaping @Sendable () -> Bool) throws {
    let context = ThreadContext.current
    guard context.running === self else { return try drive(until: done) }
    try TaskContext.$current.withValue(nil) {
      try driveLoop(context, until: DriveCondition(isReached: done))
    }
  }

  /// Drives this loop until `goal` is reached. Calls `start` once this thread is
  /// the driver or a waiter, so that the queued work waits for this thread.
  final func drive(starting start: () -> Void = {}, until goal: some DriveGoal) throws {
    guard TaskContext.current == nil else {
      // Callbacks made from here belong to no turn.
      return try TaskContext.$current.withValue(nil) { try drive(starting: start, until: goal) }
    }
    let context = ThreadContext.current
    guard context.running == nil else { throw BlockedInsideLoop.driving }
    let runsBlocks = !context.turns.contains { $0.loop === self }
    var waiter = try becomeDriver(for: goal)
    start()
    while true {
      if let waiter {
        // The driver may have checked the goals before this one was added.
        let isWoken = goal.isReached || waiter.sleep(for: goal.waitDeadline.map { $0 - now })
        state.withLock { state in state.waiters.removeAll { $0 === waiter } }
        if !isWoken { goal.waitDeadlinePassed() }
        // This thread may have been woken to drive: another one must do it.
        if goal.isReached { return act(on: state.withLock { handOver(&$0) }) }
      } else {
        defer { stopDriving() }
        try driveLoop(context, until: goal, runsBlocks: runsBlocks)
        if goal.isReached { return }
      }
      if runsBlocks,
        let block = state.withLock({ $0.blocks.isEmpty ? nil : $0.blocks.removeFirst() })
      {
        block()
        if goal.isReached { return }
      }
      waiter = try becomeDriver(for: goal)
    }
  }

  /// Makes the calling thread the driver, unless another thread is.
  ///
  /// - Returns: Nil if the calling thread is now the driver; otherwise its waiter.
  /// - Throws: ``BlockedInsideLoop`` if the calling thread is already the driver.
  private func becomeDriver(for goal: some DriveGoal) throws(BlockedInsideLoop) -> DriveWaiter? {
    try state.withLock { state throws(BlockedInsideLoop) in
      guard let driver = state.driver else {
        state.driver = Driver(isBackground: false)
        return nil
      }
      if driver.isThisThread { throw .driving }
      let waiter = DriveWaiter(goal)
      state.waiters.append(waiter)
      return waiter
    }
  }

  /// Stops driving, and hands remaining work over to another thread.
  private func stopDriving() {
    act(
      on: state.withLock { state in
        state.driver = nil
        return handOver(&state)
      }
    )
  }

  /// Decides which thread continues when there is no driver. Called with the lock held.
  private func handOver(_ state: inout State) -> Progress {
    guard state.driver == nil, !state.waiters.isEmpty || hasWork(state) else { return .nothing }
    return progress(&state)
  }

  private func hasWork(_ state: State) -> Bool {
    !state.incoming.isEmpty || batchIndex < batch.count || !state.timers.isEmpty || state.holds > 0
  }

  /// The next step of a driver that has run its batch.
  private enum Next { case again, leave, sleep(Instant?) }

  /// Runs jobs, as the driver, until `goal` is reached, or, if `runsBlocks`, until a block is
  /// waiting.
  private func driveLoop(
    _ context: ThreadContext, until goal: some DriveGoal, runsBlocks: Bool = false
  ) throws {
    var sincePoll = 0
    while true {
      if runBatch(context, until: goal) { return }
      wakeFinishedWaiters()
      let next: Next = state.withLock { state in
        if runsBlocks, !state.blocks.isEmpty { return .leave }
        if !state.incoming.isEmpty {
          swap(&batch, &state.incoming)
          batchIndex = 0
          return .again
        }
        state.asleep = true
        return .sleep(state.timers.earliest)
      }
      switch next {
      case .leave: return
      case .again:
        try source.count(jobs: batch.count, for: self)
        sincePoll += 1
        if sincePoll >= 64 {
          sincePoll = 0
          source.pollDescriptors(for: self)
          fireDueTimers()
        }
      case .sleep(let earliest):
        sincePoll = 0
        guard !goal.isReached else {
          markAwake()
          return
        }
        try source.waitForEvents(until: earliest, for: self)
        fireDueTimers()
      }
    }
  }

  /// Runs the jobs of the batch; true as soon as `goal` is reached.
  private func runBatch(_ context: ThreadContext, until goal: some DriveGoal) -> Bool {
    if batch.isEmpty { return goal.isReached }
    context.running = self
    defer { context.running = nil }
    while batchIndex < batch.count {
      let job = batch[batchIndex]
      batchIndex += 1
      switch job {
      case .job(let job):
        job.runSynchronously(on: asUnownedTaskExecutor())
      case .callback(let callback): callback()
      }
      if goal.isReached {
        removeFinishedJobs()
        return true
      }
    }
    removeFinishedJobs()
    return goal.isReached
  }

  /// Frees the finished jobs of the batch: they may retain this loop.
  private func removeFinishedJobs() {
    if batchIndex < batch.count {
      batch.removeSubrange(..<batchIndex)
    } else if batch.count == 1 {
      batch.removeLast()
    } else {
      batch.removeAll(keepingCapacity: true)
    }
    batchIndex = 0
  }

  /// Fires every timer that is due, in order of instant and arming.
  private func fireDueTimers() {
    guard state.withLock({ !$0.timers.isEmpty }) else { return }
    let now = self.now
    while let timer = state.withLock({ $0.timers.popDue(now) }) {
      running { timer.fire() }
    }
  }

  /// Records that the driver no longer waits, so that new work need not wake it. Called before any
  /// callback.
  final func markAwake() { state.withLock { $0.asleep = false } }

  private func wakeFinishedWaiters() {
    guard let waiting = state.withLock({ $0.waiters.isEmpty ? nil : $0.waiters }) else { return }
    for waiter in waiting where waiter.goal.isReached {
      state.withLock { state in state.waiters.removeAll { $0 === waiter } }
      waiter.wake()
    }
  }

  // MARK: Background

  private func startBackgroundThread() {
    let number = startThread("signals-loop") { self.driveInBackground() }
    // No other thread would do the work.
    if number != 0 { endProcess("no thread is left for an event loop: see ulimit -u") }
  }

  private func driveInBackground() {
    let context = ThreadContext.current
    let hasNoWork = DriveCondition { [self] in state.withLock { !hasWork($0) } }
    while state.withLock({ becomeBackgroundDriver(&$0) }) {
      try? driveLoop(context, until: hasNoWork)
      stopDriving()
    }
  }

  /// Makes the background thread the driver; false if it must end.
  private func becomeBackgroundDriver(_ state: inout State) -> Bool {
    guard state.driver == nil, state.waiters.isEmpty, hasWork(state) else {
      state.hasBackground = false
      return false
    }
    state.driver = Driver(isBackground: true)
    return true
  }

  // MARK: Other threads

  /// Whether this thread is running a job or callback of this loop.
  package final var isCurrent: Bool { ThreadContext.current.running === self }

  /// Whether no other thread drives this loop. A virtual loop has only one thread.
  @usableFromInline
  package final var isExclusive: Bool {
    isVirtual || isCurrent || state.withLock { $0.driver?.isThisThread ?? true }
  }

  /// Runs `body` on this loop and waits for it; immediately if this thread drives the loop.
  ///
  /// In virtual time nothing else runs meanwhile. Code on the loop must not wait for this thread.
  package final func performAndWait<R: Sendable>(_ body: @escaping @Sendable () -> R) -> R {
    if isVirtual || isCurrent { return body() }
    if isDrivenHere { return running(body) }
    // This thread may be checking a goal of its own. It must not be woken to drive while it waits
    // here, where it would not notice: its waiters are removed until `body` has run.
    let own = state.withLock { state in
      defer { state.waiters.removeAll(where: \.isOfThisThread) }
      return state.waiters.filter(\.isOfThisThread)
    }
    let answer = Guarded<R?>(nil)
    let waiter = DriveWaiter(DriveCondition { true })
    post {
      let value = body()
      answer.withLock { $0 = value }
      waiter.wake()
    }
    _ = waiter.sleep(for: nil)
    if !own.isEmpty {
      state.withLock { $0.waiters += own }
      // Makes the driver check the goals again.
      post {}
    }
    // `value` was stored before the waiter was woken.
    return answer.withLock { $0.unsafelyUnwrapped }
  }

  /// Runs `body` on this loop without waiting for it: for a deinitializer, which may run on any
  /// thread.
  package final func performSoon(_ body: @escaping @Sendable () -> Void) {
    if isVirtual || isCurrent { return body() }
    if isDrivenHere { running(body) } else { post(body) }
  }
}

extension BlockedInsideLoop {
  fileprivate static var driving: Self { Self(operation: "driving a loop") }
}
