// RSSI, TX power and parameters of the connection, which org.bluez does not report.

import BlueZInterfaces
import Bluetooth
import DBus

extension BlueZOperations {
  func rssi() async throws -> LinkStrength {
    try await measured("measuring the link") { try await $0.strength(of: $1) }
  }

  func connectionParameters() async throws -> ConnectionParameters {
    try await measured("asking for the timing of the link") { try await $0.parameters(of: $1) }
  }

  private func measured<Value: Sendable>(
    _ title: String, _ ask: (any LinkMeter, LinkIdentity) async throws -> Value
  ) async throws -> Value {
    try await explaining(.objects, title) {
      let device = try connectedDevice()
      let seen = client.look { $0.advertisement(of: device) }
      guard let seen, seen.isConnected else { throw Cause.notConnected }
      guard let meter else { throw Cause.noMeter }
      do {
        return try await ask(meter, LinkIdentity(adapter: seen.adapter, address: seen.address))
      } catch let failure as DeviceFailure {
        throw failure.on(deviceDescription)
      }
    }
  }
}

extension Cause {
  fileprivate static let noMeter = permanent(
    .notSupported, "this service was created without a link meter", hint: "pass one to BlueZDevice"
  )
}
