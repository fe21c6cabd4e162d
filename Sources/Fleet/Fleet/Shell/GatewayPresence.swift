// The regular traffic of a gateway: reports of its sightings, and renewals of its entry.
//
// A shell over the store; it neither observes nor drains itself. Apart from the sweeps, an idle gateway
// sends nothing else: its pauses decide how many gateways a fleet can have.

import Jobs
public import Signals

/// Reports the sightings of a gateway, and renews its entry.
public final class GatewayPresence: Sendable {
  /// The callbacks to the gateway, called on the loop.
  public struct Handlers: Sendable {
    /// Returns the current sightings.
    let report: @Sendable () -> SightingReport
    /// Called when the entry was marked as draining by another program.
    let drain: @Sendable () -> Void
    /// Called with the entry of another gateway that runs under the same name, if this one has to end.
    let nameTaken: @Sendable (GatewayEntry) -> Void

    /// Creates the callbacks.
    public init(
      report: @escaping @Sendable () -> SightingReport, drain: @escaping @Sendable () -> Void,
      nameTaken: @escaping @Sendable (GatewayEntry) -> Void = { _ in }
    ) {
      self.report = report
      self.drain = drain
      self.nameTaken = nameTaken
    }
  }

  private struct State {
    var entry: GatewayEntry
    /// The revision of the entry; nil when it is not known.
    var revision: Revision?
    var tasks: [Task<Void, any Error>] = []
    /// The tasks that run once, until they have ended.
    var passing: [Int: Task<Void, any Error>] = [:]
    var passed = 0
    var handlers: Handlers?
    /// The process whose entry this one replaced when it began.
    var predecessor: String?
    /// Further processes whose entry was found in place of this process's entry.
    var rivals: Set<String> = []
    var replaced: StoreSubscription?
  }

  /// The pause between changes of the copy of the entry that outlasts the gateway.
  private static let copyPause = Duration.seconds(3600)

  private let name: String
  private let settings: FleetSettings
  private let store: any JobStore
  private let loop: Loop
  private let state: Guarded<State>

  /// Creates the presence of a gateway; nothing is sent before ``begin(_:)``.
  ///
  /// - Parameters:
  ///   - name: Its name; see ``StoreName``.
  ///   - entry: Its entry.
  ///   - settings: The durations of the fleet.
  public init(
    _ name: String, _ entry: GatewayEntry, _ settings: FleetSettings, in store: any JobStore,
    on loop: Loop
  ) {
    self.name = name
    self.settings = settings
    self.store = store
    self.loop = loop
    state = Guarded(State(entry: entry))
  }

  /// Looks for a gateway with this name on another host: replaces its entry, and waits until that
  /// gateway must have written the entry again. An entry from this host is left from an earlier
  /// process.
  ///
  /// - Returns: The entry of the gateway that has the name; nil if the name is free.
  public func gatewayWithName() async throws -> GatewayEntry? {
    guard let found = try await readEntry(), isForeign(found.entry) else { return nil }
    let isElsewhere = state.withLock { state in
      (state.predecessor, state.revision) = (found.entry.incarnation, found.revision)
      return found.entry.host != state.entry.host
    }
    guard isElsewhere else { return nil }
    _ = try await write()
    try await loop.sleep(for: settings.entryEvery + settings.requestLimit)
    guard let current = try await readEntry()?.entry,
      current.incarnation == found.entry.incarnation
    else { return nil }
    return current
  }

  /// Begins to send. The first report and the entry are sent immediately.
  public func begin(_ handlers: Handlers) {
    state.withLock { $0.handlers = handlers }
    repeatedly(every: settings.reportEvery) { [self] in
      let report = handlers.report()
      _ = try await store.ask(.publish(.sightings(of: name), .sightings(report)), on: loop)
    }
    repeatedly(every: settings.entryEvery) { [self] in try await renew() }
    repeatedly(every: Self.copyPause) { [self] in try await keepCopy() }
    let replaced = store.observeReplacement { [weak self] in
      self?.state.withLock { $0.revision = nil }
      self?.renewNow()
      guard let self else { return }
      once { [self] in try await keepCopy() }
    }
    state.withLock { $0.replaced = replaced }
  }

  private func repeatedly(
    every pause: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) {
    let task = loop.repeatedly(every: pause, body)
    state.withLock { $0.tasks.append(task) }
  }

  /// Changes the entry. The change is sent with the next renewal; see ``renewNow()``.
  ///
  /// - Returns: Whether the entry differs from before.
  public func change(_ change: (inout GatewayEntry) -> Void) -> Bool {
    state.withLock { state in
      let old = state.entry
      change(&state.entry)
      return state.entry != old
    }
  }

