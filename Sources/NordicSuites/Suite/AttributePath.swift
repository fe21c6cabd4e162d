// A characteristic or a descriptor, as a suite names it.

public import Bluetooth

/// An attribute, by UUIDs and instances from the service down.
public struct AttributePath: Hashable, Sendable, CustomStringConvertible {
  public let service: BluetoothUUID
  /// The index among the services of that UUID, in order of handles, from 0.
  public let serviceInstance: Int
  public let characteristic: BluetoothUUID
  /// The index among the characteristics of that UUID in the service, from 0.
  public let characteristicInstance: Int
  /// Nil for the characteristic itself.
  public let descriptor: BluetoothUUID?
  /// The index among the descriptors of that UUID in the characteristic, from 0.
  public let descriptorInstance: Int
  /// The names by which it is printed.
  public let names: AttributeNames

  public init(
    service: BluetoothUUID,
    serviceInstance: Int = 0,
    characteristic: BluetoothUUID,
    characteristicInstance: Int = 0,
    descriptor: BluetoothUUID? = nil,
    descriptorInstance: Int = 0,
    names: AttributeNames = .assigned
  ) {
    self.service = service
    self.serviceInstance = serviceInstance
    self.characteristic = characteristic
    self.characteristicInstance = characteristicInstance
    self.descriptor = descriptor
    self.descriptorInstance = descriptorInstance
    self.names = names
  }

  /// The characteristic that a descriptor belongs to.
  public var ofCharacteristic: AttributePath {
    AttributePath(
      service: service,
      serviceInstance: serviceInstance,
      characteristic: characteristic,
      characteristicInstance: characteristicInstance,
      names: names
    )
  }

  /// Whether it is a Client Characteristic Configuration descriptor.
  public var isSubscription: Bool { descriptor == .clientCharacteristicConfiguration }

  /// `heart-rate/heart-rate-measurement`, with each instance that is not 0.
  public var description: String {
    let service = Self.service(service, serviceInstance, names)
    let own = Self.numbered(
      names.title(of: characteristic, .characteristic),
      characteristicInstance
    )
    guard let descriptor else { return "\(service)/\(own)" }
    let last = names.title(of: descriptor, .descriptor)
    return "\(service)/\(own)/\(Self.numbered(last, descriptorInstance))"
  }

  /// A service, with its instance if that is not 0.
  static func service(_ uuid: BluetoothUUID, _ instance: Int, _ names: AttributeNames) -> String {
    numbered(names.title(of: uuid, .service), instance)
  }

  private static func numbered(_ name: String, _ instance: Int) -> String {
    instance == 0 ? name : "\(name)#\(instance)"
  }
}
