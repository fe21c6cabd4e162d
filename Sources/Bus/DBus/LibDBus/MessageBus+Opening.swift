// Connects to a real bus, over libdbus.

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
  ///   - address: The address of the bus.
  ///   - loop: The loop that drives the connection.
  ///   - limit: The time limit for the bus to accept the connection, and again for its first reply.
  /// - Throws: ``BusFailure/unreachable(address:reason:)`` at once if there is no bus,
  ///   ``BusFailure/notPermitted(address:reason:)`` if it refuses this user; `TimedOut`,
  ///   `CancellationError`.
  public static func open(
    address: BusAddress, on loop: Loop, limit: Duration = .seconds(10)
  ) async throws -> MessageBus {
    try await open(address: address, on: loop, limit: limit, receiving: ReadLimits())
  }

  /// Connects to a bus, with limits on received messages.
  package static func open(
    address: BusAddress, on loop: Loop, limit: Duration = .seconds(10),
    receiving limits: ReadLimits
  ) async throws -> MessageBus {
    let text = try address.resolved()
    // On the loop, even if the threads of the caller are busy: a bus closes connections whose Hello
    // is late.
    return try await withTaskExecutorPreference(loop) {
      try await opened(text, on: loop, limit, limits)
    }
  }

  /// Connects, and calls Hello, to which the bus replies with the unique name of the connection.
  private static func opened(
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
      wire.connectionAccepted(as: name)
      bus.setUniqueName(name)
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
