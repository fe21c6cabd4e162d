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
