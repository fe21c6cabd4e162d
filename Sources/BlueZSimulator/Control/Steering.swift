// What happens to the simulated world while it runs: by a test, a scenario, or over the bus.
//
// Devices and characteristics are named as people name them. ControlServer puts this on a bus.

import BlueZInterfaces
import Bluetooth
import DBus
public import Signals
public import SimulatedDevices

/// Steers a running simulation: its devices, its adapter, its daemon.
///
/// A device is named by its address or its name, in any case; a characteristic as
/// ``CharacteristicSelector`` reads it. All of it is to be called on the loop, or by whoever drives
/// it, and has its effect before it returns; clients hear of it as they would from bluetoothd.
public final class Steering: Sendable {
  let player: ScenarioPlayer
  private let isRestarting = Guarded(false)
  /// What clients did, over all restarts.
  public let log: BoundaryLog

  /// Steers a simulation, beside what its scenario does.
  ///
  /// - Parameter log: The one that the player was made with.
  public init(_ player: ScenarioPlayer, log: BoundaryLog) {
    self.player = player
    self.log = log
  }

  /// The simulated devices.
  public var devices: [SimulatedDevice] { player.devices }

  /// The loop that the simulation runs on.
  public var loop: Loop { player.loop }

  // MARK: Devices

  /// The device that is named.
  ///
  /// - Throws: ``SteeringError/Kind/unknownDevice``.
  public func device(_ name: String) throws(SteeringError) -> SimulatedDevice {
    do {
      return try SimulatedDevice.named(name, among: devices)
    } catch {
      throw SteeringError(.unknownDevice, error.description)
    }
  }

  /// Whether the device has a link.
  public func isConnected(_ name: String) throws(SteeringError) -> Bool {
    let device = try device(name)
    return player.simulator?.device(device.definition.address)?.isConnected ?? false
  }

  /// Ends the link to a device, as a lost signal does.
  ///
  /// - Throws: ``SteeringError/Kind/notConnected`` when there is none.
  public func dropLink(_ name: String) throws(SteeringError) {
    let device = try present(name)
    guard try isConnected("\(device.definition.address)") else {
      throw SteeringError(
        .notConnected,
        "\(device.title) has no link to drop: expected one that a client has connected"
      )
    }
    player.perform(.device(device.definition.address, .loseLink))
  }

  /// Takes a device out of the air, and its link with it.
  public func vanish(_ name: String) throws(SteeringError) {
    player.perform(.device(try present(name).definition.address, .vanish))
  }

  /// Brings a device back into the air.
  public func appear(_ name: String) throws(SteeringError) {
    player.perform(.device(try present(name).definition.address, .appear))
  }

  /// Has a device begin or cease to offer a service of its definition.
  ///
  /// - Parameter service: A name such as `battery`, or a UUID.
  public func offer(
    _ service: String,
    _ isOffered: Bool,
    at name: String
  ) throws(SteeringError) {
    let device = try present(name)
    let own = device.definition.services.map(\.uuid)
    guard let uuid = AssignedNumbers.service(named: service), own.contains(uuid) else {
      let known = own.map { AssignedNumbers.serviceIdentifier($0) ?? "\($0)" }
      throw SteeringError(
        .unknownService,
        "\(device.title) has no service '\(service)': expected "
          + (known.isEmpty ? "a device that has services" : known.joined(separator: ", "))
      )
    }
    player.perform(.device(device.definition.address, .offer(uuid, isOffered)))
  }

  // MARK: Host

  /// Kills the daemon and starts another, which knows what was connected or paired before.
  ///
  /// - Parameter pause: How long there is none.
  /// - Throws: ``SteeringError/Kind/restartFailed``; ``SteeringError/Kind/noAdapter`` while it is
  ///   being restarted.
  public func restart(after pause: Duration = .zero) async throws {
    let isFirst = isRestarting.withLock { isRestarting in
      defer { isRestarting = true }
      return !isRestarting
    }
    guard isFirst, let before = player.simulator else { throw Self.restarting }
    defer { isRestarting.withLock { $0 = false } }
    do {
      let bus = try await player.connect()
      let old = before.host.bus.uniqueName
      before.crash()
      // A bus learns of the end of a connection when it gets to it.
      while try await bus.nameOwner(OrgBlueZ.busName) == old {
        try await bus.loop.sleep(for: .milliseconds(1))
      }
      if pause > .zero { try await bus.loop.sleep(for: pause) }
      try await player.start(before.successor(on: bus))
    } catch {
      throw SteeringError(.restartFailed, "the daemon could not come up again: \(error)")
    }
  }

  // MARK: For what steers in other files

  private static let restarting = SteeringError(
    .noAdapter,
    "the daemon is being restarted: expected to be called when it is up"
  )

  static let noAdapter = SteeringError(
    .noAdapter,
    "there is no adapter: expected it to be plugged in, and bluetoothd to run"
  )

  func checkAdapter() throws(SteeringError) {
    guard !isRestarting.withLock({ $0 }) else { throw Self.restarting }
    guard player.simulator?.present.withLock({ !$0.all.isEmpty }) == true else {
      throw Self.noAdapter
    }
  }

  /// A device around an adapter that is there.
  private func present(_ name: String) throws(SteeringError) -> SimulatedDevice {
    let device = try device(name)
    try checkAdapter()
    return device
  }
}
