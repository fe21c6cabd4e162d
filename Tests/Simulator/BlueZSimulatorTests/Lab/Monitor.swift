// The device that most tests use: one attribute for each kind of access.

public import Bluetooth
import SimulatedDevices

extension DeviceDefinition {
  /// A heart rate monitor with a battery, and a service of its own with oddities.
  ///
  /// A computed property, not a stored one: an enum keeps its case in spare bits of its payload's
  /// address, and the address sanitizer reports memory reachable only through that as leaked.
  static var monitor: DeviceDefinition {
    DeviceDefinition(
      name: "Lab HRM", address: .monitor,
      advertisement: AdvertisementDefinition(
        services: [.heartRateService, .batteryService],
        manufacturerData: [ManufacturerData(company: 0xffff, octets: [0x6c, 0x61, 0x62])],
        txPower: 4, rssi: -50, rssiSpread: 0
      ),
      services: [
        ServiceDefinition(
          uuid: .heartRateService,
          characteristics: [
            CharacteristicDefinition(uuid: "2a37", properties: .notify, behaviour: .count),
            CharacteristicDefinition(uuid: "2a38", properties: .read, behaviour: .constant([1])),
            CharacteristicDefinition(uuid: "2a39", properties: .write),
          ]
        ),
        ServiceDefinition(
          uuid: .batteryService,
          characteristics: [
            CharacteristicDefinition(
              uuid: "2a19", properties: [.read, .notify],
              behaviour: .counter(Counter(format: .octet, from: 87, step: -1, every: .seconds(60)))
            )
          ]
        ),
        ServiceDefinition(uuid: .own(0), characteristics: own),
      ]
    )
  }

  private static var own: [CharacteristicDefinition] {
    [
      CharacteristicDefinition(
        uuid: .own(1), properties: [.read, .writeWithoutResponse, .write, .notify],
        behaviour: .echo,
        descriptors: [DescriptorDefinition(uuid: "2901", value: [0x65], isWritable: true)]
      ),
      CharacteristicDefinition(uuid: .own(3), properties: [.read, .write], longest: 4),
      CharacteristicDefinition(uuid: .own(6), properties: .indicate, behaviour: .count),
      CharacteristicDefinition(uuid: .own(8), properties: .writeWithoutResponse),
      CharacteristicDefinition(uuid: .own(9), properties: .read, behaviour: .constant([0x73])),
    ]
  }

  /// A monitor whose heart rate is sent on subscribing, and then not for an hour.
  static var early: DeviceDefinition {
    monitor.changing { device in
      device.services[0].characteristics[0].behaviour = .counter(
        Counter(format: .octet, from: 0x57, every: .seconds(3600), beginsAtOnce: true)
      )
    }
  }

  /// A changed copy of the device.
  func changing(_ change: (inout DeviceDefinition) -> Void) -> DeviceDefinition {
    var definition = self
    change(&definition)
    return definition
  }

  /// A device that only advertises.
  static func beacon(_ last: UInt8) -> DeviceDefinition {
    DeviceDefinition(
      name: "Beacon \(last)", address: BluetoothAddress("C0:FF:EE:00:00:0\(last)") ?? .monitor,
      advertisement: AdvertisementDefinition(rssi: -70, rssiSpread: 0)
    )
  }
}

extension BluetoothAddress {
  static let monitor: BluetoothAddress = {
    guard let address = BluetoothAddress("C0:FF:EE:00:00:01") else {
      preconditionFailure("an address")
    }
    return address
  }()
}

extension BluetoothUUID {
  static let heartRateService: BluetoothUUID = "180d"
  static let batteryService: BluetoothUUID = "180f"

  /// One of the device's own.
  static func own(_ number: Int) -> BluetoothUUID {
    "6e5d000\(number)-1b1a-4e1c-8f6b-0b6c1d2e3f40"
  }
}

extension BluetoothUUID: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  public init(stringLiteral text: String) {
    guard let uuid = BluetoothUUID(text) else { preconditionFailure("not a UUID: \(text)") }
    self = uuid
  }
}

extension ValueFormat {
  static let octet: ValueFormat = {
    guard let format = ValueFormat("u8") else { preconditionFailure("a format") }
    return format
  }()
}

extension Behaviour {
  /// One more every second.
  static var count: Behaviour { .counter(Counter(format: .octet, every: .seconds(1))) }
}
