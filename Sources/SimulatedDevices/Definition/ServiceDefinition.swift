// A service of a simulated device.

public import Bluetooth

/// A service and its characteristics, in the order of their handles.
public struct ServiceDefinition: Sendable, Hashable {
  public var uuid: BluetoothUUID
  public var isPrimary: Bool
  /// Services of the same device that this one refers to; those that are not there are left out.
  public var includes: [BluetoothUUID]
  public var characteristics: [CharacteristicDefinition]

  public init(
    uuid: BluetoothUUID,
    isPrimary: Bool = true,
    includes: [BluetoothUUID] = [],
    characteristics: [CharacteristicDefinition] = []
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includes = includes
    self.characteristics = characteristics
  }
}
