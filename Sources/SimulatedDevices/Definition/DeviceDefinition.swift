// What a simulated device is: the whole of it, as data.
//
// Not what it does at a moment: that is SimulatedDevice.

public import Bluetooth

/// A simulated peripheral: what it advertises, what it serves, how its link behaves, what fails.
public struct DeviceDefinition: Sendable, Hashable {
  /// The name it advertises and serves as Device Name; nil: it has none.
  public var name: String?
  public var address: BluetoothAddress
  public var addressType: AddressType
  /// What it looks like to users; nil: it says nothing, and serves "unknown".
  ///
  /// - Source: Bluetooth Assigned Numbers, "Appearance Values".
  public var appearance: UInt16?
  public var advertisement: AdvertisementDefinition
  public var link: LinkDefinition
  public var pairing: PairingDefinition
  /// The application's services. Generic Access and Generic Attribute are added by
  /// ``AttributeTable``.
  public var services: [ServiceDefinition]
  /// What goes wrong, and when. The first rule that applies wins.
  public var faults: [FaultRule]

  public init(
    name: String? = nil,
    address: BluetoothAddress,
    addressType: AddressType = .random,
    appearance: UInt16? = nil,
    advertisement: AdvertisementDefinition = AdvertisementDefinition(),
    link: LinkDefinition = LinkDefinition(),
    pairing: PairingDefinition = PairingDefinition(),
    services: [ServiceDefinition] = [],
    faults: [FaultRule] = []
  ) {
    self.name = name
    self.address = address
    self.addressType = addressType
    self.appearance = appearance
    self.advertisement = advertisement
    self.link = link
    self.pairing = pairing
    self.services = services
    self.faults = faults
  }
}
