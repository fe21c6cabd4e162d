// A service of a simulated device.

public import Bluetooth

/// A service and its characteristics, in the order of their handles.
public struct ServiceDefinition: Sendable, Hashable {
  /// The UUID of the service.
  public var uuid: BluetoothUUID
  /// Services of the same device that this one refers to; those that are not there are left out.
  public var includes: [BluetoothUUID]
  /// Its characteristics, in the order of their handles.
  public var characteristics: [CharacteristicDefinition]
  /// The handle of its declaration; nil, or one that is in use: the next one.
  public var handle: UInt16?

  /// A service; see the properties.
  ///
  /// ```swift
  /// let empty = ServiceDefinition(uuid: BluetoothUUID(short: 0x180f))
  /// ```
  public init(
    uuid: BluetoothUUID,
    includes: [BluetoothUUID] = [],
    characteristics: [CharacteristicDefinition] = [],
    handle: UInt16? = nil
  ) {
    self.uuid = uuid
    self.includes = includes
    self.characteristics = characteristics
    self.handle = handle
  }
}
