// The strength of links in a scenario: that of the bluetoothd that runs.

public import Bluetooth

extension ScenarioPlayer: LinkMeter {
  /// Draws the strength of a link, from the device's own randomness.
  public func strength(of link: LinkIdentity) async throws -> LinkStrength {
    guard let simulator else {
      throw DeviceFailure(
        code: .notConnected,
        class: .passing,
        operation: "measuring the link",
        meaning: "there is no link to it",
        hint: "connect first"
      )
    }
    return try await simulator.strength(of: link)
  }
}
