// What a scan would see of a simulated device.

import Bluetooth
import SimulatedDevices

extension Advertisement {
  /// A simulated device as it is seen before anybody has connected to it.
  init(_ definition: DeviceDefinition) {
    let advertisements = definition.advertisements
    let name = advertisements.contains(where: \.includesName) ? definition.name : nil
    let services = advertisements.flatMap(\.services)
    self.init(
      address: definition.address,
      addressType: definition.addressType,
      name: name,
      alias: name ?? definition.address.description.replacing(":", with: "-"),
      rssi: definition.advertisement.rssi,
      txPower: definition.advertisement.txPower,
      services: services,
      advertisedServices: services,
      manufacturerData: [],
      serviceData: [],
      isConnected: false,
      isPaired: false,
      adapter: ""
    )
  }
}
