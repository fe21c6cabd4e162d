// A characteristic or a descriptor, as a suite names it.

public import Bluetooth

/// An attribute by the UUIDs and the instances on the way to it.
public struct AttributePath: Hashable, Sendable, CustomStringConvertible {
  public let service: BluetoothUUID
  /// Which of several services of that UUID, in order of handle, from 0.
  public let serviceInstance: Int
  public let characteristic: BluetoothUUID
  /// Which of several in that service, from 0.
  public let characteristicInstance: Int
  /// Nil for the characteristic itself.
  public let descriptor: BluetoothUUID?
  /// Which of several in that characteristic, from 0.
  public let descriptorInstance: Int

  public init(
    service: BluetoothUUID,
    serviceInstance: Int = 0,
    characteristic: BluetoothUUID,
    characteristicInstance: Int = 0,
    descriptor: BluetoothUUID? = nil,
    descriptorInstance: Int = 0
  ) {
    self.service = service
    self.serviceInstance = serviceInstance
    self.characteristic = characteristic
    self.characteristicInstance = characteristicInstance
    self.descriptor = descriptor
    self.descriptorInstance = descriptorInstance
  }

  /// The characteristic that a descriptor belongs to.
  public var ofCharacteristic: AttributePath {
    AttributePath(
      service: service,
      serviceInstance: serviceInstance,
      characteristic: characteristic,
      characteristicInstance: characteristicInstance
    )
  }

  /// Whether it names what a subscription is written to.
  public var isSubscription: Bool { descriptor == .clientCharacteristicConfiguration }

  /// `heart-rate/heart-rate-measurement`, with instances where they are not the first.
  public var description: String {
    let service = Self.service(service, serviceInstance)
    let own = Self.numbered(
      AssignedNumbers.characteristicIdentifier(characteristic) ?? "\(characteristic)",
      characteristicInstance
    )
    guard let descriptor else { return "\(service)/\(own)" }
    let last = AssignedNumbers.descriptorIdentifier(descriptor) ?? "\(descriptor)"
    return "\(service)/\(own)/\(Self.numbered(last, descriptorInstance))"
  }

  /// A service, with its instance where that is not the first.
  static func service(_ uuid: BluetoothUUID, _ instance: Int) -> String {
    numbered(AssignedNumbers.serviceIdentifier(uuid) ?? "\(uuid)", instance)
  }

  private static func numbered(_ name: String, _ instance: Int) -> String {
    instance == 0 ? name : "\(name)#\(instance)"
  }
}
