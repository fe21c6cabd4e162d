// org.bluez.AdvertisementMonitorManager1, exported if the settings enable it.
//
// Like bluetoothd, it reads the client's monitors, replies to the registration, activates the
// monitors, and notifies each of them about matching devices. The controller scans meanwhile.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// The monitors that clients have registered with an adapter.
///
/// - Source: BlueZ 5.66, `doc/advertisement-monitor-api.txt`, `src/adv_monitor.c`.
final class AdvertisementMonitors: Sendable {
  private struct Application: Sendable {
    let client: String
    let root: ObjectPath
    /// The pending call of RegisterMonitor, until its monitors have been read.
    var registration: Invocation?
    /// The signals about monitors added later.
    var added: Subscription?

    /// Refuses a pending registration, and cancels the subscription.
    func end() {
      added?.cancel()
      registration?.refuse(.failed("Adv Monitor app destroyed"))
    }
  }

  private struct State {
    var applications: [Application] = []
    var monitors: [AdvertisementMonitor] = []
    /// The timer of each advertisement's next reception; empty without active monitors.
    var reports: [LoopTimer?] = []
  }

  private let slots: [AdvertisementSlot]

  private let host: Host
  private let air: Air
  private let state: Confined<State>

  init(air: Air, host: Host) {
    self.air = air
    slots = air.slots
    self.host = host
    state = Confined(State(), to: host.loop)
  }

  func stop() {
    let ended = state.applications
    state.applications = []
    state.monitors = []
    for application in ended { application.end() }
    updateScan()
  }

  /// Starts or stops scanning, depending on whether a client has registered.
  private func updateScan() {
    guard state.applications.isEmpty != state.reports.isEmpty else { return }
    if state.applications.isEmpty {
      for timer in state.reports { timer?.cancel() }
      return state.reports = []
    }
    state.reports = Array(repeating: nil, count: slots.count)
    for index in slots.indices { scheduleReport(index, after: air.interval(slots[index]) / 2) }
  }

  private func scheduleReport(_ index: Int, after delay: Duration) {
    state.reports[index] = host.loop.after(delay) { [weak self] in
      guard let self, !state.reports.isEmpty else { return }
      let device = air.current(slots[index].device)
      if device.isInAir, device.device.isAdvertising, !device.device.isLinked {
        receive(device, slots[index].number)
      }
      scheduleReport(index, after: air.interval(slots[index]))
    }
  }

  /// Receives an advertisement. If a monitor matches, it is announced as in a scan.
  private func receive(_ device: RemoteDevice, _ number: Int) {
    let data = device.device.advertisement(number)
    guard device.device.getsThrough(rssi: data.rssi) else { return }
    let fields = data.fields
    let now = host.loop.now
    var isWanted = false
    var found: [AdvertisementMonitor] = []
    for index in state.monitors.indices where state.monitors[index].matches(fields) {
      isWanted = true
      if state.monitors[index].observe(device.path, rssi: data.rssi, now: now) {
        found.append(state.monitors[index])
      }
    }
    guard isWanted else { return }
    device.observe(data, reportsAll: false, threshold: 0)
    host.server.flush()
    for monitor in found {
      notify(AdvertisementMonitor1.deviceFound, monitor, device.path)
      if monitor.low != nil { watch(monitor, device.path) }
    }
  }

  /// Checks every second whether a found device is lost.
  private func watch(_ monitor: AdvertisementMonitor, _ device: ObjectPath) {
    host.loop.after(.seconds(1)) { [weak self] in
      guard let self else { return }
      let index = state.monitors.firstIndex {
        $0.client == monitor.client && $0.path == monitor.path
      }
      guard let index else { return }
      if state.monitors[index].loses(device, now: host.loop.now) {
        notify(AdvertisementMonitor1.deviceLost, monitor, device)
      } else {
        watch(monitor, device)
      }
    }
  }

  private func notify(
    _ method: Method<ObjectPath, Void>, _ monitor: AdvertisementMonitor, _ device: ObjectPath
  ) {
    host.bus.send(method, device, on: monitor.path, of: monitor.client)
  }

  var interface: ExportedInterface {
    AdvertisementMonitorManager1.declaration.exported(
      by: host.settings.version,
      methods: [
        ExportedMethod(AdvertisementMonitorManager1.registerMonitor) { self.register($0, $1) },
        ExportedMethod(AdvertisementMonitorManager1.unregisterMonitor) { self.unregister($0, $1) },
      ],
      properties: [
        ExportedProperty(AdvertisementMonitorManager1.supportedMonitorTypes) {
          [AdvertisementMonitor1.orPatterns]
        },
        ExportedProperty(AdvertisementMonitorManager1.supportedFeatures) { [] },
      ]
    )
  }

