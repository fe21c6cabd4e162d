// Serves org.bluez on a bus from simulated devices.
//
// It creates the parts and watches for clients that leave; the parts implement the behaviour of
// bluetoothd.

import BlueZInterfaces
public import Bluetooth
public import DBus
import Signals
public import SimulatedDevices

/// A simulated bluetoothd 5.66 with one adapter, `hci0`, unless the settings specify others.
///
/// It serves ObjectManager, Adapter1, GattManager1, LEAdvertisingManager1, Device1, Battery1,
/// GattService1, GattCharacteristic1, GattDescriptor1 and AgentManager1 on any `MessageBus`, with
/// signals and replies in the order that was recorded from the real one. A program that registers
/// with one adapter is a device for the others. The simulation ends with ``stop()``, or with its
/// last reference. In real time its methods can be called on any thread: they run on the loop of
/// its bus, and return when done.
///
/// - Source: BlueZ 5.66, recorded from bluetoothd.
public final class BlueZSimulator: Sendable {
  /// Receives events at the devices, on the loop, one at a time. Events about a characteristic come
  /// with its value handle.
  public typealias Observer = @Sendable (SimulatorEvent, _ valueHandle: UInt16?) -> Void

  let host: Host
  let devices: [SimulatedDevice]
  let calls: TreatedCalls
  /// The log of the clients' calls; nil if none was requested.
  let log: SimulatorLog?
  let present: Confined<AdapterSlots>
  /// Each adapter as a device for the others, in the order of the settings.
  let locals: [LocalDevice]
  /// The connection of the simulated bluetoothd.
  package var bus: MessageBus { host.bus }
  /// The registrations of programs with `/org/bluez`.
  private let classic: ClassicServices
  private let active: Confined<(export: Export, clients: Subscription)?>

  /// Creates a simulator. It uses the bus only after ``start()``.
  ///
  /// - Parameters:
  /// - bus: A separate connection. When it is closed, the Bluetooth connections end, too, as with
  ///   bluetoothd.
  ///   - devices: The devices in range.
  ///   - settings: Delays and limits.
  ///   - log: Receives the calls of clients and the events at devices.
  ///   - observer: Receives the events at devices, on the loop.
  public convenience init(
    bus: MessageBus, devices: [SimulatedDevice], settings: SimulatorSettings = SimulatorSettings(),
    log: SimulatorLog? = nil, observer: @escaping Observer = { _, _ in }
  ) {
    let loop = bus.loop
    self.init(
      bus: bus, devices: devices, settings: settings, adapters: AdapterSlots(settings.adapters),
      log: log
    ) { event, handle in
      log?.happened(event, at: loop.now.sinceStart)
      observer(event, handle)
    }
  }

  init(
    bus: MessageBus, devices: [SimulatedDevice], settings: SimulatorSettings,
    adapters: AdapterSlots, log: SimulatorLog?, observer: @escaping Observer
  ) {
    let server = ObjectServer(bus: bus)
    host = Host(
      bus: bus, server: server,
      agents: AgentServer(bus: bus, limit: settings.agentTimeout, version: settings.version) {
        server.flush()
      },
      settings: settings, observer: observer, log: log
    )
    self.devices = devices
    calls = TreatedCalls(host.server, on: bus.loop)
    classic = ClassicServices(host: host)
    self.log = log
    present = Confined(adapters, to: bus.loop)
    active = Confined(nil, to: bus.loop)
    locals = adapters.slots.map { LocalDevice($0.settings, as: settings.version, on: bus.loop) }
    bus.loop.performAndWait { [self] in assemble() }
  }

  deinit { host.loop.performSoon(end) }

  private func assemble() {
    for local in locals {
      local.setRemotes { [weak self, address = local.address] in self?.remotes(address) ?? [] }
    }
    for (index, slot) in present.slots.enumerated() {
      guard let number = slot.number else { continue }
      let adapter = makeAdapter(slot.settings, as: number)
      present.contents.plugIn(index, adapter, as: number)
    }
    host.agents.onChange { [present] isPairable in
      for adapter in present.all { adapter.setPairable(isPairable) }
    }
    for device in devices {
      let address = device.definition.address
      device.onPresence { [weak self] presence in
        for remote in self?.remotes(address) ?? [] { remote.apply(presence) }
      }
    }
    guard let log else { return }
    calls.onCall { [weak self] call in
      guard let self else { return }
      log.called(call, at: host.loop.now.sinceStart, place: place(of: call.path))
    }
  }

