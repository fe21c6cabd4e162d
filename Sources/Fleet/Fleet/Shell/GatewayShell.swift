// Connects the state machine `Gateway` to the store, the journal and the chains of one process.
//
// Gateway makes the decisions of the protocol; the shell orders the actions: an action that depends
// on a journal entry waits until the entry is on the disk. Its owner decides how chains run and
// what is observed.

import Bluetooth
import Signals

/// The shell of a gateway's process.
package final class GatewayShell: Sendable {
  /// The actions that the owner carries out; called in the process.
  package struct Handlers: Sendable {
    /// Runs the chain of a job.
    let run: @Sendable (Gateway.ChainID, FleetJob) -> Void
    /// Lets an operation begin now, or refuses it and all further ones.
    let decide: @Sendable (Gateway.ChainID, _ step: Int, _ isPermitted: Bool) -> Void
    /// Cancels a chain, disconnects, and reports its end.
    let stop: @Sendable (Gateway.ChainID, StopReason) -> Void
    /// Called when the end of a job is stored; nil when another member stored it.
    let ended: @Sendable (JobID, EndRecord?) -> Void
    /// Called when no chain runs any longer, after a drain.
    let drained: @Sendable () -> Void
    /// Called when the journal can no longer be written, and when it can be again.
    let journalWritable: @Sendable (Bool) -> Void

    /// Creates the handlers.
    package init(
      run: @escaping @Sendable (Gateway.ChainID, FleetJob) -> Void,
      decide: @escaping @Sendable (Gateway.ChainID, _ step: Int, _ isPermitted: Bool) -> Void,
      stop: @escaping @Sendable (Gateway.ChainID, StopReason) -> Void,
      ended: @escaping @Sendable (JobID, EndRecord?) -> Void,
      drained: @escaping @Sendable () -> Void,
      journalWritable: @escaping @Sendable (Bool) -> Void
    ) {
      self.run = run
      self.decide = decide
      self.stop = stop
      self.ended = ended
      self.drained = drained
      self.journalWritable = journalWritable
    }
  }

  private struct State {
    var machine: Gateway
    var handlers: Handlers?
    var subscriptions: [BluetoothAddress: StoreSubscription] = [:]
    var reconnected: StoreSubscription?
    var isJournalWritable = true
    /// Whether a timer will write the journal again.
    var isRetrying = false
  }

  /// The pause before writing the journal again after a failure.
  private static let journalPause = Duration.seconds(10)

  private let file: GatewayFile
  private let store: any JobStore
  private let settings: FleetSettings
  private let clock: any MemberClock
  private let alarm: MemberAlarm
  private let state: Guarded<State>

  /// Creates the shell of a process.
  ///
  /// - Parameters:
  ///   - machine: Its state machine, with the entries of the file.
  ///   - file: Its journal.
  package init(
    _ machine: Gateway, _ file: GatewayFile, _ store: some JobStore, _ settings: FleetSettings,
    _ clock: some MemberClock
  ) {
    self.file = file
    self.store = store
    self.settings = settings
    self.clock = clock
    alarm = MemberAlarm(on: clock)
    state = Guarded(State(machine: machine))
    file.observe { [weak self] isWritten in self?.setJournalWritable(isWritten) }
  }

  private var handlers: Handlers? { state.withLock { $0.handlers } }

  /// The number of claims that the gateway holds.
  package var running: Int { state.withLock { $0.machine.running } }

  /// Ends the subscriptions and the alarm, and calls no handler from then on.
  package func end() {
    alarm.cancel()
    let subscriptions = state.withLock { state in
      defer { (state.subscriptions, state.reconnected, state.handlers) = ([:], nil, nil) }
      return state.subscriptions.values + [state.reconnected].compactMap(\.self)
    }
    for subscription in subscriptions { subscription.cancel() }
  }

  /// Compares the store with the one that the journal belongs to, and begins.
  ///
  /// - Returns: Whether it is another store; it is then handled as by ``storeReplaced()``.
  package func begin(_ handlers: Handlers) -> Bool {
    state.withLock { $0.handlers = handlers }
    let isOther = file.belongs(toAnotherStoreThan: store.identity)
    if isOther { storeReplaced() } else { file.keep(store: store.identity) }
    handle(.woken)
    let reconnected = store.observeReconnection { [weak self] in self?.handle(.reconnected) }
    state.withLock { $0.reconnected = reconnected }
    return isOther
  }

  /// Handles the replacement of the store by another one. Nothing is claimed for
  /// ``FleetSettings/succession``.
  package func storeReplaced() {
    handle(.storeReplaced)
    // A process that is started before that has to wait as well.
    clock.after(settings.succession) { [weak self] in
      guard let self else { return }
      file.keep(store: store.identity)
    }
  }

  /// Handles an event, and carries out the actions that follow. Must not be called before
  /// ``begin(_:)``, which sets the handlers that the actions need.
  package func handle(_ event: Gateway.Event) {
    if case .journalFailed = event { setJournalWritable(false) }
    let now = clock.now
    perform(state.withLock { $0.machine.handle(event, at: now) }[...])
    alarm.wake(at: state.withLock { $0.machine.next }) { [weak self] in self?.handle(.woken) }
  }

  private func perform(_ actions: ArraySlice<Gateway.Action>) {
    for (index, action) in zip(actions.indices, actions) {
      guard case .journal(let entry) = action else {
        perform(action)
        continue
      }
      // Actions that depend on the entry wait until it is on the disk; those of other devices do not.
      let rest = actions[(index + 1)...]
      let waiting = rest.filter { $0.mustWait(for: entry) }
      file.keep(entry) { [weak self] in self?.wrote(entry, $0, waiting) }
      if settings.omits(.journalWait) { return perform(rest) }
      return perform(rest.filter { !$0.mustWait(for: entry) }[...])
    }
  }

  /// Performs the actions that waited for a journal entry.
  ///
  /// If it could not be written, no chain and no operation begins, because after a crash no process would know
  /// that it may have happened; nor if the lease has ended during the write.
  private func wrote(_ entry: JournalEntry, _ isWritten: Bool, _ waiting: [Gateway.Action]) {
    if settings.omits(.journalWait) { return }
    let chain = entry.chain
    let now = clock.now
    let mayBegin = isWritten && state.withLock { $0.machine.mayBegin(chain, at: now) }
    perform(waiting.filter { mayBegin || !$0.isBeginning }[...])
    for action in waiting where !mayBegin {
      guard case .permit = action else { continue }
      handle(.operationNotBegun(chain, isWritten ? .leaseEnding : .journal))
    }
    if !isWritten { handle(.journalFailed(chain)) }
    for action in waiting where !mayBegin {
      if case .run = action { handle(.chainEnded(chain, .stopped)) }
    }
  }

  private func perform(_ action: Gateway.Action) {
    switch action {
    case .perform(let id, let request):
      store.perform(request, within: settings.requestLimit) { [weak self] answer in
        self?.handle(.answered(id, answer))
      }
    case .subscribe(let address):
      let key = StoreKey.announcement(of: address)
      let subscription = store.subscribe(.one(key)) { [weak self] _, _ in
        self?.handle(.announced(address))
      }
      state.withLock { $0.subscriptions[address] = subscription }
    case .unsubscribe(let address):
      state.withLock { $0.subscriptions.removeValue(forKey: address) }?.cancel()
    case .run(let chain, let job): handlers?.run(chain, job)
    case .permit(let chain, let step): handlers?.decide(chain, step, true)
    case .refuse(let chain, let step): handlers?.decide(chain, step, false)
    case .stop(let chain, let reason): handlers?.stop(chain, reason)
    case .journal: perform([action])
    case .forget(let chain): file.forget(nonce: chain.nonce)
    case .ended(let job, let end): handlers?.ended(job, end)
    case .drained: handlers?.drained()
    }
  }

  /// Stores whether the journal can be written. While it cannot, the gateway claims no jobs, and tries to
  /// write it from time to time.
  private func setJournalWritable(_ isWritten: Bool) {
    let hasChanged = state.withLock { state in
      defer { state.isJournalWritable = isWritten }
      return state.isJournalWritable != isWritten
    }
    guard hasChanged else { return }
    if !isWritten { retry() }
    handlers?.journalWritable(isWritten)
    clock.post { [weak self] in self?.handle(.journalWritable(isWritten)) }
  }

  private func retry() {
    let begins = state.withLock { state in
      defer { state.isRetrying = true }
      return !state.isRetrying
    }
    guard begins else { return }
    clock.after(Self.journalPause) { [weak self] in
      guard let self else { return }
      let isWritable = state.withLock { state in
        state.isRetrying = false
        return state.isJournalWritable
      }
      if isWritable { return }
      file.write()
      retry()
    }
  }
}

extension Gateway.Action {
  /// Whether the action must not be performed before the entry is on the disk.
  fileprivate func mustWait(for entry: JournalEntry) -> Bool {
    switch self {
    case .run(let chain, _), .permit(let chain, _), .refuse(let chain, _), .stop(let chain, _),
      .forget(let chain):
      chain == entry.chain
    case .journal(let other): other.chain == entry.chain
    case .perform(_, .append): true
    case .perform, .subscribe, .unsubscribe, .ended, .drained: false
    }
  }

  /// Whether the action begins a chain or an operation.
  fileprivate var isBeginning: Bool {
    switch self {
    case .run, .permit: true
    case .perform, .subscribe, .unsubscribe, .refuse, .stop, .journal, .forget, .ended, .drained:
      false
    }
  }
}
