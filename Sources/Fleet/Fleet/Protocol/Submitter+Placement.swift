// What a submitter knows of the gateways: where the bond of a device is, and why nobody began a job.

import Bluetooth
import Signals

extension Submitter {
  /// Who listens, and who observes a device.
  private func listeners(_ address: BluetoothAddress, at now: Instant) -> [Observers.Listener] {
    let present = reports.filter { now - $0.value.at <= member.settings.sightingAge }
    return present.keys.sorted().map { name in
      let sighting = present[name]?.report.sightings.first { $0.address == address }
      return Observers.Listener(
        gateway: name, rssi: sighting?.rssi,
        isHolding: present[name]?.report.held.contains(address) ?? false,
        entry: directory.entries[name]
      )
    }
  }

  func circumstances(of custody: Custody, at now: Instant) -> Custody.Circumstances {
    var circumstances = Custody.Circumstances()
    circumstances.requests = requests
    // The reports of a thousand gateways are looked through only where a job is ended.
    if custody.holding != nil {
      circumstances.observers.listeners = listeners(custody.address, at: now)
    }
    return circumstances
  }

  /// The gateway with the bond: of several the one that is asked for, or else the one that observes
  /// the device best.
  func bond(of job: FleetJob, at now: Instant) -> String? {
    let bonded = directory.entries.filter { $0.value.bonds.contains(job.device) }.keys.sorted()
    if let wish = [job.pin, job.prefer].compactMap(\.self).first(where: bonded.contains) {
      return wish
    }
    let observing = listeners(job.device, at: now).filter { bonded.contains($0.gateway) }
    let best = observing.max { ($0.rssi ?? .min) < ($1.rssi ?? .min) }
    return best?.gateway ?? bonded.first
  }
}

/// The gateways as their entries were at the last look.
struct GatewayDirectory: Sendable {
  /// How long a look counts for further jobs.
  private static let age = Duration.seconds(5)

  private(set) var entries: [String: GatewayEntry] = [:]
  private var readAt: Instant?
  /// A look has no answer yet.
  var isAsked = false

  init() {}

  init(_ found: [StoreEntry], at now: Instant) {
    for case (let key, .gateway(let entry)) in found.map({ ($0.key, $0.value) }) {
      entries[key.name] = entry
    }
    readAt = now
  }

  func isCurrent(at now: Instant) -> Bool { readAt.map { now - $0 <= Self.age } ?? false }
}
