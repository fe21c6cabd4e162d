// The complete definition of a simulated device, as data.
//
// SimulatedDevice has the state of a running one.

public import Bluetooth

/// A simulated peripheral: its advertisements, services, link, pairing and faults.
public struct DeviceDefinition: Sendable, Hashable {
  /// Names for its attributes, in addition to the assigned ones.
  public var names = AttributeNames.assigned
  /// The advertised name; nil: none. It is also the Device Name, unless ``gapName`` is set.
  public var name: String?
  /// The Device Name of Generic Access, if it differs from ``name``. A connected host shows it in
  /// place of the advertised name.
  public var gapName: String?
  /// The address, which is also the identity of the device.
  public var address: BluetoothAddress
  /// The type of the address.
  public var addressType: AddressType
  /// The appearance; nil: it is not advertised, and reads as "unknown".
  ///
  /// - Source: Bluetooth Assigned Numbers, "Appearance Values".
  public var appearance: UInt16?
  /// The advertisements, each sent independently; at least one.
  public var advertisements: [AdvertisementDefinition]
  /// The first advertisement. Its RSSI is that of the link, too.
  public var advertisement: AdvertisementDefinition {
    get { advertisements.first ?? AdvertisementDefinition() }
    set { advertisements = [newValue] + advertisements.dropFirst() }
  }
  /// True if any advertisement is connectable.
  public var isConnectable: Bool { advertisements.contains(where: \.isConnectable) }
  /// The private addresses that it uses in place of its own; nil: it uses its own.
  public var privateAddress: PrivateAddress?
  /// The MTU and the delays of a connection.
  public var link: LinkDefinition
  /// The pairing of the device.
  public var pairing: PairingDefinition
  /// The application's services. Generic Access and Generic Attribute are added by
  /// ``AttributeTable``.
  public var services: [ServiceDefinition]
  /// The effect of writes that match none of its `responses`; nil: they are accepted, and the use
  /// of responses is not tracked.
  public var unrecorded: UnrecordedWrite?
  /// The state machines of the device.
  var machines: [MachineDefinition] = []
  /// The firmware that can be replaced over SMP; nil: none.
  var firmware: FirmwareDefinition?
  /// The faults of the device. The first rule that applies is used.
  public var faults: [FaultRule]
  /// Logic that decides in addition to the definition; nil: none. The player of the simulation
  /// opens it.
  public var logic: LogicDefinition?

  /// Creates a device; see the properties.
  ///
  /// ```swift
  /// let battery = ServiceDefinition(
  ///   uuid: BluetoothUUID(short: 0x180f),
  ///   characteristics: [
  ///     CharacteristicDefinition(
  ///       uuid: BluetoothUUID(short: 0x2a19), properties: [.read], behaviour: .constant([87]))
  ///   ])
  /// let address = BluetoothAddress(number: 0xc0ff_ee00_0052)
  /// let lamp = DeviceDefinition(name: "Lamp", address: address, services: [battery])
  /// ```
  public init(
    name: String? = nil, address: BluetoothAddress, addressType: AddressType = .random,
    appearance: UInt16? = nil, advertisement: AdvertisementDefinition = AdvertisementDefinition(),
    privateAddress: PrivateAddress? = nil, link: LinkDefinition = LinkDefinition(),
    pairing: PairingDefinition = PairingDefinition(), services: [ServiceDefinition] = [],
    faults: [FaultRule] = []
  ) {
    self.name = name
    self.address = address
    self.addressType = addressType
    self.appearance = appearance
    advertisements = [advertisement]
    self.privateAddress = privateAddress
    self.link = link
    self.pairing = pairing
    self.services = services
    self.faults = faults
  }
}
