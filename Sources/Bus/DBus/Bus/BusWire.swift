// The transport of one connection.

/// The transport of a ``MessageBus``: libdbus, or a bus in memory.
///
/// It passes received messages to ``MessageBus/receive(_:)``, on the loop, and reports its own end
/// with ``MessageBus/end(with:)``.
protocol BusWire: Sendable {
  /// Sends a message, after all messages sent before.
  ///
  /// - Parameter register: Returns the serial of the message. Called last, when sending can no
  ///   longer fail.
  /// - Throws: ``BusFailure``, ``DBusValueError``.
  func send(_ message: Message, _ register: () throws(BusFailure) -> UInt32) throws

  /// Ends the connection, after sending as much of the queue as the socket accepts now.
  func close()

  /// The answer to GetMachineId; nil when it is unknown.
  var machineID: String? { get }
}