  /// Renews the entry now, in addition to the regular renewals.
  public func renewNow() { once { [self] in try await renew() } }

  /// Runs `body` once, in a task. Must be called on the loop, so that the task is stored before it
  /// ends.
  private func once(_ body: @escaping @Sendable () async throws -> Void) {
    let number = state.withLock { state in
      state.passed += 1
      return state.passed
    }
    let task = loop.task { [self] in
      defer { state.withLock { $0.passing[number] = nil } }
      try await body()
    }
    state.withLock { $0.passing[number] = task }
  }

  /// Stops sending, and removes the entry.
  ///
  /// - Parameter isReachable: Whether the store can be reached. If not, the entry is left to expire.
  public func end(isReachable: Bool) async {
    let (tasks, replaced) = state.withLock { state in
      state.handlers = nil
      return (state.tasks + state.passing.values, state.replaced)
    }
    replaced?.cancel()
    for task in tasks { task.cancel() }
    for task in tasks { _ = try? await task.value }
    // A cancelled renewal may still have been applied: read the revision before removing the entry.
    let key = StoreKey.gateway(name)
    guard isReachable else { return }
    try? await keepCopy()
    guard
      case .entries(let entries)? = try? await store.ask(.list(.one(key)), on: loop),
      let revision = entries.first?.revision
    else { return }
    _ = try? await store.ask(.remove(key, expecting: revision), on: loop)
  }

  // MARK: The entry

  private func renew() async throws {
    if try await write() { return }
    // Another program has changed the entry, or it has expired.
    guard case .entries(let entries) = try await store.ask(.list(.one(.gateway(name))), on: loop)
    else { return }
    let isOwn = state.withLock { state in
      defer { state.revision = entries.first?.revision }
      return state.revision != nil
    }
    if case .gateway(let entry)? = entries.first?.value {
      if isForeign(entry), mustYield(to: entry) {
        state.withLock { $0.handlers }?.nameTaken(entry)
        return
      }
      // Without a known revision the mark is from before this process, and not meant for it.
      if isOwn, !isForeign(entry), entry.isDraining { state.withLock { $0.handlers }?.drain() }
    }
    _ = try await write()
  }

  /// The entry with the time.
  private var stamped: GatewayEntry {
    var entry = state.withLock { $0.entry }
    entry.seen = Timestamp.text(loop.wallClockAtStart + loop.now.sinceStart)
    return entry
  }

  /// Stores a copy of the entry that outlasts the gateway, until the copy is forgotten by hand.
  private func keepCopy() async throws {
    let (key, value) = (StoreKey.known(name), StoredValue.gateway(stamped))
    guard case .entries(let found) = try await store.ask(.list(.one(key)), on: loop) else { return }
    let change = found.first.map { StoreRequest.update(key, value, expecting: $0.revision) }
    _ = try await store.ask(change ?? .create(key, value), on: loop)
  }

  private func readEntry() async throws -> (entry: GatewayEntry, revision: Revision)? {
    guard case .entries(let entries) = try await store.ask(.list(.one(.gateway(name))), on: loop),
      let found = entries.first, case .gateway(let entry) = found.value
    else { return nil }
    return (entry, found.revision)
  }

  /// Whether another process has written an entry. An entry of an earlier version does not tell.
  private func isForeign(_ entry: GatewayEntry) -> Bool {
    let own = state.withLock { $0.entry.incarnation }
    return entry.incarnation.map { $0 != own } ?? false
  }

  /// Whether this process must end because of another one with the same name. The process that
  /// found the other's entry when it began ends. If neither did, the order of their incarnations
  /// decides, once the other process has written its entry twice.
  private func mustYield(to other: GatewayEntry) -> Bool {
    guard let rival = other.incarnation else { return false }
    return state.withLock { state in
      if state.predecessor == rival { return true }
      return !state.rivals.insert(rival).inserted && (state.entry.incarnation ?? "") > rival
    }
  }

  /// - Returns: Whether the entry is stored. If not, it must be read before the next attempt.
  private func write() async throws -> Bool {
    let revision = state.withLock { $0.revision }
    let (key, value) = (StoreKey.gateway(name), StoredValue.gateway(stamped))
    let request =
      revision.map { StoreRequest.update(key, value, expecting: $0) } ?? .create(key, value)
    guard case .applied(let new) = try await store.ask(request, on: loop) else { return false }
    state.withLock { $0.revision = new }
    return true
  }
}
