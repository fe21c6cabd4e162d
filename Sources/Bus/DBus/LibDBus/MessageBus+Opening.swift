// Connecting to a real bus.

public import Signals

extension MessageBus {
  /// Connects to a bus and gets a unique name from it.
  ///
  /// ```swift
  /// let loop = EventLoop()
  /// let bus = try await MessageBus.open(address: .system, on: loop)
  /// print(bus.uniqueName)
  /// ```
  ///
  /// - Parameters:
  ///   - address: Which bus.
  ///   - loop: The loop that drives the connection.
  ///   - limit: The deadline for the bus to accept the connection, and again for it to reply.
  /// - Throws: ``BusFailure/unreachable(address:reason:)`` at once when there is no bus,
  ///   ``BusFailure/notPermitted(address:reason:)`` when it refuses this user; `TimedOut`,
  ///   `CancellationError`.
  public static func open(
    address: BusAddress, on loop: Loop, limit: Duration = .seconds(10)
  ) async throws -> MessageBus {
    try await open(address: address, on: loop, limit: limit, receiving: ReadLimits())
  }

  /// The same, with limits on what a received message may hold.
  package static func open(
    address: BusAddress, on loop: Loop, limit: Duration = .seconds(10),
    receiving limits: ReadLimits
  ) async throws -> MessageBus {
    let text = try address.resolved()
    // On the loop, however busy the threads of the caller are: a bus closes connections whose Hello
    // comes too late.
    return try await withTaskExecutorPreference(loop) {
      try await greeted(text, on: loop, limit, limits)
    }
  }

  /// A connection to which the bus has given its unique name.
  private static func greeted(
    _ address: String, on loop: Loop, _ limit: Duration, _ limits: ReadLimits
  ) async throws -> MessageBus {
    let opened = try await OpenedConnection.open(address, on: loop, limit: limit)
    let wire = LibDBusWire(opened, address: address, on: loop, limits)
    let bus = MessageBus(on: loop, address: address, over: wire)
    wire.begin(for: bus)
    do {
      let reply = try await bus.call(BusDriver.call(BusDriver.Method.hello, []), limit: limit)
      guard let name = reply.body.first?.asString else {
        throw BusFailure.unreachable(address: address, reason: "the bus gave no unique name")
      }
      wire.greeted(as: name)
      bus.state.withLock { $0.uniqueName = name }
      return bus
    } catch {
      bus.close()
      throw openingFailure(error, address: address)
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
}
