// What a fault may happen to.

public import Bluetooth

/// One thing that a client asks of a device.
public enum FaultOperation: Sendable, Hashable {
  case connect
  /// Service discovery.
  case discover
  case read(BluetoothUUID)
  case write(BluetoothUUID)
  /// A write without an answer.
  case command(BluetoothUUID)
  /// Turning notifications or indications on or off.
  case subscribe(BluetoothUUID)
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
    case .read(let uuid), .write(let uuid), .command(let uuid), .subscribe(let uuid): uuid
    case .connect, .discover, .disconnect: nil
    }
  }
}

/// The operations that a rule is about.
public enum FaultKind: String, Sendable, Hashable, CaseIterable {
  case connect, discover, read, write, command, subscribe, disconnect
  /// Every operation that the rule's action can happen to.
  case any

  /// Whether the operation names a characteristic.
  public var hasCharacteristic: Bool { [.read, .write, .command, .subscribe].contains(self) }
}
