// Who turns the loop, and what may run when.
//
// One thread at a time is the driver: it runs jobs, timers and callbacks one after the other, and nothing else runs on the
// loop meanwhile. A thread that blocks drives where nobody does, until its goal is reached; else it sleeps,
// and the driver wakes it between two jobs when its goal is reached. Who leaves and finds work left wakes
// a thread that sleeps to drive on, or starts the background thread, which drives until no work is left.
// The block of a `schedule` is no job. In real time it has a thread of its own; in virtual time the driver
// runs it between two jobs, unless it is in such a block already.
//
// No time and no descriptors here: those are the event source's.

import Glibc

extension Loop {
  /// The thread that drives: one that blocks, or the background thread.
  struct Driver {
    let isBackground: Bool
    private let thread = pthread_self()

    var isThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }
  }

  /// Whether this thread drives this loop: it may be between two jobs then, where it asks for goals and
  /// frees what has run.
  var isDrivenHere: Bool { state.withLock { $0.driver?.isThisThread == true } }

  /// What has to be done, without the lock, so that a change of state is acted upon.
  enum Progress {
    case nothing
    case wakeDriver
    case wakeThread(DriveWaiter)
    case startBackground
  }

  /// Decides who acts upon new work. Called with the lock held.
  func progress(_ state: inout State) -> Progress {
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

  func act(on progress: Progress) {
    switch progress {
    case .nothing: break
    case .wakeDriver: source.wake()
    case .wakeThread(let waiter): waiter.wake()
    case .startBackground: startBackgroundThread()
    }
  }

  /// Has every blocked thread look at its condition again.
  func wakeBlocked() {
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

  /// The same, when the change came from outside the loop: its driver looks after each job anyway.
  func wakeBlockedFromOutside() {
    if ThreadContext.current.running !== self { wakeBlocked() }
  }

  /// Runs the block of a turn, which may block.
  func runBlock(_ block: @escaping Block) {
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

  /// Counts work under way, for which somebody has to turn the loop.
  @usableFromInline
  func hold() {
    act(
      on: state.withLock { state in
        state.holds += 1
        return state.driver == nil ? progress(&state) : .nothing
      }
    )
  }

  @usableFromInline
  func letGo() {
    let isLast = state.withLock { state in
      state.holds -= 1
      // The background thread sleeps for this work alone: it ends now.
      guard state.holds == 0, state.driver?.isBackground == true, state.asleep else { return false }
      state.asleep = false
      return true
    }
    if isLast { source.wake() }
  }

  /// Turns this loop on the calling thread until `done`, which is asked between jobs.
  ///
  /// - Throws: ``BlockedInsideLoop`` on a thread that is running a job of any loop, or turns this one;
  ///   ``LoopIdle`` or ``EventLimitReached`` when time is virtual.
  public final func drive(until done: @escaping @Sendable () -> Bool) throws {
    try drive(until: DriveCondition(isReached: done))
  }

  /// The same, until `goal` is reached, after calling `start` where what it queues waits for this thread.
  final func drive(starting start: () -> Void = {}, until goal: some DriveGoal) throws {
    guard Run.current == nil else {
      // Callbacks that are made from here belong to no turn.
      return try Run.$current.withValue(nil) { try drive(starting: start, until: goal) }
    }
    let context = ThreadContext.current
    guard context.running == nil else { throw BlockedInsideLoop.driving }
    let runsBlocks = !context.turns.contains { $0.loop === self }
    var waiter = try takeRole(goal)
    start()
    while true {
      if let waiter {
        // The driver may have looked at the goals before this one was there.
        let isWoken = goal.isReached || waiter.sleep(for: goal.patience.map { $0 - now })
        state.withLock { state in state.waiters.removeAll { $0 === waiter } }
        if !isWoken { goal.runOut() }
        // This thread may have been woken to drive.
        if goal.isReached { return act(on: state.withLock { next(&$0) }) }
      } else {
        defer { giveRoleBack() }
        try turnOver(context, until: goal, runsBlocks: runsBlocks)
        if goal.isReached { return }
      }
      if runsBlocks,
        let block = state.withLock({ $0.blocks.isEmpty ? nil : $0.blocks.removeFirst() })
      {
        block()
        if goal.isReached { return }
      }
      waiter = try takeRole(goal)
    }
  }

  /// Begins to drive, unless another thread does.
  ///
  /// - Returns: What the calling thread sleeps on; nil when it drives from now on.
  /// - Throws: ``BlockedInsideLoop`` where it drives already.
  private func takeRole(_ goal: some DriveGoal) throws(BlockedInsideLoop) -> DriveWaiter? {
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

  /// Ends driving; what is left to do is somebody else's.
  private func giveRoleBack() {
    act(
      on: state.withLock { state in
        state.driver = nil
        return next(&state)
      }
    )
  }

  /// Who does what this thread does not do (any more). Called with the lock held.
  private func next(_ state: inout State) -> Progress {
    guard state.driver == nil, !state.waiters.isEmpty || hasWork(state) else { return .nothing }
    return progress(&state)
  }

  func hasWork(_ state: State) -> Bool {
    !state.incoming.isEmpty || batchIndex < batch.count || !state.timers.isEmpty || state.holds > 0
  }

  /// What a driver without a job does.
  private enum Next { case again, leave, sleep(Instant?) }

  /// Drives with the role held, until `goal`, or until there is a block, where this thread runs blocks.
  private func turnOver(
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
          awake()
          return
        }
        try source.waitForEvents(until: earliest, for: self)
        fireDueTimers()
      }
    }
  }

  /// Runs the jobs of the batch; true when `goal` was reached on the way.
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
        forgetJobsRun()
        return true
      }
    }
    forgetJobsRun()
    return goal.isReached
  }

  /// Frees the jobs of the batch that have run: what they hold may hold this loop.
  private func forgetJobsRun() {
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

  /// The wait is over: what comes from now on needs no wake-up. Called before any callback.
  func awake() { state.withLock { $0.asleep = false } }

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
    // Nobody else would do the work.
    if number != 0 { endProcess("no thread is left for an event loop: see ulimit -u") }
  }

  private func driveInBackground() {
    let context = ThreadContext.current
    let hasNoWork = DriveCondition { [self] in state.withLock { !hasWork($0) } }
    while state.withLock({ takeBackgroundRole(&$0) }) {
      try? turnOver(context, until: hasNoWork)
      giveRoleBack()
    }
  }

  /// Has the background thread drive; or else it ends.
  private func takeBackgroundRole(_ state: inout State) -> Bool {
    guard state.driver == nil, state.waiters.isEmpty, hasWork(state) else {
      state.hasBackground = false
      return false
    }
    state.driver = Driver(isBackground: true)
    return true
  }
}

extension BlockedInsideLoop {
  fileprivate static var driving: Self { Self(operation: "driving a loop") }
}
