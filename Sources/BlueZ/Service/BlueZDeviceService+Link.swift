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
    operation(.objects, Self.measuring) { [self] in
      let device = try connectedDevice()
      let seen = client.look { $0.advertisement(of: device) }
      guard let seen, seen.isConnected else { throw Problem(.notConnected) }
      guard let meter else { throw Problem(.noMeter) }
      do {
        return try await meter.strength(
          of: LinkIdentity(adapter: seen.adapter, address: seen.address)
        )
      } catch let failure as DeviceFailure {
        throw failure.on(deviceDescription)
      }
    }
  }

  private static let measuring = "measuring the link"
}

extension Explanation {
  fileprivate static let noMeter = definite(
    .notSupported,
    "this service was made without a meter of links",
    hint: "give BlueZDeviceService one"
  )
}
