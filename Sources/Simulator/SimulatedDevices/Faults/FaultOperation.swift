// The operations that a fault can affect.

public import Bluetooth

/// One operation of a client on a device.
public struct FaultOperation: Sendable, Hashable {
  /// The kind of operation; never ``FaultKind/any``.
  public let kind: FaultKind
  /// The characteristic of the operation.
  public let characteristic: BluetoothUUID?
  /// The handle of the characteristic's value, if known.
  public let handle: UInt16?

  private init(_ kind: FaultKind, _ characteristic: BluetoothUUID? = nil, _ handle: UInt16? = nil) {
    (self.kind, self.characteristic, self.handle) = (kind, characteristic, handle)
  }

  /// A connection attempt.
  public static let connect = FaultOperation(.connect)
  /// Service discovery.
  public static let discover = FaultOperation(.discover)
  /// A disconnect.
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

  /// A subscription, or its end.
  public static func subscribe(_ uuid: BluetoothUUID, handle: UInt16? = nil) -> FaultOperation {
    FaultOperation(.subscribe, uuid, handle)
  }
}

/// The operations that a rule applies to.
public enum FaultKind: String, Sendable, Hashable, CaseIterable {
  /// Connection attempts.
  case connect
  /// Service discovery.
  case discover
  /// Reads.
  case read
  /// Write Requests.
  case write
  /// Write Commands.
  case command
  /// Subscriptions, and their ends.
  case subscribe
  /// Disconnects.
  case disconnect
  /// Every operation that the rule's action can apply to.
  case any

  /// The operations that the device itself responds to.
  static let attributes: [FaultKind] = [.read, .write, .subscribe, .any]
  /// The operations that have a response; others can only be lost.
  static let answered = allCases.filter { $0 != .command }

  /// True if the operation concerns a characteristic.
  public var hasCharacteristic: Bool { [.read, .write, .command, .subscribe].contains(self) }
}
