// What a simulated device is: the whole of it, as data.
//
// Not what it does at a moment: that is SimulatedDevice.

public import Bluetooth

/// A simulated peripheral: what it advertises, what it serves, how its link behaves, what fails.
public struct DeviceDefinition: Sendable, Hashable {
  /// The names for its attributes, beside the assigned ones.
  public var names = AttributeNames.assigned
  /// The name that it advertises; nil: it has none. It is also served as Device Name, unless
  /// ``gapName`` is.
  public var name: String?
  /// The Device Name of Generic Access, where it is not ``name``. A host that has connected shows it in
  /// place of the advertised one.
  public var gapName: String?
  /// The address, which is also the identity of the device.
  public var address: BluetoothAddress
  /// Whether the address is public or random.
  public var addressType: AddressType
  /// What the device looks like to users; nil: it is not advertised, and reads as "unknown".
  ///
  /// - Source: Bluetooth Assigned Numbers, "Appearance Values".
  public var appearance: UInt16?
  /// What it sends, each on its own; at least one.
  public var advertisements: [AdvertisementDefinition]
  /// The first of them, whose strength is the link's too.
  public var advertisement: AdvertisementDefinition {
    get { advertisements.first ?? AdvertisementDefinition() }
    set { advertisements = [newValue] + advertisements.dropFirst() }
  }
  /// Whether it accepts connections.
  public var isConnectable: Bool { advertisements.contains(where: \.isConnectable) }
  /// The private address that it uses in place of its own; nil: it uses its own.
  public var privateAddress: PrivateAddress?
  /// The MTU and the delays of a connection.
  public var link: LinkDefinition
  /// How the device pairs.
  public var pairing: PairingDefinition
  /// The application's services. Generic Access and Generic Attribute are added by
  /// ``AttributeTable``.
  public var services: [ServiceDefinition]
  /// What it does with writes that none of its `responses` is for; nil: they are accepted, and nobody
  /// asks which responses were used.
  public var unrecorded: UnrecordedWrite?
  /// Its dialogues.
  var machines: [MachineDefinition] = []
  /// What goes wrong, and when. The first rule that applies is used.
  public var faults: [FaultRule]
  /// What decides beside the definition; nil: nothing. Whoever runs the simulation opens it.
  public var logic: LogicDefinition?

  /// A device; see the properties.
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
