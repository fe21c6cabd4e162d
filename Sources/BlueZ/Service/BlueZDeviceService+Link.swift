// RSSI, TX power and parameters of the connection, which org.bluez does not report.

import BlueZInterfaces
public import Bluetooth
import DBus
public import Signals

extension BlueZDeviceService {
  /// Measures the connection.
  ///
  /// The RSSI of Device1 is that of advertisements, and absent while a device is connected. This
  /// asks the meter that the service was created with.
  ///
  /// ```swift
  /// let strength = try await device.session { device.rssi() }.first(within: .seconds(30))
  /// print("\(strength.rssi) dBm")
  /// ```
  ///
  /// - Returns: RSSI and TX power. Fails with `DeviceFailure`.
  public func rssi() -> Signal<LinkStrength> {
    measured("measuring the link") { try await $0.strength(of: $1) }
  }

  /// Reads the connection parameters, as far as the meter knows them.
  ///
  /// ```swift
  /// let parameters = device.session { device.connectionParameters() }
  /// print(try await parameters.first(within: .seconds(30)).interval)
  /// ```
  ///
  /// - Returns: The parameters. Fails with `DeviceFailure`.
  public func connectionParameters() -> Signal<ConnectionParameters> {
    measured("asking for the timing of the link") { try await $0.parameters(of: $1) }
  }

  private func measured<Value: Sendable>(
    _ title: String,
    _ ask: @escaping @Sendable (any LinkMeter, LinkIdentity) async throws -> Value
  ) -> Signal<Value> {
    operation(.objects, title) { [self] in
      let device = try connectedDevice()
      let seen = client.look { $0.advertisement(of: device) }
      guard let seen, seen.isConnected else { throw Problem.notConnected }
      guard let meter else { throw Problem.noMeter }
      do {
        return try await ask(meter, LinkIdentity(adapter: seen.adapter, address: seen.address))
      } catch let failure as DeviceFailure {
        throw failure.on(deviceDescription)
      }
    }
  }
}

extension Problem {
  fileprivate static let noMeter = permanent(
    .notSupported,
    "this service was created without a link meter",
    hint: "pass one to BlueZDeviceService"
  )
}
