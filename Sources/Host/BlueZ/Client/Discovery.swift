// Our own discovery on one adapter: started by its first user, stopped by the last, and paused
// while this program connects to a device, or, in Discovery+Yielding.swift, while another one does.

import BlueZInterfaces
import DBus
import Signals

/// The discovery session of this bus connection on one adapter.
///
/// bluetoothd counts one session per connection, so all scans share this one.
final class Discovery: Sendable {
  struct State {
    /// The filter of each active scan, by number.
    var users: [(id: UInt64, wish: DiscoveryWish)] = []
    var lastID: UInt64 = 0
    var pauses = 0
    var isRunning = false
    /// The filter that bluetoothd last received for this session.
    var applied: DiscoveryWish?
    /// When it began to report what that filter lets through.
    var begun: Instant?
    /// `Discovering` was true before our session started: another program discovers.
    var othersDiscover = false

    /// How many users are starting or stopping the session now.
    var changing = 0
    /// Records for other processes that this one no longer scans.
    var silence: (@Sendable () -> Void)?
    /// The scan has already paused for the current turn of another process.
    var hasYielded = false

    var isWanted: Bool { !users.isEmpty && pauses == 0 }
    var isSettled: Bool {
      changing == 0 && isWanted == isRunning && (!isRunning || applied == wish)
    }

    /// The merged filter of all scans.
    var wish: DiscoveryWish {
      guard let first = users.first else { return .all }
      return users.dropFirst().reduce(first.wish) { $0.merged(with: $1.wish) }
    }

    mutating func add(_ wish: DiscoveryWish) -> UInt64 {
      lastID += 1
      users.append((lastID, wish))
      return lastID
    }
  }

  let adapter: ObjectPath
  private let gate = Gate()
  private let connecting = Gate()
  let state = Guarded(State())
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
  /// - Parameter wish: What bluetoothd may leave out; other scans may cause it to report more.
  func during<R>(
    _ client: BlueZClient, _ wish: DiscoveryWish = .all, _ body: () async throws -> R
  ) async throws -> R {
    let id = state.withLock { $0.add(wish) }
    let result: R
    do {
      try await follow(client)
      result = try await yielding(client, body)
    } catch {
      state.withLock { $0.users.removeAll { $0.id == id } }
      try? await followShielded(client)
      throw error
    }
    state.withLock { $0.users.removeAll { $0.id == id } }
    try await followShielded(client)
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
        try await follow(client)
        result = .success(try await body())
      } catch {
        result = .failure(error)
      }
      state.withLock { $0.pauses -= 1 }
      // A scan that cannot resume does not fail the connection.
      try? await followShielded(client)
      return try result.get()
    }
  }

  private func followShielded(_ client: BlueZClient) async throws {
    if state.withLock({ $0.isSettled }) { return }
    try await shielded(on: client.loop, limit: client.limits.call) { [self] in
      try await follow(client)
    }
  }

  /// The adapter was powered off or removed, or bluetoothd has disappeared, and the session with
  /// it.
  func sessionLost() {
    state.withLock { state in
      state.isRunning = false
      state.applied = nil
    }
    fallSilent()
  }

  /// Ends the session of this connection, if it has one; does not wait for that.
  func release(_ client: BlueZClient) {
    if isRunning { try? client.bus.send(stopCall.withoutReply()) }
    sessionLost()
  }

  /// Whether this connection has a session.
  var isRunning: Bool { state.withLock { $0.isRunning } }

  /// Since when everything has been received that is wanted now; nil while the session is not
  /// running.
  var begun: Instant? { state.withLock { $0.isRunning ? $0.begun : nil } }

  /// Starts or stops discovery, as currently needed.
  func follow(_ client: BlueZClient) async throws {
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
    let othersDiscover = client.look { $0.adapter(at: adapter)?.isDiscovering ?? false }
    state.withLock { $0.othersDiscover = othersDiscover }
    state.withLock { $0.applied = nil }
    try await announce(client)
    do {
      try await applyFilter(client)
      try await callStart(client)
    } catch let error as DBusError where ErrorAnswer(error).name == BlueZErrorName.inProgress {
      // This connection already has a session: use it.
    } catch {
      fallSilent()
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
        if !hasAnswer.withLock({ $0 }) { takeBack(client) }
      }
      throw error
    }
  }

  /// Sets the filter in bluetoothd if it has changed.
  private func applyFilter(_ client: BlueZClient) async throws {
    let (wish, isNew) = state.withLock { ($0.wish, $0.applied != $0.wish) }
    guard isNew else { return }
    let call = MethodCall.bluez(adapter, Adapter1.setDiscoveryFilter, wish.properties)
    _ = try await client.bus.call(call, limit: client.limits.call, lateReply: nil)
    state.withLock { state in
      state.applied = wish
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
    takeBack(client)
  }

  /// Stops a session that nobody needs.
  private func takeBack(_ client: BlueZClient) {
    if !isRunning { try? client.bus.send(stopCall.withoutReply()) }
  }

  private func stop(_ client: BlueZClient) async throws {
    state.withLock { $0.isRunning = false }
    defer { fallSilent() }
    do {
      _ = try await client.bus.call(stopCall, limit: client.limits.call, lateReply: nil)
    } catch let error as DBusError where Self.isOver(ErrorAnswer(error)) {
      // The session has already ended, as intended.
    }
    try await seeStopped(client)
  }

  /// Whether a refused stop means that there is no session to stop.
  ///
  /// `InProgress` is a workaround: before 5.88, StopDiscovery is refused with it when the
  /// controller itself ends the scan at the same time, and the session has ended nevertheless.
  /// https://github.com/bluez/bluez/issues/807
  private static func isOver(_ answer: ErrorAnswer) -> Bool {
    answer == .noDiscoveryStarted || answer.name == BlueZErrorName.notReady
      || answer.name == BlueZErrorName.inProgress
      || answer.name == BlueZErrorName.Bus.unknownObject
  }

  private func seeStopped(_ client: BlueZClient) async throws {
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
