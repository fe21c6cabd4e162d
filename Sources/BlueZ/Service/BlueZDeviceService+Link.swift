// The strength of the link, which org.bluez does not tell.

import BlueZInterfaces
public import Bluetooth
import DBus
public import Signals

extension BlueZDeviceService {
  /// Measures the link.
  ///
  /// Device1's RSSI is that of advertisements, and gone while a device is connected. This asks the
  /// meter that the service was made with.
  ///
  /// - Returns: The strength. Fails with ``DeviceFailure``.
  public func rssi() -> Signal<LinkStrength> {
    measured("measuring the link") { try await $0.strength(of: $1) }
  }

  /// Tells the timing of the link, as far as the meter knows it.
  ///
  /// - Returns: The timing. Fails with ``DeviceFailure``.
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
      guard let seen, seen.isConnected else { throw Problem(.notConnected) }
      guard let meter else { throw Problem(.noMeter) }
      do {
        return try await ask(meter, LinkIdentity(adapter: seen.adapter, address: seen.address))
      } catch let failure as DeviceFailure {
        throw failure.on(deviceDescription)
      }
    }
  }
}

extension Explanation {
  fileprivate static let noMeter = definite(
    .notSupported,
    "this service was made without a meter of links",
    hint: "give BlueZDeviceService one"
  )
}
