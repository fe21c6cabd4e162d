// What a gateway observes: devices in range, and bonds.

import Bluetooth
import Fleet
import Jobs
import Program
import Signals

extension GatewayService {
  /// The pause before a scan is tried again.
  private static let scanPause = Duration.seconds(5)

  /// How often a device whose RSSI is as before is noted.
  private static let notePause = Duration.seconds(1)

  func scan() async throws {
    // A scan sends what has changed. A device that is received as before is observed all the same.
    parts.world.observeSightings { [weak self] in self?.observe($0) }
    let lane = SerialScheduler(on: loop, name: "scan")
    let service = parts.world.service(for: .any, on: lane)
    var isFailing = false
    while true {
      do {
        _ = try await service.scan(ScanFilter()).then { Signal.just(true) }
          .first(within: .seconds(3600 * 24 * 365))
      } catch {
        if Task.isCancelled || error is CancellationError { throw error }
        if !isFailing { StandardError.failure("\(RunFailure(error))") }
        isFailing = true
      }
      try await loop.sleep(for: Self.scanPause)
    }
  }

  private func observe(_ device: Advertisement) {
    // What bluetoothd only remembers has no RSSI.
    guard let rssi = device.rssi else { return }
    var sighting = Sighting(address: device.address, rssi: max(-127, min(20, rssi)))
    sighting.isIdentity = device.address.isIdentity(device.addressType)
    sighting.name = device.name.flatMap { name in
      name.utf8.count <= FleetBounds.deviceName ? name : nil
    }
    let now = BootClock.now
    let isNews = state.withLock { state in
      if let last = state.seen[device.address] {
        guard last.sighting != sighting || now - last.at >= Self.notePause else { return false }
      } else if state.seen.count >= FleetBounds.sightings {
        return true
      }
      state.seen[device.address] = Seen(sighting: sighting, at: now)
      return true
    }
    guard isNews else { return }
    handle(.observed(device.address, rssi: sighting.rssi))
  }

  /// What is observed now. The state machine is informed of what others hold.
  func report() -> SightingReport {
    let now = BootClock.now
    let present = state.withLock { state in
      state.seen = state.seen.filter { now - $0.value.at <= settings.sightingAge }
      return state.seen.sorted { $0.key < $1.key }.map(\.value.sighting)
    }
    var report = SightingReport(gateway: name, sightings: present)
    let held = parts.world.foreignLinks()
    report.held = Array(held.prefix(FleetBounds.sightings))
    handle(.held(Set(held)))
    return report
  }

  /// Names the bonds of the adapter in the own entry, at once where they have changed.
  func noteBonds() {
    let bonds = parts.world.bonds().prefix(FleetBounds.sightings)
    let isNews = presence.change { $0.bonds = Array(bonds) }
    if isNews, !isOver { presence.renewNow() }
  }
}
