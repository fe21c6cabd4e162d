// Our own discovery on one adapter: begun by the first who needs it, ended by the last, and
// interrupted while a device is being connected: by this program, or, in Discovery+Yielding.swift, by
// another one.

import BlueZInterfaces
import DBus
import Signals

/// The discovery session of this bus connection on one adapter.
///
/// bluetoothd counts one session for a connection, so there is one here for all scans.
final class Discovery: Sendable {
  struct State {
    /// What each scan under way wants, by its number.
    var users: [(id: UInt64, wish: DiscoveryWish)] = []
    var lastID: UInt64 = 0
    var pauses = 0
    var isRunning = false
    /// The filter that bluetoothd was last given for this session.
    var applied: DiscoveryWish?
    /// `Discovering` was true before ours began: another program discovers.
    var othersDiscover = false

    /// How many are beginning or ending it now.
    var changing = 0
    /// Says to other processes that this one does not scan any more.
    var silence: (@Sendable () -> Void)?
    /// The scan has paused as long as it does for the turn that another process has now.
    var hasYielded = false

    var isWanted: Bool { !users.isEmpty && pauses == 0 }
    var isSettled: Bool {
      changing == 0 && isWanted == isRunning && (!isRunning || applied == wish)
    }

    /// What all scans want together.
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

  /// Runs `body` while discovering.
  ///
  /// Afterwards, however it ended, our discovery has ended and `Discovering` was seen to be false,
  /// unless somebody else needs it.
  ///
  /// - Parameter wish: What bluetoothd may leave out; others who scan may have it report more.
  func during<R>(
    _ client: BlueZClient,
    _ wish: DiscoveryWish = .all,
    _ body: () async throws -> R
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

  /// Runs `body`, which connects, while neither discovering nor connecting another device.
  ///
  /// A controller does one at a time: a connection that is begun while scanning, or beside another,
  /// often fails.
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
      // A scan that cannot go on is no failure of the connect.
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

  /// The adapter was switched off or removed, or bluetoothd has gone: the session with it.
  func sessionLost() {
    state.withLock { state in
      state.isRunning = false
      state.applied = nil
    }
    fallSilent()
  }

  /// Whether this connection has a session.
  var isRunning: Bool { state.withLock { $0.isRunning } }

  /// Starts or stops discovering, as is wanted now.
  func follow(_ client: BlueZClient) async throws {
    let isSettled = state.withLock { state in
      if state.isSettled { return true }
      state.changing += 1
      return false
    }
    if isSettled { return }
    defer { state.withLock { $0.changing -= 1 } }
    try await gate.pass(on: client.loop, operation: "beginning or ending discovery") {
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
      // This connection has a session: it is used.
    } catch {
      fallSilent()
      throw error
    }
    state.withLock { $0.isRunning = true }
  }

  /// Calls StartDiscovery. When its caller leaves and no answer comes after that either, bluetoothd
  /// may have a session all the same: it is taken back, though nobody knows of one.
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

  /// Tells bluetoothd what may be left out, when that is not what it was told before.
  private func applyFilter(_ client: BlueZClient) async throws {
    let (wish, isNew) = state.withLock { ($0.wish, $0.applied != $0.wish) }
    guard isNew else { return }
    let call = MethodCall.bluez(adapter, Adapter1.setDiscoveryFilter, wish.properties)
    _ = try await client.bus.call(call, limit: client.limits.call, lateReply: nil)
    state.withLock { $0.applied = wish }
  }

  /// StartDiscovery was answered after its caller had left: taken back unless it is wanted.
  ///
  /// Whoever left may not have got to saying so; it is running then, and is stopped when it does.
  private func lateStart(_ answer: Result<Message, DBusError>, _ client: BlueZClient) {
    guard case .success = answer else { return }
    state.withLock { if $0.isWanted { $0.isRunning = true } }
    takeBack(client)
  }

  /// Ends a session that nobody wants.
  private func takeBack(_ client: BlueZClient) {
    if !isRunning { try? client.bus.send(stopCall.withoutReply()) }
  }

  private func stop(_ client: BlueZClient) async throws {
    state.withLock { $0.isRunning = false }
    defer { fallSilent() }
    do {
      _ = try await client.bus.call(stopCall, limit: client.limits.call, lateReply: nil)
    } catch let error as DBusError where Self.isOver(ErrorAnswer(error)) {
      // There is no session any more, which is what was wanted.
    }
    try await seeStopped(client)
  }

  /// Whether a refusal to stop means that there is nothing to stop.
  ///
  /// `InProgress` is a workaround: before 5.88, StopDiscovery that meets the controller's own end
  /// of a scan is refused so, and the session is gone nevertheless.
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
      // Another program discovers: nothing more can be waited for.
    }
  }
}