  func clientLeft(_ client: String) {
    let ended = state.applications.filter { $0.client == client }
    state.applications.removeAll { $0.client == client }
    state.monitors.removeAll { $0.client == client }
    for application in ended { application.added?.cancel() }
    updateScan()
  }

  /// Registers monitors. The reply follows once the existing ones have been read; those added after
  /// the reply are noticed.
  ///
  /// - Source: BlueZ 5.66, `src/adv_monitor.c` (register_monitor, app_ready_cb).
  private func register(_ root: ObjectPath, _ call: Invocation) {
    let client = call.caller
    guard index(of: client, root) == nil else { return call.refuse(.alreadyExists) }
    state.applications.append(Application(client: client, root: root, registration: call))
    _ = host.loop.task { [weak self] in
      await self?.followLaterMonitors(below: root, of: client)
      let listed = await self?.listMonitors(below: root, of: client)
      self?.ready(listed ?? [], below: root, of: client)
    }
  }

  /// Releases monitors without patterns, replies to the registration, and activates the others.
  private func ready(_ listed: [ListedObject], below root: ObjectPath, of client: String) {
    guard let index = index(of: client, root) else { return }
    let call = state.applications[index].registration.take()
    let added = listed.compactMap { add($0, below: root, of: client) }
    call?.reply()
    for path in added { host.bus.send(AdvertisementMonitor1.activate, (), on: path, of: client) }
    updateScan()
  }

  private func unregister(_ root: ObjectPath, _ call: Invocation) {
    guard let index = index(of: call.caller, root) else { return call.refuse(.doesNotExist) }
    let application = state.applications.remove(at: index)
    let ended = state.monitors.filter { $0.client == call.caller && $0.root == root }
    state.monitors.removeAll { $0.client == call.caller && $0.root == root }
    // The order is as recorded from bluetoothd 5.66.
    for monitor in ended {
      host.bus.send(AdvertisementMonitor1.release, (), on: monitor.path, of: monitor.client)
    }
    application.end()
    call.reply()
    updateScan()
  }

  /// The index of a client's application.
  private func index(of client: String, _ root: ObjectPath) -> Int? {
    state.applications.firstIndex { $0.client == client && $0.root == root }
  }

  // MARK: The client's monitors

  /// Reads the monitors below a root; empty if the client does not reply.
  private func listMonitors(below root: ObjectPath, of client: String) async -> [ListedObject] {
    guard
      let call = try? MethodCall(StandardInterface.getManagedObjects, (), on: root, of: client),
      let reply = try? await host.bus.call(call, limit: ProgramCalls.listingLimit)
    else { return [] }
    return ListedObject.all(in: reply)
  }

  /// Activates monitors that are added later: some clients register first.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  private func followLaterMonitors(below root: ObjectPath, of client: String) async {
    let rule = MatchRule(
      sender: client, path: root, interface: StandardInterface.objectManager,
      member: StandardInterface.interfacesAdded.name
    )
    let added = try? await host.bus.subscribe(rule) { [weak self] signal in
      guard let self, signal.body.count == 2,
        let listed = ListedObject(signal.body[0], signal.body[1]),
        let path = add(listed, below: root, of: client)
      else { return }
      host.bus.send(AdvertisementMonitor1.activate, (), on: path, of: client)
    }
    if let index = index(of: client, root) {
      state.applications[index].added = added
    } else {
      added?.cancel()
    }
  }

  /// Adds an object if it is a monitor; releases one without patterns.
  ///
  /// - Returns: The path of a new monitor.
  private func add(
    _ listed: ListedObject, below root: ObjectPath, of client: String
  ) -> ObjectPath? {
    guard let properties = listed.properties(of: AdvertisementMonitor1.interface) else {
      return nil
    }
    let read = AdvertisementMonitor(properties, at: listed.path, below: root, of: client)
    guard let read else {
      host.bus.send(AdvertisementMonitor1.release, (), on: listed.path, of: client)
      return nil
    }
    let isNew = !state.monitors.contains { $0.client == client && $0.path == listed.path }
    guard isNew, index(of: client, root) != nil else { return nil }
    state.monitors.append(read)
    return listed.path
  }
}
