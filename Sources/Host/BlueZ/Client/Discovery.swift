// The discovery of this program on one adapter: started by its first user, stopped by the last, and paused
// while this program, or another process with the same ledger, connects to a device.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The discovery session of this bus connection on one adapter.
///
/// bluetoothd counts one session per connection, so all scans share this one.
final class Discovery: Sendable {
  private struct State {
    /// The filter of each active scan, by number.
    var users: [(id: UInt64, filter: DiscoveryFilter)] = []
    var lastID: UInt64 = 0
    var pauses = 0
    var isRunning = false
    /// The filter that bluetoothd last received for this session.
    var applied: DiscoveryFilter?
    /// When it began to report what that filter lets through.
    var begun: Instant?
    /// `Discovering` was true before our session started: another program discovers.
    var othersDiscover = false

    /// How many users are starting or stopping the session now.
    var changing = 0
    /// Records for other processes that this one no longer scans.
    var endScanRecord: (@Sendable () -> Void)?
    /// The scan has already paused for the current turn of another process.
    var hasYielded = false

    var isWanted: Bool { !users.isEmpty && pauses == 0 }
    var isSettled: Bool {
      changing == 0 && isWanted == isRunning && (!isRunning || applied == filter)
    }

    /// The merged filter of all scans.
    var filter: DiscoveryFilter {
      guard let first = users.first else { return .all }
      return users.dropFirst().reduce(first.filter) { $0.merged(with: $1.filter) }
    }

    mutating func add(_ filter: DiscoveryFilter) -> UInt64 {
      lastID += 1
      users.append((lastID, filter))
      return lastID
    }
  }

  let adapter: ObjectPath
  private let gate = Gate()
  private let connecting = Gate()
  private let state = Guarded(State())
  private let startCall: MethodCall
  private let stopCall: MethodCall

  init(on adapter: ObjectPath) {
    self.adapter = adapter
    startCall = .bluez(adapter, Adapter1.startDiscovery)
    stopCall = .bluez(adapter, Adapter1.stopDiscovery)
  }

  /// Runs `body` during discovery.
  ///
  /// Afterwards, however it ended, our discovery has stopped and `Discovering` has become false,
  /// unless another scan still needs it.
  ///
  /// - Parameter filter: The devices to report; bluetoothd reports more if another scan needs it.
  func during<R>(
    _ client: BlueZClient, _ filter: DiscoveryFilter = .all, _ body: () async throws -> R
  ) async throws -> R {
    let id = state.withLock { $0.add(filter) }
    let result: R
    do {
      try await reconcile(client)
      result = try await yielding(client, body)
    } catch {
      state.withLock { $0.users.removeAll { $0.id == id } }
      try? await reconcileShielded(client)
      throw error
    }
    state.withLock { $0.users.removeAll { $0.id == id } }
    try await reconcileShielded(client)
    return result
  }

  /// Runs `body`, which connects, without a concurrent discovery or a connection attempt to another
  /// device.
  ///
  /// A controller does one at a time: an attempt that is started during a scan, or beside another
  /// attempt, often fails.
  func whileConnecting<R>(_ client: BlueZClient, _ body: () async throws -> R) async throws -> R {
    try await connecting.pass(on: client.loop, operation: "the end of another connect") {
      state.withLock { $0.pauses += 1 }
      let result: Result<R, any Error>
      do {
        try await reconcile(client)
        result = .success(try await body())
      } catch {
        result = .failure(error)
      }
      state.withLock { $0.pauses -= 1 }
      // A scan that cannot resume does not fail the connection.
      try? await reconcileShielded(client)
      return try result.get()
    }
  }

  private func reconcileShielded(_ client: BlueZClient) async throws {
    if state.withLock({ $0.isSettled }) { return }
    try await shielded(on: client.loop, limit: client.limits.call) { [self] in
      try await reconcile(client)
    }
  }

