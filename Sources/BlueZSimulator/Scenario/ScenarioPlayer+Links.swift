// RSSI and parameters of connections in a scenario: those of the running bluetoothd.

public import Bluetooth

extension ScenarioPlayer: LinkMeter {
  /// Draws the RSSI of a connection, from the device's own random generator.
  public func strength(of link: LinkIdentity) async throws -> LinkStrength {
    guard let simulator else { throw BlueZSimulator.noLink("measuring the link") }
    return try await simulator.strength(of: link)
  }

  /// The parameters of a connection.
  public func parameters(of link: LinkIdentity) async throws -> ConnectionParameters {
    guard let simulator else {
      throw BlueZSimulator.noLink("asking for the timing of the link")
    }
    return try await simulator.parameters(of: link)
  }
}
