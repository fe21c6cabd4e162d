// Controls the simulated world while it runs, for a test or for the control interface on the bus.
//
// It resolves names and checks arguments; WorldAction performs the actions. ControlVerb lists those
// that are available on the bus.

import BlueZInterfaces
public import Bluetooth
import DBus
public import Signals
public import SimulatedDevices

/// Controls a running simulation: devices, adapters and bluetoothd.
///
/// Devices are selected by address or name, in any case; characteristics by any text that
/// `CharacteristicSelector` parses. Call all members on the loop, or on the thread that drives it.
/// Changes take effect before the call returns; clients observe them as they would with bluetoothd.
/// Refused changes throw a ``SteeringError``.
public final class Steering: Sendable {
  let player: ScenarioPlayer
  private let isRestarting: Confined<Bool>
  /// The log of clients' calls and devices' events, across restarts.
  public let log: SimulatorLog

  /// Creates a controller for a simulation, in addition to its scenario.
  ///
  /// Only needed for a simulation of your own; a `SimulatedWorld` of BLETesting already has one.
  ///
  /// ```swift
  /// func steering(of player: ScenarioPlayer, _ log: SimulatorLog) -> Steering {
  ///   Steering(player, log: log)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - player: The running scenario.
  ///   - log: The log that the player was created with.
  public init(_ player: ScenarioPlayer, log: SimulatorLog) {
    self.player = player
    self.log = log
    isRestarting = Confined(false, to: player.loop)
  }

  /// The simulated devices: those of the scenario, then the adapters that programs use as
  /// peripherals.
  public var devices: [SimulatedDevice] {
    let adapters = player.simulator?.locals ?? []
    return player.devices + adapters.filter(\.isInUse).map(\.device)
  }

  /// The loop that the simulation runs on.
  public var loop: Loop { player.loop }

  // MARK: Devices

  /// The selected device.
  ///
  /// ```swift
  /// print(try steering.device("Thermo-1").definition.address)
  /// ```
  public func device(_ name: String) throws(SteeringError) -> SimulatedDevice {
    do {
      return try SimulatedDevice.named(name, among: devices)
    } catch {
      throw SteeringError(.unknownDevice, "\(error)")
    }
  }

  /// Whether the device is connected.
  public func isConnected(_ name: String) throws(SteeringError) -> Bool {
    isConnected(try device(name))
  }

  func isConnected(_ device: SimulatedDevice) -> Bool {
    player.simulator?.device(device.definition.address)?.isConnected ?? false
  }

  /// Changes a device, its connection or its RSSI.
  ///
  /// ```swift
  /// if try steering.isConnected("Thermo-1") { try steering.apply(.loseLink, to: "Thermo-1") }
  /// try steering.apply(.move(to: -90, within: .seconds(20)), to: "Thermo-1")
  /// ```
  ///
  /// - Throws: ``SteeringError/Kind/notConnected`` if there is no connection to drop;
  ///   ``SteeringError/Kind/noAdapter`` during a restart; ``SteeringError/Kind/invalidValue`` for a
  ///   value out of range.
  public func apply(_ change: DeviceChange, to name: String) throws(SteeringError) {
    let device = try device(name)
    try check(change, of: device)
    player.perform(.device(device.definition.address, change))
  }

  /// Makes a device add or remove a service of its definition, given by a name such as `battery`.
  public func offer(_ service: String, _ isOffered: Bool, at name: String) throws(SteeringError) {
    let device = try device(name)
    try checkAdapter()
    let definition = device.definition
    let own = definition.services.map(\.uuid)
    guard let uuid = definition.names.uuid(service, .service), own.contains(uuid) else {
      let known = own.map { definition.names.title(of: $0, .service) }
      throw SteeringError(
        .unknownService,
        "\(device.title) has no service '\(service)': expected "
          + (known.isEmpty ? "a device that has services" : known.joined(separator: ", "))
      )
    }
    try apply(.offer(uuid, isOffered), to: name)
  }

