// The device of the tests.

import Bluetooth
import SimulatedDevices

extension DeviceDefinition {
  static let thermometerAddress: BluetoothAddress = {
    guard let address = BluetoothAddress("C0:FF:EE:00:00:01") else {
      preconditionFailure("an address")
    }
    return address
  }()

  /// A device with a battery, a value that can be written, and one that echoes.
  static let thermometer = DeviceDefinition(
    name: "Thermo-1", address: thermometerAddress,
    services: [
      ServiceDefinition(
        uuid: .battery,
        characteristics: [
          CharacteristicDefinition(
            uuid: .batteryLevel, properties: [.read, .notify], behaviour: .constant([87])
          )
        ]
      ),
      ServiceDefinition(
        uuid: .alert,
        characteristics: [
          CharacteristicDefinition(
            uuid: .alertLevel, properties: [.read, .write, .notify], behaviour: .echo
          )
        ]
      ),
    ]
  )
}

extension BluetoothUUID {
  static let battery = BluetoothUUID(short: 0x180f)
  static let batteryLevel = BluetoothUUID(short: 0x2a19)
  static let alert = BluetoothUUID(short: 0x1802)
  static let alertLevel = BluetoothUUID(short: 0x2a06)
}
