// Who turns the loop: whoever blocks, one at a time, and a background thread when nobody does.
//
// No time and no descriptors here: those are the event source's.

import Glibc

extension Loop {
  /// What has to be done, without the lock, so that a change of state is acted upon.
  enum Progress {
    case nothing
    case wakeDriver
    case wakeThread(DriveWaiter)
    case startBackground
  }

  /// Decides who acts upon new work. Called with the lock held.
  func progress(_ state: inout State) -> Progress {
    if !state.readyTurns.isEmpty, !(state.hasDriver && state.driverMayRunTurns) {
      if let index = state.waiters.firstIndex(where: \.mayRunTurns) {
        return .wakeThread(state.waiters.remove(at: index))
      }
      if source.hasBackgroundThread, !state.hasBackground {
        state.hasBackground = true
        return .startBackground
      }
    }
    if state.hasDriver {
      guard state.asleep else { return .nothing }
      state.asleep = false
      return .wakeDriver
    }
    if !state.waiters.isEmpty { return .wakeThread(state.waiters.removeFirst()) }
    if source.hasBackgroundThread, !state.hasBackground {
      state.hasBackground = true
      return .startBackground
    }
    return .nothing
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

  /// Hands a turn's block to whichever driver may run it.
  func runTurn(_ turn: @escaping ReadyTurn) {
    act(
      on: state.withLock { state in
        state.readyTurns.append(turn)
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
        return state.hasDriver ? .nothing : progress(&state)
      }
    )
  }

  @usableFromInline
  func letGo() {
    let isLast = state.withLock { state in
      state.holds -= 1
      // The background thread sleeps for this work alone: it ends now.
      guard state.holds == 0, state.driverIsBackground, state.asleep else { return false }
      state.asleep = false
      return true
    }
    if isLast { source.wake() }
  }

  /// Turns this loop on the calling thread until `done`, which is asked between jobs.
  ///
  /// - Throws: ``BlockedInsideLoop`` on a thread that is running a job of any loop; ``LoopIdle`` or
  ///   ``EventLimitReached`` when time is virtual.
  public final func drive(until done: @escaping @Sendable () -> Bool) throws {
    try drive(starting: {}, until: DriveCondition(isReached: done))
  }

  /// The same, after calling `start` where what it queues waits for this thread.
  final func drive(
    starting start: () -> Void,
    until done: @escaping @Sendable () -> Bool
  ) throws {
    try drive(starting: start, until: DriveCondition(isReached: done))
  }

  /// The same, until `goal` is reached.
  final func drive(starting start: () -> Void = {}, until goal: some DriveGoal) throws {
    guard Run.current == nil else {
      // Callbacks that are made from here belong to no turn.
      return try Run.$current.withValue(nil) { try drive(starting: start, until: goal) }
    }
    let context = ThreadContext.current
    guard context.running == nil else { throw BlockedInsideLoop(operation: "driving a loop") }
    let mayRunTurns = !context.turns.contains { $0.loop === self }
    var role = takeRole(mayRunTurns: mayRunTurns, goal)
    start()
    while true {
      switch role {
      case .turn(let turn): turn()
      case .sleep(let waiter):
        // The driver has looked at the goals before this one was there.
        if goal.isReached { wakeBlocked() }
        if !waiter.sleep(for: goal.patience.map { $0 - now }) {
          state.withLock { state in state.waiters.removeAll { $0 === waiter } }
          goal.runOut()
        }
      case .drive:
        do {
          try turnOver(context, until: goal)
        } catch {
          giveRoleBack()
          throw error
        }
        if goal.isReached {
          giveRoleBack()
          return
        }
        // Taken with the role, so that no background thread begins for it.
        if let turn = giveRoleBack(takingTurn: mayRunTurns) { turn() }
      }
      if goal.isReached {
        // This thread may have been woken for something else.
        return act(on: state.withLock { next(&$0) })
      }
      role = takeRole(mayRunTurns: mayRunTurns, takingTurn: mayRunTurns, goal)
    }
  }

  private enum Role {
    case drive
    case turn(ReadyTurn)
    case sleep(DriveWaiter)
  }

  private func takeRole(
    mayRunTurns: Bool,
    takingTurn: Bool = false,
    _ goal: some DriveGoal
  ) -> Role {
    state.withLock { state in
      if takingTurn, !state.readyTurns.isEmpty {
        return .turn(state.readyTurns.removeFirst())
      }
      if !state.hasDriver {
        state.hasDriver = true
        state.driverMayRunTurns = mayRunTurns
        return .drive
      }
      let waiter = DriveWaiter(mayRunTurns: mayRunTurns, goal: goal)
      state.waiters.append(waiter)
      return .sleep(waiter)
    }
  }

  /// Ends driving; what is left to do is somebody else's.
  ///
  /// - Returns: A turn to run, when `takingTurn` and there is one.
  @discardableResult
  private func giveRoleBack(takingTurn: Bool = false) -> ReadyTurn? {
    let (turn, progress) = state.withLock { state -> (ReadyTurn?, Progress) in
      state.hasDriver = false
      state.driverIsBackground = false
      let turn =
        takingTurn && !state.readyTurns.isEmpty ? state.readyTurns.removeFirst() : nil
      return (turn, next(&state))
    }
    act(on: progress)
    return turn
  }

  /// Who does what this thread does not do (any more). Called with the lock held.
  private func next(_ state: inout State) -> Progress {
    if state.hasDriver { return state.readyTurns.isEmpty ? .nothing : progress(&state) }
    if !state.waiters.isEmpty { return .wakeThread(state.waiters.removeFirst()) }
    return hasWork(state) ? progress(&state) : .nothing
  }

  func hasWork(_ state: State) -> Bool {
    !state.incoming.isEmpty || batchIndex < batch.count || !state.timers.isEmpty
      || !state.readyTurns.isEmpty || state.holds > 0
  }

  /// What a driver without a job does.
  private enum Next { case again, leave, sleep(Instant?) }

  /// Drives with the role held, until `goal`, or a turn's block is there to be run.
  private func turnOver(_ context: ThreadContext, until goal: some DriveGoal) throws {
    var sincePoll = 0
    while true {
      if runBatch(context, until: goal) { return }
      wakeFinishedWaiters()
      let next: Next = state.withLock { state in
        if state.driverMayRunTurns, !state.readyTurns.isEmpty { return .leave }
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

  private enum BackgroundRole {
    case drive
    case turn(ReadyTurn)
    case end
  }

  private func driveInBackground() {
    let context = ThreadContext.current
    let hasNoWork = DriveCondition { [self] in state.withLock { !hasWork($0) } }
    while true {
      let role: BackgroundRole = state.withLock { state in
        if !state.readyTurns.isEmpty { return .turn(state.readyTurns.removeFirst()) }
        guard !state.hasDriver, state.waiters.isEmpty, hasWork(state) else {
          state.hasBackground = false
          return .end
        }
        state.hasDriver = true
        state.driverIsBackground = true
        state.driverMayRunTurns = true
        return .drive
      }
      switch role {
      case .end: return
      case .turn(let turn): turn()
      case .drive:
        try? turnOver(context, until: hasNoWork)
        giveRoleBack()
      }
    }
  }
}
