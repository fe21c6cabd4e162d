// The strength of simulated links: what a host's kernel would tell of them.

public import Bluetooth

extension BlueZSimulator: LinkMeter {
  /// Draws the strength of a link, from the device's own randomness.
  ///
  /// The power is ``SimulatorSettings/transmitPower``, the adapter's own.
  public func strength(of link: LinkIdentity) async throws -> LinkStrength {
    guard let rssi = linkRSSI(of: link.address) else { throw Self.noLink("measuring the link") }
    return LinkStrength(rssi: rssi, txPower: settings.transmitPower)
  }

  /// The timing that Linux asks for when nothing is set: no simulated device asks for another.
  ///
  /// - Source: Linux 6.1, `net/bluetooth/hci_core.c` (hci_alloc_dev_priv: 30 ms, 0, 420 ms).
  public func parameters(of link: LinkIdentity) async throws -> ConnectionParameters {
    guard linkRSSI(of: link.address) != nil else {
      throw Self.noLink("asking for the timing of the link")
    }
    return ConnectionParameters(
      interval: .milliseconds(30),
      latency: 0,
      supervisionTimeout: .milliseconds(420)
    )
  }

  static func noLink(_ operation: String) -> DeviceFailure {
    DeviceFailure(
      code: .notConnected,
      class: .passing,
      operation: operation,
      meaning: "there is no link to it",
      hint: "connect first"
    )
  }
}
