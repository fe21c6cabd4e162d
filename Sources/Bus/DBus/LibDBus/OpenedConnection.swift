// Connects to the socket of a bus.
//
// libdbus connects in a blocking call without a deadline. A bus whose queue of connections is full
// blocks it until it accepts one. So each attempt has a detached thread, and the number of threads
// that outlive their callers is limited for each bus.

import CDBus
import Glibc
import Signals

/// A new connection of libdbus, not used yet.
struct OpenedConnection: @unchecked Sendable {
  // `pointer` is used by one thread at a time: the connecting thread does not use it after it ends
  // the completion.
  let pointer: OpaquePointer

  /// An attempt to connect, shared by its thread and its caller.
  private final class Attempt: Sendable {
    private enum State { case awaited, abandoned, ended }

    let address: String
    private let state = Guarded(State.awaited)

    init(_ address: String) { self.address = address }

    /// Connects. Closes the connection if the caller no longer waits for it.
    func run(_ opened: Completion<OpenedConnection>) {
      let result = Result { () throws(BusFailure) in try OpenedConnection(to: address) }
      let isAwaited = opened.end(result.mapError { $0 as any Error })
      if !isAwaited, case .success(let connection) = result { connection.close() }
      let wasAbandoned = state.withLock { state in
        defer { state = .ended }
        return state == .abandoned
      }
      if wasAbandoned { count(-1) }
    }

    /// Records that the caller no longer waits.
    func abandon() {
      let isAbandoned = state.withLock { state in
        if state == .awaited { state = .abandoned }
        return state == .abandoned
      }
      if isAbandoned { count(1) }
    }

    private func count(_ change: Int) {
      abandoned.withLock { left in
        let count = left[address, default: 0] + change
        left[address] = count == 0 ? nil : count
      }
    }
  }

  /// The number of abandoned threads that are still connecting, by address.
  private static let abandoned = Guarded<[String: Int]>([:])
  /// The maximum number of abandoned threads for one address.
  static let maximumAbandoned = 4

  /// Connects. If the deadline passes or the task is cancelled, the thread is abandoned: it ends
  /// when the bus accepts, refuses or disappears. With ``maximumAbandoned`` abandoned threads at an
  /// address, this fails at once.
  ///
  /// - Throws: ``BusFailure``; `TimedOut`, `CancellationError`.
  static func open(
    _ address: String, on loop: Loop, limit: Duration
  ) async throws -> OpenedConnection {
    guard abandoned.withLock({ $0[address, default: 0] }) < maximumAbandoned else {
      let reason = "\(maximumAbandoned) earlier attempts still wait for the bus to accept them"
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
      attempt.abandon()
      throw error
    }
  }

  /// Connects in a blocking call without a deadline.
  private init(to address: String) throws(BusFailure) {
    dbus_threads_init_default()
    // The program itself sets the disposition of SIGPIPE.
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