  /// The adapter was powered off or removed, or bluetoothd has disappeared, and the session with
  /// it.
  func sessionLost() {
    state.withLock { state in
      state.isRunning = false
      state.applied = nil
    }
    clearScanRecord()
  }

  /// Ends the session of this connection, if it has one; does not wait for that.
  func release(_ client: BlueZClient) {
    if isRunning { try? client.bus.send(stopCall.withoutReply()) }
    sessionLost()
  }

  /// Whether this connection has a session.
  var isRunning: Bool { state.withLock { $0.isRunning } }

  /// The instant since which bluetoothd reports all that is wanted now; nil while the session is not
  /// running.
  var begun: Instant? { state.withLock { $0.isRunning ? $0.begun : nil } }

  /// Starts or stops discovery, as currently needed.
  func reconcile(_ client: BlueZClient) async throws {
    let isSettled = state.withLock { state in
      if state.isSettled { return true }
      state.changing += 1
      return false
    }
    if isSettled { return }
    defer { state.withLock { $0.changing -= 1 } }
    try await gate.pass(on: client.loop, operation: "starting or stopping discovery") {
      let (isWanted, isRunning) = state.withLock { ($0.isWanted, $0.isRunning) }
      if isWanted && isRunning { try await applyFilter(client) }
      if isWanted && !isRunning { try await start(client) }
      if !isWanted && isRunning { try await stop(client) }
    }
  }

  private func start(_ client: BlueZClient) async throws {
    let othersDiscover = client.withTree { $0.adapter(at: adapter)?.isDiscovering ?? false }
    state.withLock { $0.othersDiscover = othersDiscover }
    state.withLock { $0.applied = nil }
    try await announce(client)
    do {
      try await applyFilter(client)
      try await callStart(client)
    } catch let error as DBusError where error.refusal == .inProgress {
      // This connection already has a session: use it.
    } catch {
      clearScanRecord()
      throw error
    }
    state.withLock { state in
      state.isRunning = true
      state.begun = client.loop.now
    }
  }

  /// Calls StartDiscovery. If the caller leaves and no reply arrives after that either, bluetoothd
  /// may still have started a session: it is stopped, whether or not it exists.
  private func callStart(_ client: BlueZClient) async throws {
    let hasAnswer = Guarded(false)
    do {
      _ = try await client.bus.call(startCall, limit: client.limits.call) { [self, client] in
        hasAnswer.withLock { $0 = true }
        lateStart($0, client)
      }
    } catch let error as DBusError {
      throw error
    } catch {
      client.loop.after(client.limits.lateStart) { [self, client] in
        if !hasAnswer.withLock({ $0 }) { stopIfUnneeded(client) }
      }
      throw error
    }
  }

  /// Sets the filter in bluetoothd if it has changed.
  private func applyFilter(_ client: BlueZClient) async throws {
    let (filter, isNew) = state.withLock { ($0.filter, $0.applied != $0.filter) }
    guard isNew else { return }
    let call = MethodCall.bluez(adapter, Adapter1.setDiscoveryFilter, filter.properties)
    _ = try await client.bus.call(call, limit: client.limits.call, lateReply: nil)
    state.withLock { state in
      state.applied = filter
      state.begun = client.loop.now
    }
  }

  /// StartDiscovery was answered after its caller had left: the session is stopped unless it is
  /// needed.
  ///
  /// The caller may not have removed itself yet; the session then counts as running, and stops when
  /// it does.
  private func lateStart(_ answer: Result<Message, DBusError>, _ client: BlueZClient) {
    guard case .success = answer else { return }
    state.withLock { if $0.isWanted { $0.isRunning = true } }
    stopIfUnneeded(client)
  }

  /// Stops a session that no scan needs.
  private func stopIfUnneeded(_ client: BlueZClient) {
    if !isRunning { try? client.bus.send(stopCall.withoutReply()) }
  }

