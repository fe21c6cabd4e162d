// The simulated adapter: the object Adapter1, its power, and whose calls it takes.
//
// Discovery is in AdapterServer+Discovery.swift.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// One adapter with the devices in its air.
final class AdapterServer: Sendable {
  struct State {
    var alias: String?
    var isPowered = true
    /// What it is being switched to.
    var comingPower: Bool?
    var isDiscoverable = false
    /// Whether it is because the filter of somebody who discovers asks for it.
    var isDiscoverableByFilter = false
    var discoverableTimeout: UInt32 = 180
    var isPairable = false
    var pairableTimeout: UInt32 = 0
    var sessions = DiscoverySessions()
    /// What is told of as `Discovering`.
    var isDiscovering = false
    var discoverableTimer: Timer?
    var pairableTimer: Timer?
    /// The next of each advertisement.
    var reports: [AdvertisementSlot: Timer] = [:]
  }

  let path: ObjectPath
  let settings: AdapterSettings
  let air: Air
  let host: Host
  let state: Guarded<State>
  let monitors: AdvertisementMonitors

  /// The devices in the air, also under addresses that they do not use any more.
  var devices: [RemoteDevice] { air.all }

  init(_ settings: AdapterSettings, path: ObjectPath, air: Air, host: Host) {
    monitors = AdvertisementMonitors(air: air, host: host)
    self.settings = settings
    state = Guarded(State(isPowered: settings.isPowered))
    self.path = path
    self.air = air
    self.host = host
    if !settings.isPowered {
      for device in devices { device.powerOff() }
    }
  }

  func mark(_ property: String) {
    host.server.changed(property, of: Adapter1.interface, at: path)
  }

  // MARK: The object

  /// The interface, with the properties that bluetoothd 5.66 gives it.
  var interface: ExportedInterface {
    ExportedInterface(
      Adapter1.interface,
      methods: methods,
      properties: propertiesToPower + powerState + visibility + propertiesAfterPower
    )
  }

  private var propertiesToPower: [ExportedProperty] {
    typealias Property = Adapter1.Property
    let name = settings.name
    return [
      ExportedProperty(Property.address, "s") { .string("\(self.settings.address)") },
      ExportedProperty(Property.addressType, "s") { .string(AddressType.public.rawValue) },
      ExportedProperty(Property.name, "s") { .string(self.settings.name) },
      property(Property.alias, "s", { .string($0.alias ?? name) }) { state, value in
        state.alias = value.asString.flatMap { $0.isEmpty ? nil : $0 }
      },
      ExportedProperty(Property.deviceClass, "u") { .uint32(0) },
      ExportedProperty(Property.powered, "b", set: { self.setPowered($0, $1) }) {
        .boolean(self.state.withLock { $0.isPowered })
      },
    ]
  }

  private var propertiesAfterPower: [ExportedProperty] {
    typealias Property = Adapter1.Property
    return [
      ExportedProperty(Property.discovering, "b") {
        .boolean(self.state.withLock { $0.isDiscovering })
      },
      ExportedProperty(Property.uuids, "as") { .strings(HostServices.listed) },
      ExportedProperty(Property.modalias, "s") { .string("usb:v1D6Bp0246d0542") },
      ExportedProperty(Property.roles, "as") {
        .strings([Adapter1.Role.central, Adapter1.Role.peripheral])
      },
      // Described, and not there unless some are switched on.
      ExportedProperty(Property.experimentalFeatures, "as") { nil },
    ]
  }

  /// A property that a client may set. Recorded from bluetoothd: the answer first.
  private func property(
    _ name: String,
    _ signature: Signature,
    _ get: @escaping @Sendable (State) -> DBusValue,
    _ set: @escaping @Sendable (inout State, DBusValue) -> Void
  ) -> ExportedProperty {
    ExportedProperty(
      name,
      signature,
      set: { value, call in
        let isChanged = self.state.withLock { state in
          let before = get(state)
          set(&state, value)
          return get(state) != before
        }
        call.reply()
        if isChanged { self.mark(name) }
      },
      get: { self.state.withLock { get($0) } }
    )
  }

  private var methods: [ExportedMethod] {
    typealias Method = Adapter1.Method
    let filter = ExportedArgument("properties", "a{sv}")
    return [
      ExportedMethod(Method.startDiscovery) { self.startDiscovery($0) },
      ExportedMethod(Method.setDiscoveryFilter, takes: [filter]) { self.setFilter($0) },
      ExportedMethod(Method.stopDiscovery) { self.stopDiscovery($0) },
      ExportedMethod(Method.removeDevice, takes: [.init("device", "o")]) { self.removeDevice($0) },
      ExportedMethod(Method.getDiscoveryFilters, returns: [.init("filters", "as")]) { call in
        call.reply([.strings(Adapter1.DiscoveryFilterKey.known)])
      },
    ]
  }

  private func removeDevice(_ call: Invocation) {
    let path = call.message.body.first?.asObjectPath
    guard let device = devices.first(where: { $0.path == path && $0.isExported }) else {
      return call.refuse(.doesNotExist)
    }
    guard state.withLock({ $0.isPowered }) else { return call.refuse(.notReady) }
    device.remove(call)
  }

  // MARK: Power

  private func setPowered(_ value: DBusValue, _ call: Invocation) {
    let isOn = value.asBool ?? false
    let (isPowered, isPending) = state.withLock { ($0.isPowered, $0.comingPower != nil) }
    // Whatever it is to become.
    guard !isPending else { return call.refuse(.busy) }
    guard isPowered != isOn else { return call.reply() }
    changesPower(to: isOn)
    host.loop.after(host.settings.powerDelay) { [weak self] in
      self?.setPowered(isOn) { call.reply() }
    }
  }

  /// Switches the adapter.
  ///
  /// Links end before the answer; what else changes is told after it.
  func setPowered(_ isOn: Bool, answer: () -> Void = {}) {
    guard state.withLock({ $0.isPowered }) != isOn else { return answer() }
    defer { changesPower(to: nil) }
    guard !isOn else {
      answer()
      state.withLock { $0.isPowered = true }
      for device in devices { device.powerOn() }
      return mark(Adapter1.Property.powered)
    }
    for device in devices { device.powerOff() }
    setDiscoverable(false)
    for device in devices where device.isTemporary { device.forget() }
    answer()
    let wasDiscovering = state.withLock { state in
      state.isPowered = false
      state.sessions.end()
      return state.isDiscovering
    }
    if wasDiscovering { endScan() }
    mark(Adapter1.Property.powered)
    // Told whether it has changed or not.
    mark(Adapter1.Property.discovering)
    followDiscoverableFilter()
  }

  var isPowered: Bool { state.withLock { $0.isPowered } }

  /// Whether bluetoothd would ask an agent. Told when the kernel knows: after what else happens now.
  func setPairable(_ isPairable: Bool) {
    let isChanged = state.withLock { state in
      defer { state.isPairable = isPairable }
      return state.isPairable != isPairable
    }
    guard isChanged else { return }
    host.loop.post { [weak self] in self?.mark(Adapter1.Property.pairable) }
  }

  /// Takes every device, and then itself, off the bus.
  func remove() {
    for device in devices { device.forget() }
    host.server.remove(path)
  }

  // MARK: Clients

  /// A client has left the bus: its sessions end, its links stay.
  func clientLeft(_ client: String) {
    for device in devices { device.clientLeft(client) }
    monitors.clientLeft(client)
    state.withLock { $0.sessions.forget(client) }
    followDiscoverableFilter()
    endDiscoveryIfUnwanted()
  }
}
