// RSSI, TX power and parameters of simulated connections, as a host's kernel would report them.

public import Bluetooth

extension ScenarioPlayer: LinkMeter {
  /// Draws the RSSI of a connection, from the device's own random generator.
  ///
  /// The TX power is ``SimulatorSettings/transmitPower``, the adapter's.
  public func strength(of link: LinkIdentity) async throws -> LinkStrength {
    guard let simulator, let rssi = simulator.linkRSSI(of: link.address) else {
      throw Self.noLink("measuring the link")
    }
    return LinkStrength(rssi: rssi, txPower: simulator.settings.transmitPower)
  }

  /// The parameters that Linux requests by default; no simulated device requests others.
  ///
  /// - Source: Linux 6.1, `net/bluetooth/hci_core.c` (hci_alloc_dev_priv: 30 ms, 0, 420 ms).
  public func parameters(of link: LinkIdentity) async throws -> ConnectionParameters {
    guard simulator?.linkRSSI(of: link.address) != nil else {
      throw Self.noLink("asking for the timing of the link")
    }
    return ConnectionParameters(
      interval: .milliseconds(30), latency: 0, supervisionTimeout: .milliseconds(420)
    )
  }

  private static func noLink(_ operation: String) -> DeviceFailure {
    DeviceFailure(
      code: .notConnected, class: .passing, operation: operation,
      meaning: "the device is not connected", hint: "connect first"
    )
  }
}
