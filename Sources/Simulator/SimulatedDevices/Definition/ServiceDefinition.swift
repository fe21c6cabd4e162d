// A service of a simulated device, its characteristics, and their descriptors.

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
    uuid: BluetoothUUID, includes: [BluetoothUUID] = [],
    characteristics: [CharacteristicDefinition] = [], handle: UInt16? = nil
  ) {
    self.uuid = uuid
    self.includes = includes
    self.characteristics = characteristics
    self.handle = handle
  }
}

/// A characteristic: what may be done with it, and what it then does.
public struct CharacteristicDefinition: Sendable, Hashable {
  /// The UUID of the characteristic.
  public var uuid: BluetoothUUID
  /// What a client may do with it.
  public var properties: CharacteristicProperties
  /// What its value is, and what a write does.
  public var behaviour: Behaviour
  /// Its descriptors without the Client Characteristic Configuration, which
  /// ``AttributeTable`` adds.
  public var descriptors: [DescriptorDefinition]
  /// Whether it has a Client Characteristic Configuration if it notifies or indicates. Without one it
  /// sends its values to every central, for as long as the link is up.
  public var hasConfiguration: Bool
  /// What it demands of the link.
  public var security: AttributeSecurity
  /// The error that every read is refused with; nil: reads are answered.
  public var readError: ATTErrorCode?
  /// The error that every write is refused with; nil: writes are accepted.
  public var writeError: ATTErrorCode?
  /// The longest value that may be written, in octets.
  public var longest: Int

  /// A characteristic; see the properties.
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
  /// Whether a write replaces the value, rather than being refused.
  public var isWritable: Bool
  /// What it demands of the link.
  public var security: AttributeSecurity

  /// A descriptor with its value.
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