  /// Changes what a device advertises: the first advertisement, if it has several.
  ///
  /// ```swift
  /// try steering.advertise("{ rssi: -70, service-data: { battery: '28' } }", from: "Beacon-1")
  /// ```
  ///
  /// - Parameters:
  /// - text: Keys of `advertisement` as in a device file; other keys are unchanged. An RSSI or a
  ///   spread ends an earlier movement of the device.
  ///   - name: The device, by its name or address.
  /// - Throws: ``SteeringError/Kind/invalidAdvertisement`` with all errors of the change.
  public func advertise(_ text: String, from name: String) throws(SteeringError) {
    let device = try device(name)
    let changed: (advertisement: AdvertisementDefinition, setsRSSI: Bool)
    do {
      changed = try DeviceFile.parseAdvertisement(
        text, changing: device.advertised(), of: device.definition
      )
    } catch {
      throw SteeringError(.invalidAdvertisement, "\(error)")
    }
    try apply(.advertise(changed.advertisement, endsMovement: changed.setsRSSI), to: name)
  }

  /// Adds a fault, given as in a device file or by name, to a device.
  ///
  /// ```swift
  /// try steering.addFault("{ on: read, nth: 2, do: lose-link }", at: "Thermo-1")
  /// try steering.addFault("{ fault: lost-notifications, for: 3s }", at: "Thermo-1")
  /// ```
  ///
  /// - Throws: ``SteeringError/Kind/invalidFault`` with all errors of the fault.
  public func addFault(_ fault: String, at name: String) throws(SteeringError) {
    let device = try device(name)
    let actions: [TimedAction]
    do {
      actions = try DeviceFile.parseFault(fault, of: device.definition)
    } catch {
      throw SteeringError(.invalidFault, "\(error)")
    }
    for timed in actions where timed.delay <= .zero { player.perform(timed.action) }
    for timed in actions where timed.delay > .zero {
      player.after(timed.delay) { player in player.perform(timed.action) }
    }
  }

  /// Attaches a logic program, which listens on a Unix stream socket, in place of the device's
  /// current logic.
  ///
  /// The device sends `start` before this returns, so the program must already accept connections.
  /// For the socket that is attached already, only the events are replaced.
  ///
  /// - Parameter events: The events that the logic handles, such as `write pin`; empty: all.
  func attachLogic(
    _ socket: String, handling events: [String], to name: String
  ) throws(SteeringError) {
    let device = try device(name)
    guard socket.hasPrefix("/") else {
      throw SteeringError(.invalidLogic, "invalid socket '\(socket)': expected an absolute path")
    }
    let wanted: LogicEvents
    do {
      wanted = try events.isEmpty ? .all : LogicEvents(events, of: device.table)
    } catch {
      throw SteeringError(.invalidLogic, "\(device.title): \(error)")
    }
    let address = device.definition.address
    guard !device.hasLogic || player.state.sockets[address] != socket else {
      return device.handle(wanted)
    }
    do {
      try player.open(LogicDefinition(.socket(socket)), of: device, handling: wanted)
    } catch {
      throw SteeringError(.logicFailed, error.description)
    }
    player.state.sockets[address] = socket
  }

  // MARK: Values

  /// The current value of a characteristic. It does not count as a read by a client.
  public func value(of characteristic: String, at name: String) throws(SteeringError) -> [UInt8] {
    let device = try device(name)
    return device.value(at: try entry(characteristic, of: device).handle) ?? []
  }

  /// Changes the value of a characteristic as the device itself does: stores it, and notifies the
  /// subscribers. A generated value stays constant until ``release(_:at:)``.
  public func setValue(
    _ value: [UInt8], of characteristic: String, at name: String
  ) throws(SteeringError) {
    let handle = try entry(characteristic, of: try device(name)).handle
    try apply(.set(value, handle: handle), to: name)
  }

