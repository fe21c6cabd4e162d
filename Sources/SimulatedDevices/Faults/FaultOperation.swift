// The operations that a fault can affect.

public import Bluetooth

/// One thing that a client asks of a device.
public enum FaultOperation: Sendable, Hashable {
  /// Connecting.
  case connect
  /// Service discovery.
  case discover
  /// A read of a characteristic.
  case read(BluetoothUUID, handle: UInt16? = nil)
  /// A Write Request: a write with response.
  case write(BluetoothUUID, handle: UInt16? = nil)
  /// A Write Command: a write without response.
  case command(BluetoothUUID, handle: UInt16? = nil)
  /// Turning notifications or indications on or off.
  case subscribe(BluetoothUUID, handle: UInt16? = nil)
  /// Disconnecting.
  case disconnect

  /// The operation without its characteristic.
  public var kind: FaultKind {
    switch self {
    case .connect: .connect
    case .discover: .discover
    case .read: .read
    case .write: .write
    case .command: .command
    case .subscribe: .subscribe
    case .disconnect: .disconnect
    }
  }

  /// The characteristic that is read, written or subscribed to.
  public var characteristic: BluetoothUUID? {
    switch self {
    case .read(let uuid, _), .write(let uuid, _), .command(let uuid, _), .subscribe(let uuid, _):
      uuid
    case .connect, .discover, .disconnect: nil
    }
  }

  /// The handle of its value, where that is known.
  public var handle: UInt16? {
    switch self {
    case .read(_, let handle), .write(_, let handle), .command(_, let handle),
      .subscribe(_, let handle):
      handle
    case .connect, .discover, .disconnect: nil
    }
  }
}

/// The operations that a rule is about.
public enum FaultKind: String, Sendable, Hashable, CaseIterable {
  /// Attempts to connect.
  case connect
  /// Service discovery.
  case discover
  /// Reads.
  case read
  /// Write Requests.
  case write
  /// Write Commands.
  case command
  /// Turning notifications or indications on or off.
  case subscribe
  /// Disconnects.
  case disconnect
  /// Every operation that the rule's action can happen to.
  case any

  /// Whether the operation names a characteristic.
  public var hasCharacteristic: Bool { [.read, .write, .command, .subscribe].contains(self) }
}
