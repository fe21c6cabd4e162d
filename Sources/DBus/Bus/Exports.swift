// The handlers of method calls to one connection.
//
// A pure list; whoever holds it calls the handlers.

/// Handlers, in the order they came.
struct Exports: Sendable {
  private var handlers: [(id: UInt64, handler: any ObjectHandler)] = []
  private var lastID: UInt64 = 0

  /// The handlers, to be asked in this order.
  var all: [any ObjectHandler] { handlers.map(\.handler) }

  /// Adds a handler.
  ///
  /// - Returns: What it is removed by.
  mutating func add(_ handler: any ObjectHandler) -> UInt64 {
    lastID += 1
    handlers.append((lastID, handler))
    return lastID
  }

  /// Removes a handler. Without effect when it is gone.
  mutating func remove(_ id: UInt64) { handlers.removeAll { $0.id == id } }
}

extension Invocation {
  /// Offers the call to handlers until one takes it, and answers it when none does.
  ///
  /// As with libdbus, every connection answers `org.freedesktop.DBus.Peer` on every path.
  ///
  /// - Parameter machineID: The answer to GetMachineId; nil when it is not known.
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