  /// Changes fields of a described value as ``setValue(_:of:at:)`` does; the others stay.
  ///
  /// - Parameter text: The fields, in YAML or JSON.
  func setFields(
    _ text: String, of characteristic: String, at name: String
  ) throws(SteeringError) {
    let device = try device(name)
    let entry = try entry(characteristic, of: device)
    let value: [UInt8]
    do {
      value = try DeviceFile.parseFields(
        text, changing: device.value(at: entry.handle) ?? [], of: entry.uuid, at: device.definition
      )
    } catch {
      throw SteeringError(.invalidValue, "\(device.title): \(error)")
    }
    try apply(.set(value, handle: entry.handle), to: name)
  }

  /// The fields of a value as JSON; empty if the names of the device do not describe it, or it
  /// cannot be decoded.
  func fields(of characteristic: String, at name: String) throws(SteeringError) -> String {
    let device = try device(name)
    let entry = try entry(characteristic, of: device)
    let value = device.value(at: entry.handle) ?? []
    return DeviceFile.fields(of: value, entry.uuid, at: device.definition) ?? ""
  }

  /// Lets a value that was set be generated again.
  public func release(_ characteristic: String, at name: String) throws(SteeringError) {
    let handle = try entry(characteristic, of: try device(name)).handle
    try apply(.release(handle: handle), to: name)
  }

  /// The entry of a characteristic in the table of a device.
  func entry(
    _ characteristic: String, of device: SimulatedDevice
  ) throws(SteeringError) -> CharacteristicEntry {
    do {
      return try device.table.characteristic(named: characteristic)
    } catch {
      throw SteeringError(.unknownCharacteristic, "\(device.title): \(error)")
    }
  }

  // MARK: Host

  /// Kills bluetoothd and, after a pause, starts another one, which knows the devices that were
  /// connected or paired.
  ///
  /// - Throws: ``SteeringError/Kind/restartFailed``; ``SteeringError/Kind/noAdapter`` during a
  ///   restart.
  public func restart(after pause: Duration = .zero) async throws {
    guard !isRestarting.contents, let before = player.simulator else { throw Self.restarting }
    isRestarting.contents = true
    defer { isRestarting.contents = false }
    do {
      let bus = try await player.connect()
      before.crash()
      if pause > .zero { try await loop.sleep(for: pause) }
      try await player.start(after: before, on: bus)
    } catch {
      throw SteeringError(.restartFailed, "the daemon could not be restarted: \(error)")
    }
  }

  // MARK: Checks

  private static let restarting = SteeringError(
    .noAdapter, "the daemon is being restarted: call again when it runs"
  )

  static let noAdapter = SteeringError(
    .noAdapter, "the adapter is missing: expected it to be plugged in, and bluetoothd to run"
  )

  private func checkAdapter() throws(SteeringError) {
    guard !isRestarting.contents else { throw Self.restarting }
    guard player.simulator?.present.all.isEmpty == false else { throw Self.noAdapter }
  }

  private func check(_ change: DeviceChange, of device: SimulatedDevice) throws(SteeringError) {
    func invalid(_ what: String) -> SteeringError { SteeringError(.invalidValue, what) }
    func check(rssi: Int) throws(SteeringError) {
      guard (-127...20).contains(rssi) else {
        throw invalid("invalid RSSI \(rssi): expected -127 to 20 dBm")
      }
    }
    switch change {
    case .loseLink:
      try checkAdapter()
      guard isConnected(device) else {
        throw SteeringError(
          .notConnected,
          "\(device.title) has no link to drop: expected one that a client has connected"
        )
      }
    case .vanish, .appear, .offer, .replace, .services: try checkAdapter()
    case .move(let rssi, _): try check(rssi: rssi)
    case .follow(.path(let path)):
      for point in path.points { try check(rssi: point.rssi) }
      let times = path.points.map(\.time)
      guard times.first == .zero, zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
        throw invalid("invalid path: expected points at increasing times from 0")
      }
    case .follow(.walk(let walk)):
      try check(rssi: walk.low)
      try check(rssi: walk.high)
      guard walk.low < walk.high, (1...60).contains(walk.step), walk.every >= .milliseconds(100)
      else {
        throw invalid(
          "invalid walk: expected low below high, steps of 1 to 60 dB, and 100 ms or more for each"
        )
      }
    case .stray(let spread):
      guard (0...60).contains(spread) else {
        throw invalid("invalid spread \(spread): expected 0 to 60 dB")
      }
    case .set(let value, _):
      guard value.count <= FileLimits.octets else {
        throw invalid("the value has \(value.count) bytes: expected at most \(FileLimits.octets)")
      }
    case .requestSecurity:
      guard isConnected(device) else {
        throw SteeringError(
          .notConnected,
          "\(device.title) has no link to request security on: expected one that a client has connected"
        )
      }
    case .loseBonds, .follow(nil), .release, .advertise, .notifications, .rules, .rule: break
    }
  }
}

