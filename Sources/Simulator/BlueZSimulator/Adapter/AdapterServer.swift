// The simulated adapter: the object Adapter1, its power, and its clients.
//
// Discovery is in AdapterServer+Discovery.swift.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// An adapter, with the devices in its range.
final class AdapterServer: Sendable {
  struct State {
    var alias: String?
    var isPowered = true
    /// The target of the power change in progress; nil without one.
    var comingPower: Bool?
    var isDiscoverable = false
    /// The adapter is discoverable only because the filter of a discovering client requires it.
    var isDiscoverableByFilter = false
    var discoverableTimeout: UInt32 = 180
    var isPairable = false
    var pairableTimeout: UInt32 = 0
    var sessions = DiscoverySessions()
    /// The announced value of `Discovering`.
    var isDiscovering = false
    var discoverableTimer: LoopTimer?
    var pairableTimer: LoopTimer?
    /// The timer of each advertisement's next reception.
    var reports: [AdvertisementSlot: LoopTimer] = [:]
  }

  let path: ObjectPath
  let settings: AdapterSettings
  let air: Air
  let host: Host
  let state: Confined<State>
  let monitors: AdvertisementMonitors
  /// This adapter as the others see it: a device that serves and advertises for programs.
  let local: LocalDevice
  let applications: Applications
  let advertisements: Advertisements

  /// The devices in range, including objects for addresses that they no longer use.
  var devices: [RemoteDevice] { air.all }

  init(_ settings: AdapterSettings, path: ObjectPath, air: Air, local: LocalDevice, host: Host) {
    monitors = AdvertisementMonitors(air: air, host: host)
    self.settings = settings
    self.local = local
    let state = Confined(State(isPowered: settings.isPowered), to: host.loop)
    self.state = state
    applications = Applications(local, host: host) {
      air.all.first { $0.isConnected && $0.peer != nil }?.path
    } changed: {
      host.server.changed(Adapter1.uuids, at: path)
    }
    advertisements = Advertisements(local, path: path, host: host) {
      (state.alias ?? settings.name.endedAtNUL, state.isPowered)
    }
    local.follow(name: settings.name.endedAtNUL, isPowered: settings.isPowered)
    self.path = path
    self.air = air
    self.host = host
    if !settings.isPowered {
      for device in devices { device.powerOff() }
    }
  }

  /// Announces a changed property, if the simulated release has it.
  func mark<Value>(_ property: Property<Value>) {
    if property.isDescribed(by: host.settings.version) {
      host.server.changed(property, at: path)
    }
  }

  // MARK: The object

  var interface: ExportedInterface {
    Adapter1.declaration.exported(
      by: host.settings.version, methods: methods, properties: properties + visibility
    )
  }

  private var properties: [ExportedProperty] {
    let name = settings.name.endedAtNUL
    return [
      ExportedProperty(Adapter1.address) { self.settings.address },
      ExportedProperty(Adapter1.addressType) { .public },
      ExportedProperty(Adapter1.name) { name },
      ExportedProperty(Adapter1.alias, set: { self.setAlias($0, $1) }) { self.alias },
      ExportedProperty(Adapter1.deviceClass) { 0 },
      ExportedProperty(Adapter1.powered, set: { self.setPowered($0, $1) }) {
        self.isPowered
      },
      ExportedProperty(Adapter1.powerState) { self.powerState },
      ExportedProperty(Adapter1.discovering) { self.state.isDiscovering },
      ExportedProperty(Adapter1.uuids) { HostServices.listed(self.local.services) },
      ExportedProperty(Adapter1.modalias) { "usb:v1D6Bp0246d0542" },
      ExportedProperty(Adapter1.roles) { [Adapter1.Role.central, Adapter1.Role.peripheral] },
    ]
  }

  private var alias: String { state.alias ?? settings.name.endedAtNUL }

  /// Sets the alias. The reply comes first, as recorded from bluetoothd.
  private func setAlias(_ alias: String, _ call: Invocation) {
    let before = self.alias
    state.alias = alias.isEmpty ? nil : alias
    local.follow(name: self.alias)
    call.reply()
    if self.alias != before { mark(Adapter1.alias) }
  }

