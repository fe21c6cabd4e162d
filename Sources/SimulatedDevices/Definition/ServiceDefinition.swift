// A service of a simulated device.

public import Bluetooth

/// A service and its characteristics, in the order of their handles.
public struct ServiceDefinition: Sendable, Hashable {
  public var uuid: BluetoothUUID
  public var isPrimary: Bool
  public var characteristics: [CharacteristicDefinition]

  public init(
    uuid: BluetoothUUID,
    isPrimary: Bool = true,
    characteristics: [CharacteristicDefinition] = []
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.characteristics = characteristics
  }
}
