// The simulated adapter: the object Adapter1, its power, and its clients.

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
    /// Whether the object ``BlueZPath/test`` belongs to this adapter.
    var hasTest = false
    /// `PowerState` did not follow the last change.
    var isPowerStateKept = false
    var isDiscoverable = false
    var isConnectable = false
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
    /// The devices that were received since discovery began.
    var found: Set<ObjectPath> = []
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
  let classic: ClassicServices

  /// The devices in range, including objects for addresses that they no longer use.
  var devices: [RemoteDevice] { air.all }

  /// The devices in the order in which bluetoothd removes several at once.
  private var devicesToRemove: [RemoteDevice] {
    let ordered = devices.enumerated().sorted { one, other in
      (one.element.state.madeAt, one.offset) < (other.element.state.madeAt, other.offset)
    }
    let oldestFirst = ordered.map(\.element)
    return host.settings.version.has(.newestRemovedFirst) ? oldestFirst.reversed() : oldestFirst
  }

  init(_ settings: AdapterSettings, path: ObjectPath, air: Air, local: LocalDevice, host: Host) {
    monitors = AdvertisementMonitors(air: air, host: host)
    classic = ClassicServices(host: host)
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
    local.update(name: settings.name.endedAtNUL, isPowered: settings.isPowered)
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
      ExportedProperty(Adapter1.uuids) { [version = host.settings.version] in
        HostServices.listed(self.local.services, by: version)
      },
      ExportedProperty(Adapter1.modalias) { [version = host.settings.version] in
        HostServices.modalias(of: version)
      },
      ExportedProperty(Adapter1.roles) { [Adapter1.Role.central, Adapter1.Role.peripheral] },
      ExportedProperty(Adapter1.manufacturer) { HostServices.manufacturer },
      ExportedProperty(Adapter1.version) { HostServices.controllerVersion },
    ]
  }

  private var alias: String { state.alias ?? settings.name.endedAtNUL }

  /// Sets the alias. The reply comes first, as recorded from bluetoothd.
  private func setAlias(_ alias: String, _ call: Invocation) {
    let before = self.alias
    state.alias = alias.isEmpty ? nil : alias
    local.update(name: self.alias)
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
        let known = Adapter1.DiscoveryFilterKey.known(by: self.host.settings.version)
        call.reply(to: Adapter1.getDiscoveryFilters, known)
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
    if !isOn { forgetTemporary() }
    announcePowerChange(to: isOn)
    host.loop.after(host.settings.powerDelay) { [weak self] in
      self?.setPowered(isOn) { call.reply() }
    }
  }

  /// Changes the power of the adapter.
  ///
  /// Connections end before `answer` is called; other changes are announced after it.
  func setPowered(_ isOn: Bool, answer: () -> Void = {}) {
    guard isPowered != isOn else { return answer() }
    // Recorded from bluetoothd 5.82: a change that a client requested is announced in this order.
    let isRequested = state.comingPower != nil
    guard !isOn else {
      answer()
      state.isPowered = true
      state.comingPower = nil
      for device in devices { device.powerOn() }
      local.update(isPowered: true)
      return markPower(isRequested: isRequested)
    }
    local.update(isPowered: false)
    for device in devices { device.powerOff() }
    setDiscoverable(false)
    forgetTemporary()
    answer()
    state.isPowered = false
    state.comingPower = nil
    state.sessions.end()
    if state.isDiscovering { endScan() }
    markPower(isRequested: isRequested)
    // bluetoothd announces it even when it is unchanged.
    mark(Adapter1.discovering)
    applyDiscoverableFilter()
  }

  private func forgetTemporary() {
    for device in devicesToRemove where device.isTemporary { device.forget() }
  }

  var isPowered: Bool { state.isPowered }

  /// The value of `PowerState`.
  private var powerState: String {
    switch state.comingPower {
    case true?: return Adapter1.PowerState.turningOn
    case false?: return Adapter1.PowerState.turningOff
    case nil:
      let isOn = isPowered || state.isPowerStateKept
      return isOn ? Adapter1.PowerState.on : Adapter1.PowerState.off
    }
  }

  /// Announces that a power change begins.
  private func announcePowerChange(to isOn: Bool) {
    state.comingPower = isOn
    mark(Adapter1.powerState)
  }

  private func markPower(isRequested: Bool) {
    if isRequested { mark(Adapter1.powerState) }
    mark(Adapter1.powered)
    if !isRequested { mark(Adapter1.powerState) }
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
    for device in devicesToRemove { device.forget() }
    removeObject()
  }

  /// - Source: recorded from bluetoothd 5.66 and 5.82, which list the interfaces in this order.
  private func removeObject() {
    let names = [
      Adapter1.interface, BatteryProviderManager1.interface, LEAdvertisingManager1.interface,
      GattManager1.interface, NetworkServer1.interface, SimAccess1.interface, Media1.interface,
    ]
    host.server.remove(names, from: path)
    host.server.remove(path)
  }

  // MARK: Clients

  /// Ends the sessions of a client that left the bus. Its connections stay.
  func clientLeft(_ client: String) {
    for device in devices { device.clientLeft(client) }
    monitors.clientLeft(client)
    advertisements.clientLeft(client)
    classic.clientLeft(client)
    applications.clientLeft(client)
    state.sessions.forget(client)
    applyDiscoverableFilter()
    endDiscoveryIfUnwanted()
  }
}

