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
    followAdvertisements()
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
    followAdvertisements()
  }

  // MARK: Scanning

  private func beginScan() {
    let now = host.loop.now
    let isFirst = state.withLock { state in
      guard state.scan == nil else { return false }
      state.scan = Scan(start: now)
      return true
    }
    if isFirst {
      host.observe(.scanning(true))
      mark(Adapter1.discovering)
    }
    followAdvertisements()
  }

  /// Simulates the advertisements that a client may accept, and no others: those have no effect.
  private func followAdvertisements() {
    let now = host.loop.now
    let (scan, sessions) = state.withLock { ($0.scan, $0.sessions) }
    guard let scan, sessions.isDiscovering else { return }
    let patterns = sessions.patterns
    guard !scan.isFollowing || patterns != scan.patterns else { return }
    let wanted = air.slots(of: patterns)
    let isWanted = Set(wanted)
    let ended = state.withLock { state -> [LoopTimer] in
      state.scan?.isFollowing = true
      state.scan?.patterns = patterns
      let ended = state.reports.filter { !isWanted.contains($0.key) }
      for slot in ended.keys { state.reports[slot] = nil }
      return Array(ended.values)
    }
    for report in ended { report.cancel() }
    let followed = state.withLock { $0.reports }
    for slot in wanted where followed[slot] == nil {
      report(slot, after: scan.wait(for: air.interval(slot), now: now))
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
      state.scan = nil
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
    guard device.isInAir, device.isIdle, !device.device.isLinked else { return }
    let advertisement = device.device.definition.advertisements[number]
    let sessions = state.withLock { $0.sessions }
    let isWanted = sessions.accept(
      services: advertisement.services,
      name: advertisement.includesName ? device.device.definition.name : nil,
      address: device.address,
      isDiscoverable: advertisement.isDiscoverable
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

/// The adapter scans.
struct Scan {
  let start: Instant
  /// The patterns of the advertisements that are simulated; nil: all of them are.
  var patterns: [String]?
  var isFollowing = false

  /// How long it takes until an advertisement is received next.
  ///
  /// The first is received within an interval after the start: half of one on average.
  func wait(for interval: Duration, now: Instant) -> Duration {
    let elapsed = now - start
    var next = interval / 2
    if next <= elapsed { next += interval * Int((elapsed - next) / interval) }
    while next <= elapsed { next += interval }
    return next - elapsed
  }
}
