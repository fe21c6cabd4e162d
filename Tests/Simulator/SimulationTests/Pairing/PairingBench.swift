// A device that pairs in some way, with a client and a second one beside it.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

extension DeviceDefinition {
  /// A device that pairs so, with values that need no bond, any, or one that was vouched for.
  static func pairing(
    _ method: PairingDefinition.Method, passkey: UInt32? = nil
  ) -> DeviceDefinition {
    func value(_ uuid: BluetoothUUID, _ security: LinkSecurity) -> CharacteristicDefinition {
      CharacteristicDefinition(
        uuid: uuid, properties: [.read, .write, .notify], behaviour: .echo,
        security: AttributeSecurity(read: security, write: security)
      )
    }
    return DeviceDefinition(
      name: "Lock-1", address: thermometerAddress,
      pairing: PairingDefinition(method, passkey: passkey),
      services: [
        ServiceDefinition(
          uuid: .alert,
          characteristics: [
            value(.plain, .none), value(.encrypted, .encrypted),
            value(.authenticated, .authenticated),
          ]
        )
      ]
    )
  }
}

extension BluetoothUUID {
  static let plain = BluetoothUUID(short: 0x2a06)
  static let encrypted = BluetoothUUID(short: 0x2a07)
  static let authenticated = BluetoothUUID(short: 0x2a08)
}

extension Simulation {
  /// The outcome of one chain on the device, in one turn.
  func run<Value: Sendable>(
    within limit: Duration = .seconds(200), _ chain: Signal<Value>
  ) -> Outcome<Value?> {
    chain.map { Optional($0) }.firstOrDefault(nil, within: limit)
  }

  /// Connects, pairs, and does something more.
  func pairThen<Value: Sendable>(
    _ answers: PairingAnswers, _ body: @escaping @Sendable (PairingOutcome) -> Signal<Value>
  ) -> Outcome<Value?> {
    let service = service
    return run(service.connect().flattenMap { service.pair(answers).flattenMap(body) })
  }

  func pair(_ answers: PairingAnswers) -> Outcome<PairingOutcome?> {
    pairThen(answers) { .just($0) }
  }

  /// The value of a boolean property of the device; nil when the device is not known.
  func deviceProperty(_ name: String) throws -> Bool? {
    let (bus, path) = (bus, devicePath)
    return try loop.run {
      let client = try bus.connect()
      defer { client.close() }
      let call = try MethodCall(
        destination: "org.bluez", path: path, interface: "org.freedesktop.DBus.Properties",
        member: "Get", body: [.string("org.bluez.Device1"), .string(name)]
      )
      do {
        return try await client.call(call).body.first?.unwrapped.asBool
      } catch is DBusError {
        return nil
      }
    }
  }

  var devicePath: ObjectPath { "/org/bluez/hci0/dev_C0_FF_EE_00_00_01" }

  /// The failure of a chain.
  func failure<Value: Sendable>(_ outcome: Outcome<Value>) throws -> DeviceFailure {
    let error = try #require(outcome.error)
    return try #require(error as? DeviceFailure, "\(error)")
  }
}

extension CharacteristicSelector {
  static let plain = CharacteristicSelector(characteristic: .plain)
  static let encrypted = CharacteristicSelector(characteristic: .encrypted)
  static let authenticated = CharacteristicSelector(characteristic: .authenticated)
}
