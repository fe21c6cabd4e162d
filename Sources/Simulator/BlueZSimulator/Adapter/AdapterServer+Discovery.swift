// Discovery: sessions of clients, and the advertisements that the adapter receives meanwhile.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension AdapterServer {
  // MARK: Calls

  func startDiscovery(_ call: Invocation) {
    guard isPowered else { return call.refuse(.notReady) }
    if let refusal = state.sessions.start(call.caller) { return call.refuse(refusal) }
    followDiscoverableFilter()
    // The reply comes first, as recorded from bluetoothd.
    call.reply()
    beginScan()
  }

  func stopDiscovery(_ call: Invocation) {
    guard isPowered else { return call.refuse(.notReady) }
    if let refusal = state.sessions.stop(call.caller) { return call.refuse(refusal) }
    followDiscoverableFilter()
    call.reply()
    endDiscoveryIfUnwanted()
  }

  /// Makes the adapter discoverable while the filter of a discovering client requires it.
  func followDiscoverableFilter() {
    let isWanted = state.sessions.wantsDiscoverable
    guard isWanted ? !state.isDiscoverable : state.isDiscoverableByFilter else { return }
    state.isDiscoverable = isWanted
    state.isDiscoverableByFilter = isWanted
    mark(Adapter1.discoverable)
  }

  func setFilter(_ options: PropertyMap, _ call: Invocation) {
    guard isPowered else { return call.refuse(.notReady) }
    guard let filter = DiscoveryFilter(options) else { return call.refuse(.invalidArguments) }
    state.sessions.filter(call.caller, options.isEmpty ? nil : filter)
    followDiscoverableFilter()
    call.reply()
  }

  // MARK: Scanning

  private func beginScan() {
    guard !state.isDiscovering else { return }
    state.isDiscovering = true
    host.observe(.scanning(true))
    mark(Adapter1.discovering)
    for slot in air.slots {
      // The first advertisement arrives within an interval, on average after half of it.
      report(slot, after: air.interval(slot) / 2)
    }
  }

  func endDiscoveryIfUnwanted() {
    guard state.isDiscovering, !state.sessions.isDiscovering else { return }
    endScan()
    mark(Adapter1.discovering)
  }

  /// Stops scanning and announces the changes of devices; the caller announces the change of the
  /// adapter afterwards.
  func endScan() {
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
    let (device, number) = (air.present(slot.device), slot.number)
    guard device.isInAir, device.device.isAdvertising, device.isIdle, !device.device.isLinked else {
      return
    }
    let advertisement = device.device.advertised(number)
    let sessions = state.sessions
    let isWanted = sessions.accept(
      services: advertisement.services, name: advertisement.name(of: device.device.definition),
      address: device.address
    )
    guard isWanted else { return }
    let data = device.device.advertisement(number)
    guard data.rssi >= sessions.weakest ?? .min, device.device.getsThrough(rssi: data.rssi) else {
      return
    }
    device.observe(
      data, reportsAll: sessions.wantsDuplicates,
      threshold: sessions.hasFilter ? 0 : host.settings.rssiThreshold
    )
  }
}
