// The strength and the timing of links in a scenario: those of the bluetoothd that runs.

public import Bluetooth

extension ScenarioPlayer: LinkMeter {
  /// Draws the strength of a link, from the device's own randomness.
  public func strength(of link: LinkIdentity) async throws -> LinkStrength {
    guard let simulator else { throw BlueZSimulator.noLink("measuring the link") }
    return try await simulator.strength(of: link)
  }

  /// The timing of a link.
  public func parameters(of link: LinkIdentity) async throws -> ConnectionParameters {
    guard let simulator else {
      throw BlueZSimulator.noLink("asking for the timing of the link")
    }
    return try await simulator.parameters(of: link)
  }
}
