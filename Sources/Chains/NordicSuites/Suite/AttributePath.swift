// A characteristic or a descriptor, as a suite names it.

import Bluetooth

/// An attribute, by UUIDs and instances from the service down.
struct AttributePath: Hashable, Sendable, CustomStringConvertible {
  let service: BluetoothUUID
  /// The index among the services of that UUID, in order of handles, from 0.
  let serviceInstance: Int
  let characteristic: BluetoothUUID
  /// The index among the characteristics of that UUID in the service, from 0.
  let characteristicInstance: Int
  /// Nil for the characteristic itself.
  var descriptor: BluetoothUUID?
  /// The index among the descriptors of that UUID in the characteristic, from 0.
  var descriptorInstance = 0
  /// The names by which it is printed.
  let names: AttributeNames

  /// The characteristic that a descriptor belongs to.
  var ofCharacteristic: AttributePath { of(descriptor: nil) }

  /// A descriptor of the same characteristic.
  func of(descriptor: BluetoothUUID?, instance: Int = 0) -> AttributePath {
    var path = self
    (path.descriptor, path.descriptorInstance) = (descriptor, instance)
    return path
  }

  /// Whether it is a Client Characteristic Configuration descriptor.
  var isSubscription: Bool { descriptor == .clientCharacteristicConfiguration }

  /// `heart-rate/heart-rate-measurement`, with each instance that is not 0.
  var description: String {
    let service = Self.service(service, serviceInstance, names)
    return descriptor == nil
      ? "\(service)/\(lastName)" : "\(service)/\(ofCharacteristic.lastName)/\(lastName)"
  }

  /// The characteristic or the descriptor alone.
  var lastName: String {
    descriptor.map { Self.numbered(names.title(of: $0, .descriptor), descriptorInstance) }
      ?? Self.numbered(names.title(of: characteristic, .characteristic), characteristicInstance)
  }

  /// A service, with its instance if that is not 0.
  static func service(_ uuid: BluetoothUUID, _ instance: Int, _ names: AttributeNames) -> String {
    numbered(names.title(of: uuid, .service), instance)
  }

  private static func numbered(_ name: String, _ instance: Int) -> String {
    instance == 0 ? name : "\(name)#\(instance)"
  }
}

extension BluetoothUUID {
  /// Every device has Generic Access, and bluetoothd hides it.
  static let genericAccess = BluetoothUUID(short: 0x1800)
}
