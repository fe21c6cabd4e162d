// The handlers of method calls to one connection.
//
// A pure list; its owner calls the handlers.

/// Handlers, in the order they were added.
struct Exports: Sendable {
  private var handlers: [(id: UInt64, handler: any ObjectHandler)] = []
  private var lastID: UInt64 = 0

  /// The handlers, in the order in which they are offered a call.
  var all: [any ObjectHandler] { handlers.map(\.handler) }

  /// Adds a handler.
  ///
  /// - Returns: The identifier for removing it.
  mutating func add(_ handler: any ObjectHandler) -> UInt64 {
    lastID += 1
    handlers.append((lastID, handler))
    return lastID
  }

  /// Removes a handler. Has no effect when it is already removed.
  mutating func remove(_ id: UInt64) { handlers.removeAll { $0.id == id } }
}

extension Invocation {
  /// Offers the call to the handlers until one accepts it, and answers it when none does.
  ///
  /// As with libdbus, every connection answers `org.freedesktop.DBus.Peer` on every path.
  ///
  /// - Parameter machineID: The answer to GetMachineId; nil when it is unknown.
  func offer(to handlers: [any ObjectHandler], machineID: () -> String?) {
    for handler in handlers where handler.handle(self) { return }
    if message.interface == "org.freedesktop.DBus.Peer", message.body.isEmpty {
      if message.member == "Ping" { return reply() }
      if message.member == "GetMachineId", let id = machineID() { return reply([.string(id)]) }
      return fail(Self.unclaimed(message, name: .unknownMethod))
    }
    fail(Self.unclaimed(message))
  }
}
