// The attributes of a device in the tree: services, characteristics, descriptors.

import BlueZInterfaces
import Bluetooth
import DBus

/// One characteristic as the tree has it.
struct CharacteristicView: Equatable, Sendable {
  let path: ObjectPath
  let uuid: BluetoothUUID
  /// The handle of the value, one more than the declaration's that the path names.
  let valueHandle: UInt16
  let service: BluetoothUUID
  let properties: CharacteristicProperties

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
      uuid(GattService1.interface, at: $0)
    }
  }

  /// The characteristics of a device, in order of handle.
  func characteristics(of device: ObjectPath) -> [CharacteristicView] {
    paths(with: GattCharacteristic1.interface, below: device).compactMap { path in
      guard case .characteristic(_, _, _, let declaration)? = BlueZPath(path),
        let uuid = uuid(GattCharacteristic1.interface, at: path),
        let servicePath = path.parent,
        let service = self.uuid(GattService1.interface, at: servicePath)
      else { return nil }
      return CharacteristicView(
        path: path,
        uuid: uuid,
        valueHandle: declaration &+ 1,
        service: service,
        properties: flags(of: path)
      )
    }
  }

  /// The services of a device with what is in them, in order of handle.
  ///
  /// - Parameter mtu: The MTU of the link in octets, when it is known better than the tree does.
  func services(of device: ObjectPath, mtu: Int? = nil) -> [GATTService] {
    paths(with: GattService1.interface, below: device).compactMap { path in
      guard let handle = BlueZPath(path)?.handle, let uuid = uuid(GattService1.interface, at: path)
      else { return nil }
      let properties = properties(GattService1.interface, at: path)
      let includes = properties?[GattService1.Property.includes]?.asObjectPaths ?? []
      return GATTService(
        uuid: uuid,
        handle: handle,
        isPrimary: properties?[GattService1.Property.primary]?.asBool ?? true,
        includes: includes.compactMap { BlueZPath($0)?.handle },
        characteristics: characteristics(in: path, mtu: mtu)
      )
    }
  }

  private func characteristics(in service: ObjectPath, mtu: Int?) -> [GATTCharacteristic] {
    paths(with: GattCharacteristic1.interface, below: service).compactMap { path in
      guard let declaration = BlueZPath(path)?.handle,
        let uuid = uuid(GattCharacteristic1.interface, at: path)
      else { return nil }
      let known = property(
        GattCharacteristic1.Property.mtu,
        GattCharacteristic1.interface,
        at: path
      )
      return GATTCharacteristic(
        uuid: uuid,
        handle: declaration &+ 1,
        properties: flags(of: path),
        mtu: mtu ?? known?.asUInt16.map { Int($0) },
        descriptors: descriptors(in: path)
      )
    }
  }

  private func descriptors(in characteristic: ObjectPath) -> [GATTDescriptor] {
    paths(with: GattDescriptor1.interface, below: characteristic).compactMap { path in
      guard let handle = BlueZPath(path)?.handle,
        let uuid = uuid(GattDescriptor1.interface, at: path)
      else { return nil }
      return GATTDescriptor(uuid: uuid, handle: handle)
    }
  }

  /// What a characteristic offers.
  func flags(of characteristic: ObjectPath) -> CharacteristicProperties {
    let names = property(
      GattCharacteristic1.Property.flags,
      GattCharacteristic1.interface,
      at: characteristic
    )
    return CharacteristicProperties(flags: names?.asStrings ?? [])
  }

  private func uuid(_ interface: String, at path: ObjectPath) -> BluetoothUUID? {
    // The property has the same name in all three interfaces.
    property(GattService1.Property.uuid, interface, at: path)?.asString
      .flatMap { BluetoothUUID($0) }
  }
}
