// A stream of commands to one characteristic.

/// Sends commands (write without response) in a stream.
public protocol CommandWriter: Sendable {
  /// The ATT MTU of the connection, in bytes.
  var mtu: Int { get }

  /// The maximum length of one command, in bytes: three less than the MTU, at most 512.
  var longestValue: Int { get }

  /// Sends one command. Waits while the socket to bluetoothd is full.
  ///
  /// It returns when the value is in the socket, from which bluetoothd reads it; as with every
  /// command, it is unknown whether the device has received it.
  ///
  /// - Throws: ``DeviceFailure``: `invalid-value` for a value that is too long, `link-lost` when
  ///   the connection dropped or bluetoothd released the writer. The errors of a wait.
  func write(_ value: [UInt8]) async throws

  /// Waits until bluetoothd has read all commands that were sent, so that an operation that follows
  /// cannot overtake them.
  ///
  /// - Throws: ``DeviceFailure``: `timed-out` when bluetoothd does not read them. The errors of a wait.
  func flush() async throws
}