  /// Creates an adapter with all devices, including stored ones.
  private func makeAdapter(_ settings: AdapterSettings, as number: Int) -> AdapterServer {
    let path = BlueZPath.adapter(BlueZPath.adapterName(index: number))
    let stored = present.stored.filter { $0.adapter == settings.address }
    let others = locals.filter { $0.address != settings.address }
    let all = devices + others.map(\.device)
    let air = Air(all, stored: stored, on: host.loop) {
      [host, weak self] device, address, type, stored in
      let isAdapter = others.contains { $0.device === device }
      let counterpart: @Sendable () -> RemoteDevice? = { [weak self] in
        isAdapter ? self?.remote(of: settings.address, at: address) : nil
      }
      return RemoteDevice(
        device, address, type, adapter: path, host: host, stored: stored, counterpart: counterpart
      )
    }
    let own = locals.first { $0.address == settings.address }
    let local = own ?? LocalDevice(settings, as: host.settings.version, on: host.loop)
    return AdapterServer(settings, path: path, air: air, local: local, host: host)
  }

  // MARK: On the bus

  /// Exports the objects and requests the name `org.bluez`.
  ///
  /// - Throws: ``SimulatorError/nameTaken`` if the name has an owner; errors of the bus.
  public func start() async throws {
    let export = try host.bus.export(calls)
    let clients = try await watchClients()
    host.loop.performAndWait { [self] in
      active.contents = (export, clients)
      host.bus.onClose { [weak self] _ in self?.stop() }
    }
    let reply = try await host.bus.requestName(OrgBlueZ.busName, flags: .doNotQueue)
    guard reply == .primaryOwner || reply == .alreadyOwner else {
      stop()
      throw SimulatorError.nameTaken
    }
    // bluetoothd, too, owns its name before it has objects (5.66 and 5.82, src/main.c).
    host.loop.performAndWait { [self] in
      guard active.contents != nil else { return }
      host.server.add([host.agents.interface] + classic.ofManager, at: BlueZPath.manager)
      for adapter in present.all { adapter.add() }
    }
  }

  private func watchClients() async throws -> Subscription {
    let rule = MatchRule(sender: BusDriver.name, member: "NameOwnerChanged")
    let (log, loop) = (log, host.loop)
    let forget: @Sendable (String) -> Void = {
      [present, classic, weak agents = host.agents] client in
      for adapter in present.all { adapter.clientLeft(client) }
      agents?.forget(client)
      classic.clientLeft(client)
    }
    calls.onLateCall(forget)
    return try await host.bus.subscribe(rule) { [weak calls] signal in
      let names = signal.body.map { $0.asString ?? "" }
      guard names.count == 3, names[0] == names[1], names[2].isEmpty else { return }
      calls?.clientLeft(names[0])
      forget(names[0])
      log?.clientLeft(names[0], at: loop.now.sinceStart)
    }
  }

  /// Ends the connections and removes the objects from the bus. The bus connection stays open, and
  /// keeps the name; closing it makes pending calls fail. A stopped simulator cannot be started
  /// again.
  public func stop() { host.loop.performAndWait(end) }

  /// Ends everything that could outlive this object. The closure does not refer to it.
  private var end: @Sendable () -> Void {
    { [host, calls, present, active] in
      let active = active.contents.take()
      let adapters = present.contents.end()
      // In the order of bluetoothd: connections, adapter, agents, then all objects, children first.
      for adapter in adapters { adapter.stop() }
      guard let active else { return }
      host.server.remove(BlueZPath.manager)
      for adapter in adapters { adapter.remove() }
      host.server.flush()
      active.clients.cancel()
      active.export.cancel()
      calls.forget()
    }
  }

  // MARK: Actions of tests and scenarios

  /// Powers an adapter on or off, as an rfkill switch does.
  ///
  /// - Parameters:
  /// - isOn: The new power state.
  ///   - adapter: The index of the adapter in the settings, from 0.
  public func setPowered(_ isOn: Bool, adapter: Int = 0) {
    host.loop.performAndWait { [present] in present.contents.server(adapter)?.setPowered(isOn) }
  }

