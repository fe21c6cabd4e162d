// The attributes of a device: services, characteristics and descriptors.

/// A service.
public struct GATTService: Hashable, Sendable {
  public let uuid: BluetoothUUID
  /// The handle of the declaration.
  public let handle: UInt16
  public let isPrimary: Bool
  /// The handles of included services.
  public let includes: [UInt16]
  public let characteristics: [GATTCharacteristic]

  public init(
    uuid: BluetoothUUID,
    handle: UInt16,
    isPrimary: Bool,
    includes: [UInt16],
    characteristics: [GATTCharacteristic]
  ) {
    self.uuid = uuid
    self.handle = handle
    self.isPrimary = isPrimary
    self.includes = includes
    self.characteristics = characteristics
  }
}

/// A characteristic.
public struct GATTCharacteristic: Hashable, Sendable {
  public let uuid: BluetoothUUID
  /// The handle of the value.
  public let handle: UInt16
  public let properties: CharacteristicProperties
  /// The ATT MTU of the connection, in octets, where known.
  public let mtu: Int?
  public let descriptors: [GATTDescriptor]

  public init(
    uuid: BluetoothUUID,
    handle: UInt16,
    properties: CharacteristicProperties,
    mtu: Int?,
    descriptors: [GATTDescriptor]
  ) {
    self.uuid = uuid
    self.handle = handle
    self.properties = properties
    self.mtu = mtu
    self.descriptors = descriptors
  }
}

/// A descriptor of a characteristic.
public struct GATTDescriptor: Hashable, Sendable {
  public let uuid: BluetoothUUID
  public let handle: UInt16

  public init(uuid: BluetoothUUID, handle: UInt16) {
    self.uuid = uuid
    self.handle = handle
  }
}
