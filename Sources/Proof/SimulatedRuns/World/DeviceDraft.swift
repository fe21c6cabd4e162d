// Draws random device definitions.

import Bluetooth
import Signals
import SimulatedDevices

enum DeviceDraft {
  static let battery = BluetoothUUID(short: 0x180f)
  static let batteryLevel = BluetoothUUID(short: 0x2a19)
  static let immediateAlert = BluetoothUUID(short: 0x1802)
  static let alertLevel = BluetoothUUID(short: 0x2a06)
  static let heartRate = BluetoothUUID(short: 0x180d)
  static let measurement = BluetoothUUID(short: 0x2a37)
  static let control = BluetoothUUID(short: 0x2a39)
  static let userData = BluetoothUUID(short: 0x181c)
  static let age = BluetoothUUID(short: 0x2a80)
  static let userDescription = BluetoothUUID(short: 0x2901)

  /// Draws the device of a number, which becomes part of its address.
  static func draw(_ number: Int, _ generator: inout SeededGenerator) -> DeviceDefinition {
    var services = [alertService(&generator)]
    if generator.hits(3, in: 4) { services.append(batteryService(&generator)) }
    if generator.hits(1, in: 2) { services.append(heartRateService(&generator)) }
    if generator.hits(1, in: 4) { services.append(userDataService(&generator)) }
    var definition = DeviceDefinition(
      name: "Device-\(number)",
      address: BluetoothAddress(number: 0xc0ff_ee00_0001 + UInt64(number)),
      addressType: generator.hits(3, in: 4) ? .random : .public, services: services
    )
    definition.advertisement.interval = .milliseconds(generator.pick([100, 300, 1_000]))
    if generator.hits(1, in: 2) { definition.advertisement.services = services.map(\.uuid) }
    definition.link.mtu = generator.pick([23, 185, 517])
    definition.link.latency = generator.milliseconds(1...60)
    definition.link.latencySpread = generator.milliseconds(0...40)
    definition.link.connectTime = generator.milliseconds(5...900)
    definition.link.discoveryTime = generator.milliseconds(1...900)
    if generator.hits(1, in: 8) { definition.pairing.method = .reject }
    return definition
  }

  private static func alertService(_ generator: inout SeededGenerator) -> ServiceDefinition {
    var properties: CharacteristicProperties = [.read, .write, .notify]
    if generator.hits(1, in: 2) { properties.insert(.writeWithoutResponse) }
    return ServiceDefinition(
      uuid: immediateAlert,
      characteristics: [
        CharacteristicDefinition(
          uuid: alertLevel, properties: properties, behaviour: .echo,
          descriptors: generator.hits(1, in: 2)
            ? [DescriptorDefinition(uuid: userDescription, value: [0x41])] : []
        )
      ]
    )
  }

  private static func batteryService(_ generator: inout SeededGenerator) -> ServiceDefinition {
    let level = UInt8.random(in: 0...100, using: &generator)
    return ServiceDefinition(
      uuid: battery,
      characteristics: [
        CharacteristicDefinition(
          uuid: batteryLevel, properties: [.read, .notify], behaviour: .constant([level])
        )
      ]
    )
  }

  private static func heartRateService(_ generator: inout SeededGenerator) -> ServiceDefinition {
    guard let number = ValueFormat("u16") else { preconditionFailure("a format") }
    let counter = Counter(
      format: number, every: .milliseconds(generator.pick([20, 100, 700])),
      beginsAtOnce: generator.hits(1, in: 2)
    )
    return ServiceDefinition(
      uuid: heartRate,
      characteristics: [
        CharacteristicDefinition(
          uuid: measurement, properties: generator.hits(3, in: 4) ? [.notify] : [.indicate],
          behaviour: .counter(counter)
        ),
        CharacteristicDefinition(uuid: control, properties: [.write], behaviour: .constant([])),
      ]
    )
  }

  private static func userDataService(_ generator: inout SeededGenerator) -> ServiceDefinition {
    ServiceDefinition(
      uuid: userData,
      characteristics: [
        CharacteristicDefinition(
          uuid: age, properties: [.read, .write],
          behaviour: .constant([UInt8.random(in: 0...99, using: &generator)]),
          security: AttributeSecurity(read: .encrypted, write: .encrypted)
        )
      ]
    )
  }
}
