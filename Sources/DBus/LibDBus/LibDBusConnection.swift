// The front over libdbus: a private connection to a real bus, read and written by our loop.
//
// libdbus does the wire protocol and its validation. Serials, waiting, deadlines, matching and
// dispatching are ours: its pending calls cost more and lose replies when two threads use them, and
// its dispatcher holds the connection while it polls.

import CDBus
public import Signals

/// A connection to a bus through libdbus. It stays open until ``close()`` or the end of the bus,
/// even when nothing refers to it.
///
/// Messages are sent from the calling thread; incoming messages are handled on the loop.
public final class LibDBusConnection: MessageBus {
  /// What the lock protects, the connection of libdbus itself included.
  ///
  /// libdbus is only called under the lock, so that no watch is handled while another thread
  /// removes it. Its only callbacks go to ``SocketWatch``.
  struct State: FrontState, @unchecked Sendable {
    // `connection` points to what libdbus owns, which the lock around this state protects.
    /// nil once it has ended.
    var connection: OpaquePointer?
    var socket: SocketWatch?
    var failure: BusFailure?
    var uniqueName = ""
    var pending = PendingCalls<ReplyWaiter>()
    var matches = MatchTable<Completion<Void>>()
    var subscribers = Subscribers()
    var exports = Exports()
    var closeHandlers: [@Sendable (BusFailure) -> Void] = []
    var callObserver: CallObserver?
  }

  /// The maximum size of the send queue, in octets.
  static let sendQueueLimit = 1 << 26

  public let loop: Loop
  public let address: String
  /// How much a received message may hold.
  let limits: ReadLimits
  let state: Guarded<State>

  private init(
    _ connection: OpaquePointer,
    address: String,
    on loop: Loop,
    _ limits: ReadLimits
  ) {
    self.loop = loop
    self.limits = limits
    self.address = address
    state = Guarded(State(connection: connection))
  }

  public var uniqueName: String { state.withLock { $0.uniqueName } }

  // MARK: Opening

  /// Connects to a bus and gets a unique name from it.
  ///
  /// ```swift
  /// let loop = EventLoop()
  /// let bus = try await LibDBusConnection.open(address: .system, on: loop)
  /// print(bus.uniqueName)
  /// ```
  ///
  /// - Parameters:
  ///   - address: Which bus.
  ///   - loop: The loop that drives the connection.
  ///   - limit: The deadline for the bus to accept the connection, and again for it to reply.
  ///   - limits: How much a received message may hold.
  /// - Throws: ``BusFailure/unreachable(address:reason:)`` at once when there is no bus,
  ///   ``BusFailure/notPermitted(address:reason:)`` when it refuses this user; `TimedOut`,
  ///   `CancellationError`.
  public static func open(
    address: BusAddress,
    on loop: Loop,
    limit: Duration = .seconds(10),
    receiving limits: ReadLimits = ReadLimits()
  ) async throws -> LibDBusConnection {
    let text = try address.resolved()
    // On the loop, however busy the threads of the caller are: a bus closes connections whose Hello
    // comes too late.
    return try await withTaskExecutorPreference(loop) {
      try await greeted(text, on: loop, limit, limits)
    }
  }

  /// A connection to which the bus has given its unique name.
  private static func greeted(
    _ text: String,
    on loop: Loop,
    _ limit: Duration,
    _ limits: ReadLimits
  ) async throws -> LibDBusConnection {
    let connection = try await OpenedConnection.open(text, on: loop, limit: limit)
    let bus = LibDBusConnection(connection.pointer, address: text, on: loop, limits)
    let socket = SocketWatch(on: loop) { events in bus.ready(events) }
    let change = bus.state.withLock { state in
      state.socket = socket
      if let connection = state.connection { socket.install(in: connection) }
      return socket.beginChange()
    }
    bus.perform(change)
    do {
      let hello = BusDriver.call(BusDriver.Method.hello, [])
      let reply = try await bus.call(hello, limit: limit)
      guard let name = reply.body.first?.asString else {
        throw BusFailure.unreachable(address: text, reason: "the bus gave no unique name")
      }
      bus.state.withLock { state in
        state.uniqueName = name
        if let connection = state.connection { dbus_bus_set_unique_name(connection, name) }
      }
      return bus
    } catch {
      bus.close()
      throw openingFailure(error, address: text)
    }
  }

  private static func openingFailure(_ error: any Error, address: String) -> any Error {
    switch error {
    case let error as DBusError where error.name == .accessDenied:
      BusFailure.notPermitted(address: address, reason: error.message)
    case let error as DBusError:
      BusFailure.unreachable(address: address, reason: error.description)
    case BusFailure.closed(_, let reason):
      BusFailure.unreachable(address: address, reason: reason)
    default: error
    }
  }

  // MARK: The socket

  /// Applies pending changes to the loop, without the lock, until none is left.
  func perform(_ change: SocketWatch.Change?) {
    guard var change else { return }
    while true {
      let socket = change.socket
      let made = socket.perform(change.kind)
      guard let next = state.withLock({ _ in socket.endChange(made) }) else { return }
      change = next
    }
  }

  // MARK: Ending

  public func onClose(_ handler: @escaping @Sendable (BusFailure) -> Void) {
    let failure = state.withLock { state in
      if state.failure == nil { state.closeHandlers.append(handler) }
      return state.failure
    }
    if let failure { loop.post { handler(failure) } }
  }

  public func close() { end("it was closed by this program") }

  /// The bus or libdbus has closed the connection.
  func lost() {
    let isAuthenticated = state.withLock { state in
      state.connection.map { dbus_connection_get_is_authenticated($0) != 0 } ?? true
    }
    if isAuthenticated {
      end("the bus closed it")
    } else {
      let reason = "the bus did not accept the user of this process"
      end(with: .notPermitted(address: address, reason: reason))
    }
  }

  private func end(_ reason: String) { end(with: .closed(address: address, reason: reason)) }

  private func end(with failure: BusFailure) {
    let (ended, change): (State?, SocketWatch.Change?) = state.withLock { state in
      guard let connection = state.connection else { return (nil, nil) }
      state.socket?.uninstall(from: connection)
      var ended = State()
      swap(&ended, &state)
      state.failure = failure
      state.uniqueName = ended.uniqueName
      // Waiters for a rule are resumed by the failure of its AddMatch.
      state.matches = ended.matches
      return (ended, ended.socket?.beginChange())
    }
    guard let ended else { return }
    perform(change)
    announceEnd(of: ended, failure)
  }
}
