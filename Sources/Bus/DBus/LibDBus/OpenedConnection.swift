// Connecting to the socket of a bus.
//
// libdbus connects in a blocking call without a deadline: a bus whose queue of connections is full
// holds it until somebody accepts. So it has a thread of its own, and nobody waits for that. How many
// threads are left behind at a bus is bounded.

import CDBus
import Glibc
import Signals

/// A connection of libdbus that nobody uses yet.
struct OpenedConnection: @unchecked Sendable {
  // `pointer` is used by one thread at a time: the one that connects has done with it before it ends
  // the completion.
  let pointer: OpaquePointer

  /// The connecting, which its thread and its caller share.
  private final class Attempt: Sendable {
    private enum State { case awaited, left, ended }

    let address: String
    private let state = Guarded(State.awaited)

    init(_ address: String) { self.address = address }

    /// Connects; what nobody waits for any more is closed.
    func run(_ opened: Completion<OpenedConnection>) {
      let result = Result { () throws(BusFailure) in try OpenedConnection(to: address) }
      let isTaken = opened.end(result.mapError { $0 as any Error })
      if !isTaken, case .success(let connection) = result { connection.close() }
      let wasLeft = state.withLock { state in
        defer { state = .ended }
        return state == .left
      }
      if wasLeft { count(-1) }
    }

    /// Its caller does not wait any more.
    func leave() {
      let isLeft = state.withLock { state in
        if state == .awaited { state = .left }
        return state == .left
      }
      if isLeft { count(1) }
    }

    private func count(_ change: Int) {
      leftBehind.withLock { left in
        let count = left[address, default: 0] + change
        left[address] = count == 0 ? nil : count
      }
    }
  }

  /// How many threads still connect to an address although nobody waits for them.
  private static let leftBehind = Guarded<[String: Int]>([:])
  /// How many threads may be left behind at an address.
  static let mostLeftBehind = 4

  /// Connects. When the deadline passes or the task is cancelled, the thread is left behind: it ends
  /// when the bus accepts, refuses or disappears. While ``mostLeftBehind`` threads are left at an
  /// address, it fails at once.
  ///
  /// - Throws: ``BusFailure``; `TimedOut`, `CancellationError`.
  static func open(
    _ address: String, on loop: Loop, limit: Duration
  ) async throws -> OpenedConnection {
    guard leftBehind.withLock({ $0[address, default: 0] }) < mostLeftBehind else {
      let reason = "\(mostLeftBehind) earlier attempts still wait for the bus to accept them"
      throw BusFailure.unreachable(address: address, reason: reason)
    }
    let attempt = Attempt(address)
    do {
      return try await wait(on: loop, operation: "connecting to the bus \(address)", limit: limit) {
        (opened: Completion<OpenedConnection>) in
        let number = startThread("dbus-connect") { attempt.run(opened) }
        guard number == 0 else {
          let reason = "no thread is left to connect: \(String(cString: strerror(number)))"
          throw BusFailure.unreachable(address: address, reason: reason)
        }
      }
    } catch {
      attempt.leave()
      throw error
    }
  }

  /// Connects, and waits for as long as that takes.
  private init(to address: String) throws(BusFailure) {
    dbus_threads_init_default()
    // The disposition of SIGPIPE is up to the program.
    dbus_connection_set_change_sigpipe(0)
    var error = CDBus.DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    guard !address.utf8.contains(0) else {
      throw .unreachable(address: address, reason: "the address has a NUL character")
    }
    if let connection = dbus_connection_open_private(address, &error) {
      dbus_connection_set_exit_on_disconnect(connection, 0)
      dbus_connection_set_max_message_size(connection, ReadLimits.messageOctets)
      pointer = connection
      return
    }
    let name = error.name.map { String(cString: $0) } ?? ""
    let reason = error.message.map { String(cString: $0) } ?? name
    if name == DBusError.Name.accessDenied.rawValue {
      throw .notPermitted(address: address, reason: reason)
    }
    throw .unreachable(address: address, reason: reason)
  }

  private func close() {
    dbus_connection_close(pointer)
    dbus_connection_unref(pointer)
  }
}
