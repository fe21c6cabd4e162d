// The path of a characteristic or descriptor in a suite: UUIDs and instances.
//
// OperationRun+Services.swift finds it on a device.

import Bluetooth

/// An attribute, identified by UUIDs and instances from the service down.
struct AttributePath: Hashable, Sendable, CustomStringConvertible {
  let service: BluetoothUUID
  /// The index among the services with that UUID, in the order of their handles.
  let serviceInstance: Int
  let characteristic: BluetoothUUID
  /// The index among the service's characteristics with that UUID.
  let characteristicInstance: Int
  /// The descriptor; nil for the characteristic itself.
  var descriptor: BluetoothUUID?
  /// The index among the characteristic's descriptors with that UUID.
  var descriptorInstance = 0
  /// The printed names of UUIDs.
  let names: AttributeNames

  /// The characteristic that a descriptor belongs to.
  var ofCharacteristic: AttributePath { of(descriptor: nil) }

  /// Returns the path of another descriptor of the characteristic.
  func of(descriptor: BluetoothUUID?, instance: Int = 0) -> AttributePath {
    var path = self
    (path.descriptor, path.descriptorInstance) = (descriptor, instance)
    return path
  }

  /// Whether it is a Client Characteristic Configuration descriptor.
  var isSubscription: Bool { descriptor == .clientCharacteristicConfiguration }

  /// The path as text, such as `heart-rate/heart-rate-measurement`, with each instance other than 0.
  var description: String {
    let service = Self.service(service, serviceInstance, names)
    return descriptor == nil
      ? "\(service)/\(lastName)" : "\(service)/\(ofCharacteristic.lastName)/\(lastName)"
  }

  /// The last part of the path: the characteristic or the descriptor.
  var lastName: String {
    descriptor.map { Self.numbered(names.title(of: $0, .descriptor), descriptorInstance) }
      ?? Self.numbered(names.title(of: characteristic, .characteristic), characteristicInstance)
  }

  /// Returns the text of a service, with its instance if that is not 0.
  static func service(_ uuid: BluetoothUUID, _ instance: Int, _ names: AttributeNames) -> String {
    numbered(names.title(of: uuid, .service), instance)
  }

  private static func numbered(_ name: String, _ instance: Int) -> String {
    instance == 0 ? name : "\(name)#\(instance)"
  }
}

extension BluetoothUUID {
  /// Generic Access, which every device has but bluetoothd hides.
  static let genericAccess = BluetoothUUID(short: 0x1800)
}
