// The attributes of a device: services, characteristics and descriptors.

/// A service.
public struct GATTService: Hashable, Sendable {
  /// The UUID of the service.
  public let uuid: BluetoothUUID
  /// The handle of the declaration.
  public let handle: UInt16
  /// Whether it is a primary service.
  public let isPrimary: Bool
  /// The handles of included services.
  public let includes: [UInt16]
  /// The characteristics, in the order of their handles.
  public let characteristics: [GATTCharacteristic]

  /// A service with its characteristics.
  public init(
    uuid: BluetoothUUID, handle: UInt16, isPrimary: Bool, includes: [UInt16],
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
  /// The UUID of the characteristic.
  public let uuid: BluetoothUUID
  /// The handle of the value.
  public let handle: UInt16
  /// The operations that a client may use.
  public let properties: CharacteristicProperties
  /// The ATT MTU of the connection, in octets, where known.
  public let mtu: Int?
  /// The descriptors, in the order of their handles.
  public let descriptors: [GATTDescriptor]

  /// A characteristic with its descriptors.
  public init(
    uuid: BluetoothUUID, handle: UInt16, properties: CharacteristicProperties, mtu: Int?,
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
  /// The UUID of the descriptor.
  public let uuid: BluetoothUUID
  /// The handle of the descriptor.
  public let handle: UInt16

  /// A descriptor.
  public init(uuid: BluetoothUUID, handle: UInt16) {
    self.uuid = uuid
    self.handle = handle
  }
}
