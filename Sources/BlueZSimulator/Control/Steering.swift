// Control of the simulated world while it runs: by a test, a scenario, or over the bus.
//
// Devices and characteristics are selected by name. ControlServer exports this on a bus.

import BlueZInterfaces
import Bluetooth
import DBus
public import Signals
public import SimulatedDevices

/// Controls a running simulation: its devices, its adapters, its daemon.
///
/// A device is selected by its address or its name, in any case; a characteristic as
/// `CharacteristicSelector` parses it. All members must be called on the loop, or by whoever runs
/// it, and take effect before they return; clients observe the effects as they would from
/// bluetoothd.
public final class Steering: Sendable {
  let player: ScenarioPlayer
  private let isRestarting = Guarded(false)
  /// The actions of clients, over all restarts.
  public let log: BoundaryLog

  /// Controls a simulation, in addition to its scenario.
  ///
  /// For a simulation of your own; a `SimulatedWorld` of the module BLETesting has one.
  ///
  /// ```swift
  /// func steering(of player: ScenarioPlayer, _ log: BoundaryLog) -> Steering {
  ///   Steering(player, log: log)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - player: The running scenario.
  ///   - log: The log that the player was created with.
  public init(_ player: ScenarioPlayer, log: BoundaryLog) {
    self.player = player
    self.log = log
  }

  /// The simulated devices.
  public var devices: [SimulatedDevice] { player.devices }

  /// The loop that the simulation runs on.
  public var loop: Loop { player.loop }

  // MARK: Devices

  /// The selected device.
  ///
  /// ```swift
  /// print(try steering.device("Thermo-1").definition.address)
  /// ```
  ///
  /// - Throws: ``SteeringError/Kind/unknownDevice``.
  public func device(_ name: String) throws(SteeringError) -> SimulatedDevice {
    do {
      return try SimulatedDevice.named(name, among: devices)
    } catch {
      throw SteeringError(.unknownDevice, error.description)
    }
  }

  /// Whether the device is connected.
  ///
  /// ```swift
  /// if try steering.isConnected("Thermo-1") { try steering.dropLink("Thermo-1") }
  /// ```
  ///
  /// - Throws: ``SteeringError/Kind/unknownDevice``.
  public func isConnected(_ name: String) throws(SteeringError) -> Bool {
    let device = try device(name)
    return player.simulator?.device(device.definition.address)?.isConnected ?? false
  }

  /// Drops the connection to a device, as a lost signal does.
  ///
  /// ```swift
  /// try steering.dropLink("Thermo-1")
  /// ```
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

  /// Takes a device out of range, and drops its connection.
  ///
  /// ```swift
  /// try steering.vanish("Thermo-1")
  /// ```
  ///
  /// - Throws: ``SteeringError/Kind/unknownDevice``; ``SteeringError/Kind/noAdapter`` during a
  ///   restart.
  public func vanish(_ name: String) throws(SteeringError) {
    player.perform(.device(try present(name).definition.address, .vanish))
  }

  /// Brings a device back into range.
  ///
  /// ```swift
  /// steering.loop.after(.seconds(5)) { try? steering.appear("Thermo-1") }
  /// ```
  ///
  /// - Throws: ``SteeringError/Kind/unknownDevice``; ``SteeringError/Kind/noAdapter`` during a
  ///   restart.
  public func appear(_ name: String) throws(SteeringError) {
    player.perform(.device(try present(name).definition.address, .appear))
  }

  /// Makes a device add or remove a service of its definition.
  ///
  /// ```swift
  /// try steering.offer("battery", false, at: "Thermo-1")
  /// ```
  ///
  /// - Parameters:
  ///   - service: A name such as `battery`, or a UUID.
  ///   - isOffered: Whether the service is offered from now on.
  ///   - name: The device, by its name or address.
  public func offer(
    _ service: String,
    _ isOffered: Bool,
    at name: String
  ) throws(SteeringError) {
    let device = try present(name)
    let own = device.definition.services.map(\.uuid)
    guard let uuid = device.definition.names.uuid(service, .service), own.contains(uuid) else {
      let known = own.map { device.definition.names.title(of: $0, .service) }
      throw SteeringError(
        .unknownService,
        "\(device.title) has no service '\(service)': expected "
          + (known.isEmpty ? "a device that has services" : known.joined(separator: ", "))
      )
    }
    player.perform(.device(device.definition.address, .offer(uuid, isOffered)))
  }

  // MARK: Host

  /// Kills the daemon and starts another, which knows the devices that were connected or paired
  /// before.
  ///
  /// ```swift
  /// try await steering.restart(after: .seconds(2))
  /// ```
  ///
  /// - Parameter pause: How long there is no daemon.
  /// - Throws: ``SteeringError/Kind/restartFailed``; ``SteeringError/Kind/noAdapter`` during a
  ///   restart.
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
      // A bus notices the end of a connection with a delay.
      while try await bus.nameOwner(OrgBlueZ.busName) == old {
        try await bus.loop.sleep(for: .milliseconds(1))
      }
      if pause > .zero { try await bus.loop.sleep(for: pause) }
      try await player.start(before.successor(on: bus))
    } catch {
      throw SteeringError(.restartFailed, "the daemon could not be restarted: \(error)")
    }
  }

  // MARK: For the extensions

  private static let restarting = SteeringError(
    .noAdapter,
    "the daemon is being restarted: call again when it runs"
  )

  static let noAdapter = SteeringError(
    .noAdapter,
    "the adapter is missing: expected it to be plugged in, and bluetoothd to run"
  )

  func checkAdapter() throws(SteeringError) {
    guard !isRestarting.withLock({ $0 }) else { throw Self.restarting }
    guard player.simulator?.present.withLock({ !$0.all.isEmpty }) == true else {
      throw Self.noAdapter
    }
  }

  /// A device, while the adapter is present.
  private func present(_ name: String) throws(SteeringError) -> SimulatedDevice {
    let device = try device(name)
    try checkAdapter()
    return device
  }
}
