// Connecting to the socket of a bus.
//
// libdbus connects in a blocking call without a deadline: a bus whose queue of connections is full
// holds it until somebody accepts. So it has a thread of its own, and nobody waits for that.

import CDBus
import Glibc
import Signals

/// A connection of libdbus that nobody uses yet.
struct OpenedConnection: @unchecked Sendable {
  // `pointer` is used by one thread at a time: the one that connects has done with it before it ends
  // the completion.
  let pointer: OpaquePointer

  /// The connecting, on its way to its thread.
  private final class Attempt: Sendable {
    let address: String
    let opened: Completion<OpenedConnection>

    init(_ address: String, _ opened: Completion<OpenedConnection>) {
      self.address = address
      self.opened = opened
    }

    /// Connects; what nobody waits for any more is closed.
    func run() {
      let result = Result { () throws(BusFailure) in try OpenedConnection(to: address) }
      let isTaken = opened.end(result.mapError { $0 as any Error })
      if !isTaken, case .success(let connection) = result { connection.close() }
    }
  }

  /// The name of the threads that connect, as `ps -L` shows it.
  private static let threadName = "dbus-connect"

  /// Connects. When the deadline passes or the task is cancelled, the thread is left behind: it ends
  /// when the bus accepts, refuses or disappears.
  ///
  /// - Throws: ``BusFailure``; `TimedOut`, `CancellationError`.
  static func open(
    _ address: String,
    on loop: Loop,
    limit: Duration
  ) async throws -> OpenedConnection {
    try await wait(on: loop, operation: "connecting to the bus \(address)", limit: limit) {
      (opened: Completion<OpenedConnection>) in
      let attempt = Unmanaged.passRetained(Attempt(address, opened))
      var thread = pthread_t()
      let number = pthread_create(&thread, nil, entry, attempt.toOpaque())
      guard number == 0 else {
        attempt.release()
        let reason = "no thread is left to connect: \(String(cString: strerror(number)))"
        throw BusFailure.unreachable(address: address, reason: reason)
      }
      pthread_detach(thread)
    }
  }

  private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    { raw in
      guard let raw else { return nil }
      _ = name_calling_thread(threadName)
      Unmanaged<Attempt>.fromOpaque(raw).takeRetainedValue().run()
      return nil
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