// MARK: - Plugging

extension AdapterServer {
  /// Exports the adapter and its stored devices.
  func add() {
    host.server.add([interface], at: path)
    // The first adapter has it.
    let isMissing = !host.server.paths.contains(BlueZPath.test)
    if isMissing, host.settings.version.has(.emptyInterfaces) {
      state.hasTest = true
      host.server.add([SimAccess1.test.exported()], at: BlueZPath.test)
    }
    let listening = host.settings.offersMonitors ? [monitors.interface] : []
    let batteries = host.settings.version.has(.batteryInterfaces) ? [classic.batteryProviders] : []
    host.server.add(
      batteries + [applications.interface] + classic.ofAdapter + [advertisements.interface]
        + listening,
      at: path
    )
    for device in devices { device.exportIfKept() }
    host.server.flush()
  }

  /// Unplugs the adapter: drops connections, removes the objects of devices, powers the adapter
  /// off, and removes it.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  func unplug() {
    shutDown { wasDiscovering in
      if wasDiscovering {
        for device in devices where device.isExported { device.discoveryEnded() }
      }
      for device in devicesToRemove { device.unplugged() }
    }
    host.server.flush()
    removeObject()
    host.server.flush()
  }

  /// Ends the simulation: drops connections and cancels every timer.
  func stop() {
    shutDown { _ in
      for device in devices { device.stop() }
    }
  }

  /// Ends scanning, advertising and connections, and drops the clients' requests.
  private func shutDown(_ endDevices: (_ wasDiscovering: Bool) -> Void) {
    monitors.stop()
    advertisements.stop()
    applications.stop()
    local.clear()
    let wasDiscovering = state.isDiscovering
    for report in state.reports.values { report.cancel() }
    let hadTest = state.hasTest
    state.contents = State(isPowered: false)
    if wasDiscovering { host.observe(.scanning(false)) }
    endDevices(wasDiscovering)
    if hadTest {
      host.server.flush()
      host.server.remove(BlueZPath.test)
    }
    mark(Adapter1.powered)
    mark(Adapter1.discovering)
    // The change was not requested, and bluetoothd keeps the old value.
    state.isPowerStateKept = true
    mark(Adapter1.powerState)
  }
}

// MARK: - Visibility

extension AdapterServer {
  /// The properties Discoverable and Pairable, with their timeouts.
  ///
  /// A new timeout counts from when it is set, even if the setting is already on. Replies precede
  /// the announcements.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  var visibility: [ExportedProperty] {
    [
      ExportedProperty(Adapter1.connectable, set: { self.setConnectable($0, $1) }) {
        self.state.isConnectable
      },
      ExportedProperty(Adapter1.discoverable, set: { self.setDiscoverable($0, $1) }) {
        self.state.isDiscoverable
      },
      timeout(Adapter1.discoverableTimeout, \.discoverableTimeout) { $0.expireDiscoverable() },
      ExportedProperty(
        Adapter1.pairable,
        set: { isPairable, call in
          call.reply()
          self.setPairable(isPairable)
          self.expirePairable()
        },
        get: { self.state.isPairable }
      ),
      timeout(Adapter1.pairableTimeout, \.pairableTimeout) { $0.expirePairable() },
    ]
  }

  private func timeout(
    _ property: Property<UInt32>, _ path: any WritableKeyPath<State, UInt32> & Sendable,
    _ expire: @escaping @Sendable (AdapterServer) -> Void
  ) -> ExportedProperty {
    ExportedProperty(
      property,
      set: { seconds, call in
        call.reply()
        let isChanged = self.state[dynamicMember: path] != seconds
        self.state[dynamicMember: path] = seconds
        // bluetoothd announces it even when it is unchanged.
        self.mark(property)
        if isChanged { expire(self) }
      },
      get: { self.state[dynamicMember: path] }
    )
  }

  private func setDiscoverable(_ isOn: Bool, _ call: Invocation) {
    guard isPowered || state.discoverableTimeout == 0 else { return call.refuse(.notPowered) }
    if isOn, !state.isConnectable {
      state.isConnectable = true
      mark(Adapter1.connectable)
      host.server.flush()
    }
    call.reply()
    setDiscoverable(isOn)
    expireDiscoverable()
  }

  private func setDiscoverable(_ isOn: Bool) {
    guard state.isDiscoverable != isOn else { return }
    state.isDiscoverable = isOn
    mark(Adapter1.discoverable)
    guard !isOn, state.isConnectable else { return }
    state.isConnectable = false
    mark(Adapter1.connectable)
  }

  private func setConnectable(_ isOn: Bool, _ call: Invocation) {
    call.reply()
    guard state.isConnectable != isOn else { return }
    if !isOn, state.isDiscoverable { return setDiscoverable(false) }
    state.isConnectable = isOn
    mark(Adapter1.connectable)
  }

  private func expireDiscoverable() {
    let limit = state.isDiscoverable ? state.discoverableTimeout : 0
    restart(\.discoverableTimer, after: limit) { $0.setDiscoverable(false) }
  }

  private func expirePairable() {
    let limit = state.isPairable ? state.pairableTimeout : 0
    restart(\.pairableTimer, after: limit) { $0.setPairable(false) }
  }

  /// Restarts a timer; 0 seconds means no timeout.
  private func restart(
    _ path: WritableKeyPath<State, LoopTimer?>, after seconds: UInt32,
    _ end: @escaping @Sendable (AdapterServer) -> Void
  ) {
    state[dynamicMember: path].take()?.cancel()
    guard seconds > 0 else { return }
    state[dynamicMember: path] = host.loop.after(.seconds(Int64(seconds))) { [weak self] in
      if let self { end(self) }
    }
  }
}

