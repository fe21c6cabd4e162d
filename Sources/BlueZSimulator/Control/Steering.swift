// What happens to the simulated world while it runs: by a test, a scenario, or over the bus.
//
// Devices and characteristics are named as people name them. ControlServer puts this on a bus.

import BlueZInterfaces
import Bluetooth
public import DBus
public import Signals
public import SimulatedDevices

/// Steers a running simulation: its devices, its adapter, its daemon.
///
/// A device is named by its address or its name, in any case; a characteristic as
/// ``CharacteristicSelector`` reads it. All of it is to be called on the loop, or by whoever drives
/// it, and has its effect before it returns; clients hear of it as they would from bluetoothd.
public final class Steering: Sendable {
  /// Makes another connection to the bus on which org.bluez is.
  public typealias Connector = @Sendable () async throws -> any MessageBus

  private struct State {
    var simulator: BlueZSimulator
    var isRestarting = false
  }

  private let state: Guarded<State>
  private let connect: Connector?
  /// What clients did, over all restarts.
  public let log: BoundaryLog

  /// Steers a simulator that was started.
  ///
  /// - Parameters:
  ///   - log: The one that the simulator was made with.
  ///   - connect: For ``restart(after:)``; nil: it cannot be restarted.
  public init(_ simulator: BlueZSimulator, log: BoundaryLog, connect: Connector? = nil) {
    state = Guarded(State(simulator: simulator))
    self.log = log
    self.connect = connect
  }

  /// The simulated bluetoothd; another one after a restart.
  public var simulator: BlueZSimulator { state.withLock { $0.simulator } }

  /// The simulated devices.
  public var devices: [SimulatedDevice] { simulator.devices }

  /// The loop's time.
  public var loop: Loop { simulator.host.loop }

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
    return simulator.device(device.definition.address)?.isConnected ?? false
  }

  /// Ends the link to a device, as a lost signal does.
  ///
  /// - Throws: ``SteeringError/Kind/notConnected`` when there is none.
  public func dropLink(_ name: String) throws(SteeringError) {
    let (device, simulator) = (try present(name), simulator)
    guard simulator.device(device.definition.address)?.isConnected == true else {
      throw SteeringError(
        .notConnected,
        "\(device.title) has no link to drop: expected one that a client has connected"
      )
    }
    simulator.loseLink(device.definition.address)
  }

  /// Takes a device out of the air, and its link with it.
  public func vanish(_ name: String) throws(SteeringError) {
    simulator.vanish(try present(name).definition.address)
  }

  /// Brings a device back into the air.
  public func appear(_ name: String) throws(SteeringError) {
    simulator.appear(try present(name).definition.address)
  }

  /// Carries a device about: its strength changes evenly to `rssi`, in dBm from -127 to 20.
  public func move(
    _ name: String,
    to rssi: Int,
    within duration: Duration = .zero
  ) throws(SteeringError) {
    let device = try device(name)
    guard (-127...20).contains(rssi) else {
      throw SteeringError(.invalidValue, "\(rssi) is no strength: expected -127 to 20 dBm")
    }
    device.move(to: rssi, within: duration)
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
    simulator.offer(uuid, isOffered, at: device.definition.address)
  }

  // MARK: Host

  /// Switches the adapter on or off, as an rfkill switch does.
  public func setPowered(_ isOn: Bool) throws(SteeringError) {
    try checkAdapter()
    simulator.setPowered(isOn)
  }

  /// Pulls the adapter out; nothing happens when it is out.
  public func unplug() { simulator.unplug() }

  /// Puts the adapter in as `hci` and a number; nothing happens when it is in.
  public func plugIn(as index: Int = 0) { simulator.plugIn(as: index) }

  /// Kills the daemon and starts another, which knows what was connected or paired before.
  ///
  /// - Parameter pause: How long there is none.
  /// - Throws: ``SteeringError/Kind/restartFailed``; ``SteeringError/Kind/noAdapter`` while it is
  ///   being restarted.
  public func restart(after pause: Duration = .zero) async throws {
    guard let connect else {
      throw SteeringError(.restartFailed, "nobody said how to connect to the bus again")
    }
    let before = try state.withLock { state throws(SteeringError) in
      guard !state.isRestarting else { throw Self.restarting }
      state.isRestarting = true
      return state.simulator
    }
    defer { state.withLock { $0.isRestarting = false } }
    do {
      let bus = try await connect()
      let old = before.host.bus.uniqueName
      before.crash()
      // A daemon learns of the end of a connection when it gets to it.
      while try await bus.nameOwner(OrgBlueZ.busName) == old {
        try await bus.loop.sleep(for: .milliseconds(1))
      }
      if pause > .zero { try await bus.loop.sleep(for: pause) }
      let next = before.successor(on: bus)
      try await next.start()
      state.withLock { $0.simulator = next }
    } catch {
      throw SteeringError(.restartFailed, "the daemon could not come up again: \(error)")
    }
  }

  // MARK: For what steers in other files

  private static let restarting = SteeringError(
    .noAdapter,
    "the daemon is being restarted: expected to be called when it is up"
  )

  private func checkAdapter() throws(SteeringError) {
    guard !state.withLock({ $0.isRestarting }) else { throw Self.restarting }
    guard simulator.present.withLock({ $0.adapter }) != nil else {
      throw SteeringError(.noAdapter, "the adapter is pulled out: expected it to be in")
    }
  }

  /// A device around an adapter that is there.
  private func present(_ name: String) throws(SteeringError) -> SimulatedDevice {
    let device = try device(name)
    try checkAdapter()
    return device
  }
}
