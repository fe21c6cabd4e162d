// The attributes of a device in the tree: services, characteristics, descriptors.

import BlueZInterfaces
import Bluetooth
import DBus

/// One characteristic in the tree.
struct CharacteristicView: Equatable, Sendable {
  let path: ObjectPath
  let uuid: BluetoothUUID
  /// The handle of the value, one more than that of the declaration in the path.
  let valueHandle: UInt16
  let service: BluetoothUUID
  /// The operations that it supports; nil if bluetoothd has not reported them.
  let properties: CharacteristicProperties?

  /// For messages: `battery/battery-level@0x0012`.
  var title: String {
    let serviceName = AssignedNumbers.serviceIdentifier(service) ?? service.description
    let name = AssignedNumbers.characteristicIdentifier(uuid) ?? uuid.description
    let digits = String(valueHandle, radix: 16)
    let handle = String(repeating: "0", count: 4 - digits.count) + digits
    return "\(serviceName)/\(name) (@0x\(handle))"
  }
}

extension ObjectTree {
  /// The UUIDs of the services of a device, in order of handle.
  func serviceUUIDs(of device: ObjectPath) -> [BluetoothUUID] {
    paths(with: GattService1.interface, below: device).compactMap {
      value(GattService1.uuid, at: $0)
    }
  }

  /// The characteristics of a device, or of one of its services, in order of handle.
  func characteristics(of device: ObjectPath) -> [CharacteristicView] {
    paths(with: GattCharacteristic1.interface, below: device).compactMap { path in
      guard case .characteristic(_, _, _, let declaration)? = BlueZPath(path),
        let uuid = value(GattCharacteristic1.uuid, at: path),
        let servicePath = path.parent,
        let service = value(GattService1.uuid, at: servicePath)
      else { return nil }
      return CharacteristicView(
        path: path, uuid: uuid, valueHandle: declaration &+ 1, service: service,
        properties: value(GattCharacteristic1.flags, at: path)
      )
    }
  }

  /// The services of a device with their contents, in order of handle.
  ///
  /// - Parameter mtu: The MTU of the connection in octets, when it is more recent than in the tree.
  func services(of device: ObjectPath, mtu: Int? = nil) -> [GATTService] {
    paths(with: GattService1.interface, below: device).compactMap { path in
      guard let handle = BlueZPath(path)?.handle, let uuid = value(GattService1.uuid, at: path)
      else { return nil }
      let includes = value(GattService1.includes, at: path) ?? []
      return GATTService(
        uuid: uuid, handle: handle, isPrimary: value(GattService1.primary, at: path) ?? true,
        includes: includes.compactMap { BlueZPath($0)?.handle },
        characteristics: characteristics(of: path).map { view in
          GATTCharacteristic(
            uuid: view.uuid, handle: view.valueHandle, properties: view.properties ?? [],
            mtu: mtu ?? value(GattCharacteristic1.mtu, at: view.path).map { Int($0) },
            descriptors: descriptors(of: view).map {
              GATTDescriptor(uuid: $0.uuid, handle: $0.handle)
            }
          )
        }
      )
    }
  }
}
