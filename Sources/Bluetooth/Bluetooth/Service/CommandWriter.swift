// A stream of commands to one characteristic.

/// Sends commands (write without response) in a stream.
public protocol CommandWriter: Sendable {
  /// The ATT MTU of the connection, in bytes.
  var mtu: Int { get }

  /// The maximum length of one command, in bytes: three less than the MTU, at most 512.
  var longestValue: Int { get }

  /// Sends one command. Waits while the socket to bluetoothd is full.
  ///
  /// It returns when bluetoothd has received the value; as with every command, it is unknown
  /// whether the device has.
  ///
  /// - Throws: ``DeviceFailure``: `invalid-value` for a value that is too long, `link-lost` when
  ///   the connection dropped or bluetoothd released the writer. The errors of a wait.
  func write(_ value: [UInt8]) async throws
}
