// Discovery: sessions of clients, and the advertisements that the adapter receives meanwhile.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension AdapterServer {
  // MARK: Calls

  func startDiscovery(_ call: Invocation) {
    guard state.withLock({ $0.isPowered }) else { return call.refuse(.notReady) }
    if let refusal = state.withLock({ $0.sessions.start(call.caller) }) {
      return call.refuse(refusal)
    }
    followDiscoverableFilter()
    // Recorded from bluetoothd: the reply comes first.
    call.reply()
    beginScan()
  }

  func stopDiscovery(_ call: Invocation) {
    guard state.withLock({ $0.isPowered }) else { return call.refuse(.notReady) }
    if let refusal = state.withLock({ $0.sessions.stop(call.caller) }) {
      return call.refuse(refusal)
    }
    followDiscoverableFilter()
    call.reply()
    endDiscoveryIfUnwanted()
  }

  /// The adapter is discoverable while the filter of a discovering client requires it.
  func followDiscoverableFilter() {
    let isChanged = state.withLock { state in
      let isWanted = state.sessions.wantsDiscoverable
      guard isWanted ? !state.isDiscoverable : state.isDiscoverableByFilter else { return false }
      state.isDiscoverable = isWanted
      state.isDiscoverableByFilter = isWanted
      return true
    }
    if isChanged { mark(Adapter1.discoverable) }
  }

  func setFilter(_ options: PropertyMap, _ call: Invocation) {
    guard state.withLock({ $0.isPowered }) else { return call.refuse(.notReady) }
    guard let filter = DiscoveryFilter(options) else { return call.refuse(.invalidArguments) }
    state.withLock { $0.sessions.filter(call.caller, options.isEmpty ? nil : filter) }
    followDiscoverableFilter()
    call.reply()
  }

  // MARK: Scanning

  private func beginScan() {
    let isFirst = state.withLock { state in
      defer { state.isDiscovering = true }
      return !state.isDiscovering
    }
    guard isFirst else { return }
    host.observe(.scanning(true))
    mark(Adapter1.discovering)
    for slot in air.slots {
      // The first is received within an interval: half of one on average.
      report(slot, after: air.interval(slot) / 2)
    }
  }

  func endDiscoveryIfUnwanted() {
    let isUnwanted = state.withLock { $0.isDiscovering && !$0.sessions.isDiscovering }
    guard isUnwanted else { return }
    endScan()
    mark(Adapter1.discovering)
  }

  /// Stops scanning: the changes of devices are announced first, the caller announces the
  /// adapter's.
  func endScan() {
    let reports = state.withLock { state in
      state.isDiscovering = false
      defer { state.reports = [:] }
      return state.reports.values
    }
    for report in reports { report.cancel() }
    host.observe(.scanning(false))
    for device in air.takeReceived() where device.isExported { device.discoveryEnded() }
  }

  /// Receives an advertisement of a device, once per interval.
  private func report(_ slot: AdvertisementSlot, after delay: Duration) {
    let timer = host.loop.after(delay) { [weak self] in
      guard let self, state.withLock({ $0.isDiscovering }) else { return }
      receive(slot)
      report(slot, after: air.interval(slot))
    }
    state.withLock { $0.reports[slot] = timer }
  }

  /// A connected device does not advertise, nor does one that is out of range; and during a
  /// connection attempt the controller keeps its advertisements to itself.
  private func receive(_ slot: AdvertisementSlot) {
    let (device, number) = (air.present(slot.device), slot.number)
    guard device.isInAir, device.device.isAdvertising, device.isIdle, !device.device.isLinked else {
      return
    }
    let advertisement = device.device.advertised(number)
    let sessions = state.withLock { $0.sessions }
    let isWanted = sessions.accept(
      services: advertisement.services,
      name: advertisement.name(of: device.device.definition),
      address: device.address
    )
    guard isWanted else { return }
    let data = device.device.advertisement(number)
    guard data.rssi >= sessions.weakest ?? .min, device.device.getsThrough(rssi: data.rssi) else {
      return
    }
    device.observe(
      data,
      reportsAll: sessions.wantsDuplicates,
      threshold: sessions.hasFilter ? 0 : host.settings.rssiThreshold
    )
  }
}