  private var methods: [ExportedMethod] {
    [
      ExportedMethod(Adapter1.startDiscovery) { self.startDiscovery($0) },
      ExportedMethod(Adapter1.setDiscoveryFilter) { self.setFilter($0, $1) },
      ExportedMethod(Adapter1.stopDiscovery) { self.stopDiscovery($0) },
      ExportedMethod(Adapter1.removeDevice) { self.removeDevice($0, $1) },
      ExportedMethod(Adapter1.getDiscoveryFilters) { call in
        call.reply(to: Adapter1.getDiscoveryFilters, Adapter1.DiscoveryFilterKey.known)
      },
    ]
  }

  private func removeDevice(_ path: ObjectPath, _ call: Invocation) {
    guard let device = devices.first(where: { $0.path == path && $0.isExported }) else {
      return call.refuse(.doesNotExist)
    }
    guard isPowered else { return call.refuse(.notReady) }
    device.remove(call)
  }

  // MARK: Power

  private func setPowered(_ isOn: Bool, _ call: Invocation) {
    // bluetoothd is busy even if the new value is the current one.
    guard state.comingPower == nil else { return call.refuse(.busy) }
    guard isPowered != isOn else { return call.reply() }
    changesPower(to: isOn)
    host.loop.after(host.settings.powerDelay) { [weak self] in
      self?.setPowered(isOn) { call.reply() }
    }
  }

  /// Changes the power of the adapter.
  ///
  /// Connections end before `answer` is called; other changes are announced after it.
  func setPowered(_ isOn: Bool, answer: () -> Void = {}) {
    guard isPowered != isOn else { return answer() }
    defer { changesPower(to: nil) }
    guard !isOn else {
      answer()
      state.isPowered = true
      for device in devices { device.powerOn() }
      local.follow(isPowered: true)
      return mark(Adapter1.powered)
    }
    local.follow(isPowered: false)
    for device in devices { device.powerOff() }
    setDiscoverable(false)
    for device in devices where device.isTemporary { device.forget() }
    answer()
    state.isPowered = false
    state.sessions.end()
    if state.isDiscovering { endScan() }
    mark(Adapter1.powered)
    // bluetoothd announces it even when it is unchanged.
    mark(Adapter1.discovering)
    followDiscoverableFilter()
  }

  var isPowered: Bool { state.isPowered }

  /// The value of `PowerState`.
  private var powerState: String {
    switch state.comingPower {
    case true?: return Adapter1.PowerState.turningOn
    case false?: return Adapter1.PowerState.turningOff
    case nil: return isPowered ? Adapter1.PowerState.on : Adapter1.PowerState.off
    }
  }

  /// Announces that a power change begins or, with nil, has finished.
  private func changesPower(to isOn: Bool?) {
    state.comingPower = isOn
    mark(Adapter1.powerState)
  }

  /// Sets `Pairable`, which means that an agent is registered. The kernel reports it, so it is
  /// announced after other pending changes.
  func setPairable(_ isPairable: Bool) {
    guard state.isPairable != isPairable else { return }
    state.isPairable = isPairable
    host.loop.post { [weak self] in self?.mark(Adapter1.pairable) }
  }

  /// Removes every device, and then the adapter, from the bus.
  func remove() {
    for device in devices { device.forget() }
    removeObject()
  }

  /// - Source: recorded from bluetoothd 5.66, which lists the interfaces in this order.
  func removeObject() {
    let names = [Adapter1.interface, LEAdvertisingManager1.interface, GattManager1.interface]
    host.server.remove(names, from: path)
    host.server.remove(path)
  }

  // MARK: Clients

  /// Ends the sessions of a client that left the bus. Its connections stay.
  func clientLeft(_ client: String) {
    for device in devices { device.clientLeft(client) }
    monitors.clientLeft(client)
    advertisements.clientLeft(client)
    applications.clientLeft(client)
    state.sessions.forget(client)
    followDiscoverableFilter()
    endDiscoveryIfUnwanted()
  }
}