// MARK: - Discovery

extension AdapterServer {
  // MARK: Calls

  func startDiscovery(_ call: Invocation) {
    guard isPowered else { return call.refuse(.notReady) }
    if let refusal = state.sessions.start(call.caller) { return call.refuse(refusal) }
    applyDiscoverableFilter()
    // The reply comes first, as recorded from bluetoothd.
    call.reply()
    beginScan()
  }

  func stopDiscovery(_ call: Invocation) {
    guard isPowered else { return call.refuse(.notReady) }
    if let refusal = state.sessions.stop(call.caller) { return call.refuse(refusal) }
    applyDiscoverableFilter()
    call.reply()
    endDiscoveryIfUnwanted()
  }

  /// Makes the adapter discoverable while the filter of a discovering client requires it.
  private func applyDiscoverableFilter() {
    let isWanted = state.sessions.wantsDiscoverable
    guard isWanted ? !state.isDiscoverable : state.isDiscoverableByFilter else { return }
    state.isDiscoverable = isWanted
    state.isDiscoverableByFilter = isWanted
    let isConnectable = state.isConnectable
    state.isConnectable = isWanted
    if isWanted, !isConnectable { mark(Adapter1.connectable) }
    mark(Adapter1.discoverable)
    if !isWanted, isConnectable { mark(Adapter1.connectable) }
  }

  private func setFilter(_ options: PropertyMap, _ call: Invocation) {
    guard isPowered else { return call.refuse(.notReady) }
    guard let filter = DiscoveryFilter(options, by: host.settings.version) else {
      return call.refuse(.invalidArguments)
    }
    state.sessions.filter(call.caller, options.isEmpty ? nil : filter)
    applyDiscoverableFilter()
    call.reply()
  }

  // MARK: Scanning

  private func beginScan() {
    guard !state.isDiscovering else { return }
    state.isDiscovering = true
    state.found = []
    host.observe(.scanning(true))
    mark(Adapter1.discovering)
    for slot in air.slots {
      // The first advertisement arrives within an interval, on average after half of it.
      report(slot, after: air.interval(slot) / 2)
    }
  }

  private func endDiscoveryIfUnwanted() {
    guard state.isDiscovering, !state.sessions.isDiscovering else { return }
    endScan()
    mark(Adapter1.discovering)
  }

  /// Stops scanning and announces the changes of devices; the caller announces the change of the
  /// adapter afterwards.
  private func endScan() {
    state.isDiscovering = false
    for report in state.reports.values { report.cancel() }
    state.reports = [:]
    host.observe(.scanning(false))
    for device in devices where device.isExported { device.discoveryEnded() }
  }

  /// Schedules the reception of a device's advertisement, once per interval.
  private func report(_ slot: AdvertisementSlot, after delay: Duration) {
    state.reports[slot] = host.loop.after(delay) { [weak self] in
      guard let self, state.isDiscovering else { return }
      receive(slot)
      report(slot, after: air.interval(slot))
    }
  }

  /// Receives an advertisement. Connected and out-of-range devices send none, and the controller
  /// drops those of a device that it is connecting to.
  private func receive(_ slot: AdvertisementSlot) {
    let (device, number) = (air.current(slot.device), slot.number)
    guard device.isInAir, device.device.isAdvertising, device.isIdle, !device.device.isLinked else {
      return
    }
    let advertisement = device.device.advertised(number)
    let sessions = state.sessions
    let isWanted = sessions.accept(
      services: advertisement.services, name: advertisement.name(of: device.device.definition),
      address: device.address
    )
    guard isWanted else {
      let isShown = host.settings.version.has(.undiscoverableDevices) && sessions.hasPattern
      if isShown, device.device.isConnectable {
        device.appearWithoutData()
      }
      return
    }
    let data = device.device.advertisement(number)
    guard data.rssi >= sessions.weakest ?? .min, device.device.getsThrough(rssi: data.rssi) else {
      return
    }
    device.observe(
      data, reportsAll: sessions.wantsDuplicates,
      threshold: sessions.hasFilter(by: host.settings.version) ? 0 : host.settings.rssiThreshold
    )
    let name = advertisement.name(of: device.device.definition)
    if state.found.insert(device.path).inserted,
      sessions.connects(name: name, address: device.address)
    {
      device.connectUnasked()
    }
  }
}