  /// Drops the connection to a device, as if the signal were lost. Does nothing without a
  /// connection.
  public func loseLink(_ address: BluetoothAddress) {
    host.loop.performAndWait { [self] in device(address)?.loseLink() }
  }

  /// Moves a device out of range: its connection drops, and its advertisements are not received.
  public func vanish(_ address: BluetoothAddress) {
    host.loop.performAndWait { [self] in
      for remote in remotes(address) { remote.vanish() }
    }
  }

  /// Brings a device back into range.
  public func appear(_ address: BluetoothAddress) {
    host.loop.performAndWait { [self] in
      for remote in remotes(address) { remote.appear() }
    }
  }

  /// Makes a device add or remove a service of its definition, connected or not.
  ///
  /// Connected clients see `UUIDs` change and the objects appear or disappear, as after a Service
  /// Changed indication; `ServicesResolved` is unchanged.
  public func offer(_ service: BluetoothUUID, _ isOffered: Bool, at address: BluetoothAddress) {
    host.loop.performAndWait { [self] in
      for remote in remotes(address) { remote.offer(service, isOffered) }
    }
  }

  /// Simulates a firmware without one of the device's services, or the original firmware again.
  ///
  /// The device sends no indication. As long as its object exists, clients see the cached service,
  /// and every request to it is refused with Invalid Handle.
  public func replace(_ service: BluetoothUUID, _ isReplaced: Bool, at address: BluetoothAddress) {
    host.loop.performAndWait { [self] in
      let remotes = remotes(address)
      remotes.first?.device.withhold(service, isReplaced)
      for remote in remotes { remote.replace(service, isReplaced) }
    }
  }

  /// Sets how service discovery ends on the next connections to a device.
  ///
  /// Objects of an earlier connection stay.
  public func resolve(_ resolution: ServiceResolution, at address: BluetoothAddress) {
    host.loop.performAndWait { [self] in
      for remote in remotes(address) { remote.state.resolution = resolution }
    }
  }

  /// The addresses of the connected devices, in the order of the devices.
  public var connectedDevices: [BluetoothAddress] {
    host.loop.performAndWait { [present] in
      present.all.flatMap(\.devices).filter { $0.isConnected && !$0.isAccepted }.map(\.address)
    }
  }

  /// Draws an RSSI in dBm for the connection to a device; nil if there is none.
  func linkRSSI(of address: BluetoothAddress) -> Int? {
    host.loop.performAndWait { [self] in device(address)?.linkRSSI() }
  }

  /// The device at the other end of a connection; nil if there is none.
  func connected(_ address: BluetoothAddress) -> RemoteDevice? {
    host.loop.performAndWait { [self] in
      let remote = device(address)
      return remote?.isConnected == true ? remote : nil
    }
  }

  var settings: SimulatorSettings { host.settings }

  /// The path of an adapter; nil while it is unplugged.
  func path(ofAdapter index: Int) -> ObjectPath? { present.contents.server(index)?.path }

  /// The object of a device on the adapter it is connected to, or else on the first adapter.
  func device(_ address: BluetoothAddress) -> RemoteDevice? {
    let all = remotes(address)
    return all.first(where: \.isConnected) ?? all.first
  }

  /// The object that an adapter has for another one; nil if either is unplugged.
  private func remote(of other: BluetoothAddress, at adapter: BluetoothAddress) -> RemoteDevice? {
    present.all.first { $0.settings.address == adapter }?.air.device(other)
  }

  /// The objects of a device on all adapters.
  func remotes(_ address: BluetoothAddress) -> [RemoteDevice] {
    present.all.compactMap { $0.air.device(address) }
  }
}

/// A failure to start the simulation on a bus.
public enum SimulatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bus has a bluetoothd, or another simulation.
  case nameTaken
  /// Another simulation is controlled on the bus.
  case controlNameTaken

  public var description: String {
    switch self {
    case .nameTaken:
      "the name \(OrgBlueZ.busName) is taken on this bus: a simulation needs one without bluetoothd"
    case .controlNameTaken:
      "the name \(ControlNames.bus) is taken on this bus: a bus can control one simulation"
    }
  }
}

