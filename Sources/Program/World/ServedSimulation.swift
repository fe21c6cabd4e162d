// A simulated org.bluez on somebody's bus, steered from there if that is wanted.

import BlueZSimulator
import DBus
import Signals
import SimulatedDevices

/// What `blerun simulate` serves, as long as it is held.
final class ServedSimulation: Sendable {
  private let player: ScenarioPlayer
  private let control: ControlServer?

  /// Puts the scenario on the bus.
  ///
  /// - Parameters:
  ///   - connect: Makes a connection to it.
  ///   - closeBus: Ends it.
  init(
    _ scenario: ScenarioDefinition,
    on loop: Loop,
    seed: UInt64,
    isSteered: Bool,
    connect: @escaping ScenarioPlayer.Connect,
    closeBus: @escaping @Sendable () -> Void
  ) async throws {
    let log = isSteered ? BoundaryLog() : nil
    player = World.player(
      scenario,
      on: loop,
      seed: seed,
      log: log,
      connect: connect,
      closeBus: closeBus
    )
    try await player.start()
    guard let log else {
      control = nil
      return
    }
    let server = ControlServer(Steering(player, log: log), on: try await connect())
    try await server.start()
    control = server
  }

  /// Ends the programs that decide for its devices, and reports what was never used.
  func end() {
    player.endLogic()
    player.reportUnused()
  }

  /// How to steer it from a shell.
  static func hint(for address: String) -> String {
    "to steer it: busctl --address='\(address)' call \(ControlNames.bus) "
      + "\(ControlNames.path.text) \(ControlNames.interface) ListDevices"
  }
}
