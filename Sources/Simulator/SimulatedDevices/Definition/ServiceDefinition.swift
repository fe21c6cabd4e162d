// A service of a simulated device, its characteristics, and their descriptors.

public import Bluetooth

/// A service and its characteristics, in the order of their handles.
public struct ServiceDefinition: Sendable, Hashable {
  /// The UUID of the service.
  public var uuid: BluetoothUUID
  /// Included services of the same device; missing ones are left out.
  public var includes: [BluetoothUUID]
  /// The characteristics, in the order of their handles.
  public var characteristics: [CharacteristicDefinition]
  /// The handle of its declaration; nil, or a handle in use: the next free one.
  public var handle: UInt16?

  /// Creates a service; see the properties.
  ///
  /// ```swift
  /// let empty = ServiceDefinition(uuid: BluetoothUUID(short: 0x180f))
  /// ```
  public init(
    uuid: BluetoothUUID, includes: [BluetoothUUID] = [],
    characteristics: [CharacteristicDefinition] = [], handle: UInt16? = nil
  ) {
    self.uuid = uuid
    self.includes = includes
    self.characteristics = characteristics
    self.handle = handle
  }
}

/// A characteristic: its properties and its behaviour.
public struct CharacteristicDefinition: Sendable, Hashable {
  /// The UUID of the characteristic.
  public var uuid: BluetoothUUID
  /// The operations that clients may perform.
  public var properties: CharacteristicProperties
  /// The source of its value, and the effect of a write.
  public var behaviour: Behaviour
  /// The descriptors without the Client Characteristic Configuration, which
  /// ``AttributeTable`` adds.
  public var descriptors: [DescriptorDefinition]
  /// Whether a characteristic that notifies or indicates has a Client Characteristic Configuration.
  /// Without one it sends its values to every central while the link is up.
  public var hasConfiguration: Bool
  /// The link security that it requires.
  public var security: AttributeSecurity
  /// The error that refuses every read; nil: reads succeed.
  public var readError: ATTErrorCode?
  /// The error that refuses every write; nil: writes are accepted.
  public var writeError: ATTErrorCode?
  /// The maximum length of a written value, in octets.
  public var longest: Int

  /// Creates a characteristic; see the properties.
  ///
  /// ```swift
  /// let level = CharacteristicDefinition(
  ///   uuid: BluetoothUUID(short: 0x2a19), properties: [.read], behaviour: .constant([87]))
  /// ```
  public init(
    uuid: BluetoothUUID, properties: CharacteristicProperties, behaviour: Behaviour = .constant([]),
    descriptors: [DescriptorDefinition] = [], hasConfiguration: Bool = true,
    security: AttributeSecurity = AttributeSecurity(), readError: ATTErrorCode? = nil,
    writeError: ATTErrorCode? = nil, longest: Int = 512
  ) {
    self.uuid = uuid
    self.properties = properties
    self.behaviour = behaviour
    self.descriptors = descriptors
    self.hasConfiguration = hasConfiguration
    self.security = security
    self.readError = readError
    self.writeError = writeError
    self.longest = longest
  }
}

/// A descriptor with a value.
public struct DescriptorDefinition: Sendable, Hashable {
  /// The UUID of the descriptor.
  public var uuid: BluetoothUUID
  /// The value, in bytes.
  public var value: [UInt8]
  /// Whether writes replace the value, rather than being refused.
  public var isWritable: Bool
  /// The link security that it requires.
  public var security: AttributeSecurity

  /// Creates a descriptor with its value.
  public init(
    uuid: BluetoothUUID, value: [UInt8], isWritable: Bool = false,
    security: AttributeSecurity = AttributeSecurity()
  ) {
    self.uuid = uuid
    self.value = value
    self.isWritable = isWritable
    self.security = security
  }
}