// MARK: - Faults of the host

extension BlueZSimulator {
  /// Unplugs an adapter. Does nothing when it is unplugged.
  ///
  /// Connections drop, and pending requests and a pending Connect are never answered; then every
  /// object of the adapter is removed, and calls to them fail with `UnknownObject`.
  ///
  /// - Parameter adapter: The index of the adapter in the settings, from 0.
  public func unplug(adapter: Int = 0) {
    host.loop.performAndWait { [present] in present.contents.unplug(adapter)?.unplug() }
  }

  /// Plugs in an adapter as `hci` and an index, with its own address. Does nothing if it is plugged
  /// in, or bluetoothd has ended.
  ///
  /// Devices that were connected or paired are known again below the new path, but not connected. A
  /// real adapter often returns with another index after a reset of its controller.
  ///
  /// - Parameters:
  /// - number: 0 is `hci0`; nil: the index in its settings. An index in use is skipped.
  ///   - index: The index of the adapter in the settings, from 0.
  public func plugIn(as number: Int? = nil, adapter index: Int = 0) {
    host.loop.performAndWait { [self] in
      guard let place = present.contents.place(for: index, as: number) else { return }
      let adapter = makeAdapter(place.settings, as: place.number)
      present.contents.plugIn(index, adapter, as: place.number)
      adapter.add()
    }
  }

  /// Ends as if killed: the connections to the bus and to devices end without notice. ``stop()``,
  /// or closing the bus connection, is a normal termination.
  public func crash() {
    host.bus.close()
    stop()
  }

  /// Creates the next bluetoothd, to be started after this one has ended. It has the same devices
  /// in range, and the stored data of this one: devices that were connected or paired.
  ///
  /// - Parameter bus: A separate connection.
  public func successor(on bus: MessageBus) -> BlueZSimulator {
    BlueZSimulator(
      bus: bus, devices: devices, settings: settings,
      adapters: host.loop.performAndWait { [present] in present.reopened }, log: log,
      observer: host.observer
    )
  }

  /// Decides how each later call is handled.
  ///
  /// - Parameter treatment: Called on the loop with each call to bluetoothd.
  package func treatCalls(_ treatment: @escaping @Sendable (Message) -> CallTreatment) {
    host.loop.performAndWait { [calls] in calls.treat(treatment) }
  }
}

// MARK: - Actions

extension BlueZSimulator {
  /// Changes a device, or its link.
  public func apply(_ change: DeviceChange, to device: BluetoothAddress) {
    let own = (devices + locals.map(\.device)).first { $0.definition.address == device }
    switch change {
    case .loseLink: loseLink(device)
    case .vanish: vanish(device)
    case .appear: appear(device)
    case .loseBonds: own?.loseBonds()
    case .requestSecurity: own?.requestSecurity()
    case .offer(let service, let isOffered): offer(service, isOffered, at: device)
    case .replace(let service, let isReplaced): replace(service, isReplaced, at: device)
    case .services(let resolution): resolve(resolution, at: device)
    case .notifications(let fault): own?.setNotificationFault(fault)
    case .rules(let rules): own?.setFaults(rules)
    case .rule(let rule): own?.addFault(rule)
    case .move(let rssi, let duration): own?.move(to: rssi, within: duration)
    case .follow(let movement): own?.move(movement)
    case .stray(let spread): own?.stray(by: spread)
    case .set(let value, let handle): own?.setValue(value, at: handle)
    case .release(let handle): own?.letMove(at: handle)
    case .advertise(let advertisement, let endsMovement):
      own?.advertise(advertisement)
      if endsMovement { own?.move(nil) }
    }
  }

  /// Changes an adapter, counted from 0 in the order of the settings.
  public func apply(_ change: AdapterChange, toAdapter adapter: Int) {
    switch change {
    case .power(let isOn): setPowered(isOn, adapter: adapter)
    case .unplug: unplug(adapter: adapter)
    case .plugIn(let number): plugIn(as: number, adapter: adapter)
    }
  }

  /// Ends bluetoothd: killed, or terminated in good order.
  public func end(isKilled: Bool) {
    if !isKilled { stop() }
    crash()
  }
}
