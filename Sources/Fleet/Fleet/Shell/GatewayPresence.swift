// What a fleet sees of a gateway that has nothing to do: reports of what it observes, and its entry,
// each at its pace.
//
// A shell over the store. What is observed, and what follows from a wish to drain, is up to the gateway.
// This is all the traffic of an idle gateway but for its part in the sweeps: a fleet of many depends on it.

public import Signals

/// Reports what a gateway observes, and renews its entry.
public final class GatewayPresence: Sendable {
  /// What a gateway is asked for and gets to know. Called on the loop.
  public struct Handlers: Sendable {
    /// What is observed now.
    let report: @Sendable () -> SightingReport
    /// Somebody has marked the entry as draining.
    let drain: @Sendable () -> Void

    /// Handlers of a gateway.
    public init(
      report: @escaping @Sendable () -> SightingReport, drain: @escaping @Sendable () -> Void
    ) {
      self.report = report
      self.drain = drain
    }
  }

  private struct State {
    var entry: GatewayEntry
    /// The revision of the entry; nil when it is not known.
    var revision: Revision?
    var tasks: [Task<Void, any Error>] = []
    var handlers: Handlers?
  }

  private let name: String
  private let settings: FleetSettings
  private let store: any JobStore
  private let loop: Loop
  private let state: Guarded<State>

  /// A gateway that nobody sees yet.
  ///
  /// - Parameters:
  ///   - name: Its name; see ``StoreName``.
  ///   - entry: What it reports of itself.
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

  /// Begins: the first report and the entry are sent at once.
  public func begin(_ handlers: Handlers) {
    state.withLock { $0.handlers = handlers }
    repeatedly(every: settings.reportEvery) { [self] in
      let report = handlers.report()
      _ = try await store.ask(.publish(.sightings(of: name), .sightings(report)), on: loop)
    }
    repeatedly(every: settings.entryEvery) { [self] in try await renew() }
  }

  private func repeatedly(
    every pause: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) {
    let task = loop.repeatedly(every: pause, body)
    state.withLock { $0.tasks.append(task) }
  }

  /// Changes the entry, as it is written with the next renewal.
  ///
  /// - Returns: Whether it is another one now.
  public func change(_ change: (inout GatewayEntry) -> Void) -> Bool {
    state.withLock { state in
      let old = state.entry
      change(&state.entry)
      return state.entry != old
    }
  }

  /// Renews the entry now, beside the usual renewals.
  public func renewNow() {
    let task = loop.task { [self] in try await renew() }
    state.withLock { $0.tasks.append(task) }
  }

  /// Ends the reports, and removes the entry.
  ///
  /// - Parameter isReachable: Whether the store can be reached; else the entry expires.
  public func end(isReachable: Bool) async {
    let tasks = state.withLock { state in
      state.handlers = nil
      return state.tasks
    }
    for task in tasks { task.cancel() }
    for task in tasks { _ = try? await task.value }
    // A renewal may have been under way: the entry is read before it is removed.
    let key = StoreKey.gateway(name)
    guard isReachable,
      case .entries(let entries)? = try? await store.ask(.list(.one(key)), on: loop),
      let revision = entries.first?.revision
    else { return }
    _ = try? await store.ask(.remove(key, expecting: revision), on: loop)
  }

  // MARK: The entry

  private func renew() async throws {
    if try await write() { return }
    // Somebody else has changed the entry, or it has expired.
    guard case .entries(let entries) = try await store.ask(.list(.one(.gateway(name))), on: loop)
    else { return }
    let isOwn = state.withLock { state in
      defer { state.revision = entries.first?.revision }
      return state.revision != nil
    }
    // A wish to drain is for this process where the entry was its own.
    if isOwn, case .gateway(let entry)? = entries.first?.value, entry.isDraining {
      state.withLock { $0.handlers }?.drain()
    }
    _ = try await write()
  }

  /// - Returns: Whether it is stored; else it has to be read before the next attempt.
  private func write() async throws -> Bool {
    let (entry, revision) = state.withLock { ($0.entry, $0.revision) }
    let (key, value) = (StoreKey.gateway(name), StoredValue.gateway(entry))
    let request =
      revision.map { StoreRequest.update(key, value, expecting: $0) } ?? .create(key, value)
    guard case .applied(let new) = try await store.ask(request, on: loop) else { return false }
    state.withLock { $0.revision = new }
    return true
  }
}
