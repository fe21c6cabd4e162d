// The strength of simulated links: what a host's kernel would tell of them.

public import Bluetooth

extension BlueZSimulator: LinkMeter {
  /// Draws the strength of a link, from the device's own randomness.
  ///
  /// The power is ``SimulatorSettings/transmitPower``, the adapter's own.
  public func strength(of link: LinkIdentity) async throws -> LinkStrength {
    guard let rssi = linkRSSI(of: link.address) else {
      throw DeviceFailure(
        code: .notConnected,
        class: .passing,
        operation: "measuring the link",
        meaning: "there is no link to it",
        hint: "connect first"
      )
    }
    return LinkStrength(rssi: rssi, txPower: settings.transmitPower)
  }
}
