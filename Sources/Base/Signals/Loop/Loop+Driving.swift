// The driver of a loop.
//
// One thread at a time is the driver: it runs jobs, timers and callbacks one after another. A thread that
// blocks becomes the driver if there is none, until its goal is reached; otherwise it sleeps, and the
// driver wakes it between two jobs when its goal is reached. A driver that stops while work is left wakes
// a sleeping thread to drive, or starts the background thread, which drives until no work is left.
// The block of a `schedule` is not a job. In real time it has its own thread; in virtual time the driver
// runs it between two jobs, unless the driver is already inside such a block.
//
// Time and descriptors belong to the event source.

import Glibc

extension Loop {
  /// The thread that drives the loop: a blocked one, or the background thread.
  struct Driver {
    let isBackground: Bool
    private let thread = pthread_self()

    var isThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }
  }

  /// Whether this thread drives this loop. It may be between two jobs, where it checks goals and frees
  /// finished jobs.
  var isDrivenHere: Bool { state.withLock { $0.driver?.isThisThread == true } }

  /// The action, performed without the lock, that makes some thread process new work.
  enum Progress {
    case nothing
    case wakeDriver
    case wakeThread(DriveWaiter)
    case startBackground
  }

  /// Decides which thread processes new work. Called with the lock held.
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

  /// Wakes all blocked threads so that they re-check their goals.
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

  /// Wakes all blocked threads after a change that did not happen on the loop. For one that did, the
  /// driver checks the goals after the job anyway.
  func wakeBlockedFromOutside() {
    if ThreadContext.current.running !== self { wakeBlocked() }
  }

  /// Runs the block of a turn, which may block its thread.
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

  /// Counts unfinished work, for which a thread must drive the loop. Balanced by `endHold`.
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
  func endHold() {
    let isLast = state.withLock { state in
      state.holds -= 1
      // The background thread was waiting only for this work: wake it, so that it ends.
      guard state.holds == 0, state.driver?.isBackground == true, state.asleep else { return false }
      state.asleep = false
      return true
    }
    if isLast { source.wake() }
  }

  /// Drives this loop on the calling thread until `done`, which is called between jobs, returns true.
  ///
  /// - Throws: ``BlockedInsideLoop`` on a thread that is running a job of any loop, or drives this one;
  ///   in virtual time ``LoopIdle`` or ``EventLimitReached``.
  public final func drive(until done: @escaping @Sendable () -> Bool) throws {
    try drive(until: DriveCondition(isReached: done))
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

  func hasWork(_ state: State) -> Bool {
    !state.incoming.isEmpty || batchIndex < batch.count || !state.timers.isEmpty || state.holds > 0
  }

  /// The next step of a driver that has run its batch.
  private enum Next { case again, leave, sleep(Instant?) }

  /// Runs jobs, as the driver, until `goal` is reached, or, if `runsBlocks`, until a block is waiting.
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
  func markAwake() { state.withLock { $0.asleep = false } }

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
}

extension BlockedInsideLoop {
  fileprivate static var driving: Self { Self(operation: "driving a loop") }
}