// MARK: - Adapters

extension Steering {
  /// The current state of an adapter.
  public struct Adapter: Hashable, Sendable {
    /// Such as `hci0`; nil while it is unplugged.
    public let interface: String?
    /// The address of the adapter.
    public let address: BluetoothAddress
    /// The name of the adapter.
    public let name: String
    /// Whether it is powered.
    public let isPowered: Bool
  }

  /// The adapters of the host, in the order of the settings.
  ///
  /// ```swift
  /// for adapter in steering.adapters { print(adapter.interface ?? "unplugged", adapter.address) }
  /// ```
  public var adapters: [Adapter] {
    slots.map { slot in
      Adapter(
        interface: slot.server.flatMap { _ in slot.number.map(BlueZPath.adapterName) },
        address: slot.settings.address, name: slot.settings.name,
        isPowered: slot.server?.isPowered ?? false
      )
    }
  }

  /// Changes the power of an adapter, or plugs it in or out.
  ///
  /// ```swift
  /// try steering.apply(.power(false), toAdapter: "hci0")
  /// ```
  ///
  /// - Parameters:
  /// - change: The power changes as with an rfkill switch. Unplugging an unplugged adapter, or
  ///   plugging in a plugged one, does nothing; a number in use is skipped.
  ///   - adapter: The adapter's interface, such as `hci0`, its name or its address; nil: the first
  /// adapter.
  /// - Throws: ``SteeringError/Kind/unknownAdapter``; ``SteeringError/Kind/noAdapter`` if the power
  ///   of an unplugged adapter is to change; ``SteeringError/Kind/invalidValue`` for an invalid
  ///   number.
  public func apply(_ change: AdapterChange, toAdapter adapter: String? = nil) throws(SteeringError)
  {
    let index: Int
    switch change {
    case .power:
      try checkAdapter()
      index = try self.index(of: adapter)
      guard slots[index].server != nil else { throw Self.noAdapter }
    case .plugIn(let number?) where !(0...Self.lastNumber).contains(number):
      throw SteeringError(
        .invalidValue,
        "invalid adapter index \(number): expected 0 to \(Self.lastNumber), or -1 for its own"
      )
    case .unplug, .plugIn: index = try self.index(of: adapter)
    }
    player.perform(.adapter(index, change))
  }

  /// The kernel numbers adapters in 16 bits.
  private static let lastNumber = 65_535

  private var slots: [AdapterSlots.Slot] {
    player.simulator?.present.slots ?? []
  }

  private func index(of adapter: String?) throws(SteeringError) -> Int {
    guard let adapter, !adapter.isEmpty else { return 0 }
    let slots = slots
    let found = slots.indices.filter { index in
      let settings = slots[index].settings
      return slots[index].number.map(BlueZPath.adapterName) == adapter || settings.name == adapter
        || BluetoothAddress(adapter) == settings.address
    }
    guard found.count == 1, let index = found.first else {
      let known = slots.map { slot in
        slot.number.map(BlueZPath.adapterName) ?? "\(slot.settings.address)"
      }
      throw SteeringError(
        .unknownAdapter,
        (found.isEmpty ? "unknown" : "ambiguous") + " adapter '\(adapter)'"
          + ": expected one of \(known.joined(separator: ", ")), a name or an address"
      )
    }
    return index
  }
}
