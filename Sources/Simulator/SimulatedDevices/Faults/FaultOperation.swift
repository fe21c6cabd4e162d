// The operations that a fault can affect.

public import Bluetooth

/// One thing that a client asks of a device.
public struct FaultOperation: Sendable, Hashable {
  /// What it is; never ``FaultKind/any``.
  public let kind: FaultKind
  /// The characteristic that is read, written or subscribed to.
  public let characteristic: BluetoothUUID?
  /// The handle of its value, where that is known.
  public let handle: UInt16?

  private init(_ kind: FaultKind, _ characteristic: BluetoothUUID? = nil, _ handle: UInt16? = nil) {
    (self.kind, self.characteristic, self.handle) = (kind, characteristic, handle)
  }

  /// Connecting.
  public static let connect = FaultOperation(.connect)
  /// Service discovery.
  public static let discover = FaultOperation(.discover)
  /// Disconnecting.
  public static let disconnect = FaultOperation(.disconnect)

  /// A read of a characteristic.
  public static func read(_ uuid: BluetoothUUID, handle: UInt16? = nil) -> FaultOperation {
    FaultOperation(.read, uuid, handle)
  }

  /// A Write Request: a write with response.
  public static func write(_ uuid: BluetoothUUID, handle: UInt16? = nil) -> FaultOperation {
    FaultOperation(.write, uuid, handle)
  }

  /// A Write Command: a write without response.
  public static func command(_ uuid: BluetoothUUID, handle: UInt16? = nil) -> FaultOperation {
    FaultOperation(.command, uuid, handle)
  }

  /// Turning notifications or indications on or off.
  public static func subscribe(_ uuid: BluetoothUUID, handle: UInt16? = nil) -> FaultOperation {
    FaultOperation(.subscribe, uuid, handle)
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

  /// The operations that the device itself answers.
  static let attributes: [FaultKind] = [.read, .write, .subscribe, .any]
  /// All that somebody waits for: what nobody answers can only be lost.
  static let answered = allCases.filter { $0 != .command }

  /// Whether the operation names a characteristic.
  public var hasCharacteristic: Bool { [.read, .write, .command, .subscribe].contains(self) }
}