  private func stop(_ client: BlueZClient) async throws {
    state.withLock { $0.isRunning = false }
    defer { clearScanRecord() }
    do {
      _ = try await client.bus.call(stopCall, limit: client.limits.call, lateReply: nil)
    } catch let error as DBusError where Self.isOver(error.refusal) {
      // The session has already ended, as intended.
    }
    try await awaitStopped(client)
  }

  /// Whether a refused stop means that there is no session to stop.
  ///
  /// `InProgress` is a workaround: before 5.88, StopDiscovery is refused with it when the
  /// controller itself ends the scan at the same time, and the session has ended nevertheless.
  /// https://github.com/bluez/bluez/issues/807
  private static func isOver(_ refusal: Refusal) -> Bool {
    [.noDiscovery, .notReady, .inProgress, .unknownObject].contains(refusal)
  }

  private func awaitStopped(_ client: BlueZClient) async throws {
    let othersDiscover = state.withLock { $0.othersDiscover }
    let limit = othersDiscover ? client.limits.othersDiscoveryEnd : client.limits.discoveryEnd
    do {
      try await client.until("the end of discovery", limit: limit) { [adapter] tree in
        tree.adapter(at: adapter)?.isDiscovering == true ? nil : ()
      }
    } catch is TimedOut where !Task.isCancelled {
      // Another program discovers: there is nothing more to wait for.
    }
  }
}

extension Discovery {
  /// Waits, for a limited time, while another process connects over this adapter, and records that
  /// this process scans.
  private func announce(_ client: BlueZClient) async throws {
    guard let (ledger, address) = ledger(of: client) else { return }
    let endScanRecord = try await ledger.listen(
      at: address, on: client.loop, limit: client.limits.scanTurn
    )
    state.withLock { $0.endScanRecord = endScanRecord }
  }

  /// Records that this process no longer scans.
  private func clearScanRecord() {
    let endScanRecord = state.withLock { state in
      defer { state.endScanRecord = nil }
      return state.endScanRecord
    }
    endScanRecord?()
  }

  /// Runs `body`, which scans, and pauses the scan while another process connects.
  private func yielding<R>(_ client: BlueZClient, _ body: () async throws -> R) async throws
    -> R
  {
    guard let (ledger, address) = ledger(of: client) else { return try await body() }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in try await watch(client, ledger, address) }
      defer { group.cancelAll() }
      return try await body()
    }
  }

  private func ledger(of client: BlueZClient) -> (any LinkLedger, BluetoothAddress)? {
    guard let ledger = client.ledger,
      let address = client.withTree({ $0.adapter(at: adapter)?.address })
    else { return nil }
    return (ledger, address)
  }

  /// Checks periodically whether another process has the turn at the adapter, until cancelled.
  private func watch(
    _ client: BlueZClient, _ ledger: any LinkLedger, _ address: BluetoothAddress
  ) async throws {
    while true {
      try await client.loop.sleep(for: client.limits.scanWatch)
      let isTaken = ledger.isTurnTaken(at: address)
      let isDue = state.withLock { state in
        if !isTaken { state.hasYielded = false }
        guard isTaken, !state.hasYielded, state.isRunning, state.pauses == 0 else { return false }
        state.hasYielded = true
        state.pauses += 1
        return true
      }
      if isDue { try await pause(client) { ledger.isTurnTaken(at: address) } }
      // A scan that cannot resume at once resumes when it can.
      try? await reconcile(client)
    }
  }

  /// Pauses discovery as long as `isWanted` holds, within the limit.
  private func pause(_ client: BlueZClient, while isWanted: () -> Bool) async throws {
    defer { state.withLock { $0.pauses -= 1 } }
    let end = client.loop.now + client.limits.scanYield
    try? await reconcile(client)
    repeat {
      try await client.loop.sleep(for: client.limits.scanWatch)
    } while isWanted() && client.loop.now < end
  }
}
