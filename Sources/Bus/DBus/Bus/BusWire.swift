// What carries the messages of one connection.

/// The wire of a ``MessageBus``: libdbus, or a bus in memory.
///
/// It gives what arrives to ``MessageBus/receive(_:)``, on the loop, and reports its own end with
/// ``MessageBus/end(with:)``.
protocol BusWire: Sendable {
  /// Sends a message, behind all that were sent before.
  ///
  /// - Parameter enter: Returns the serial of the message. Called when nothing can fail any more.
  /// - Throws: ``BusFailure``, ``DBusValueError``.
  func send(_ message: Message, _ enter: () throws(BusFailure) -> UInt32) throws

  /// Ends the connection, behind what was sent before, as far as the socket accepts it now.
  func close()

  /// The answer to GetMachineId; nil when it is unknown.
  var machineID: String? { get }
}
