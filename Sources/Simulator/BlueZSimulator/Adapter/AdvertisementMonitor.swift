// One monitor of a client: its patterns, and the devices that it has found.
//
// Pure: advertisements and times in, notifications of the client out.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// An active monitor.
///
/// - Source: BlueZ 5.66, `doc/advertisement-monitor-api.txt`.
struct AdvertisementMonitor: Sendable {
  /// A device as tracked by the monitor.
  private struct Sighting {
    var isFound = false
    /// The start of the current period with an RSSI above the high threshold.
    var strongSince: Instant?
    /// When the RSSI of a found device was last high enough.
    var lastHeld: Instant
  }

  let client: String
  let root: ObjectPath
  let path: ObjectPath
  let patterns: [AdvertisementMonitor1.Pattern]
  /// The thresholds in dBm; nil: any RSSI.
  let high: Int?
  let low: Int?
  /// The time with a high RSSI until a device is found, and with a low or no RSSI until it is lost.
  let highTimeout: Duration
  let lowTimeout: Duration
  /// The monitor finds a device once and can lose it. Without any threshold, timeout or sampling
  /// period it reports each advertisement.
  let isTracking: Bool
  private var sightings: [ObjectPath: Sighting] = [:]

  /// Parses the properties of a client's object; nil for a monitor that cannot be active.
  init?(_ properties: PropertyMap, at path: ObjectPath, below root: ObjectPath, of client: String) {
    guard properties[AdvertisementMonitor1.type] == AdvertisementMonitor1.orPatterns,
      let patterns = properties[AdvertisementMonitor1.patterns], !patterns.isEmpty
    else { return nil }
    self.patterns = patterns
    func strength(_ property: Property<Int16>) -> Int? {
      properties[property].flatMap { (-127...20).contains($0) ? Int($0) : nil }
    }
    func seconds(_ property: Property<UInt16>) -> Duration {
      let given = properties[property] ?? 0
      return .seconds((1...300).contains(given) ? Int64(given) : 5)
    }
    high = strength(AdvertisementMonitor1.rssiHighThreshold)
    low = strength(AdvertisementMonitor1.rssiLowThreshold)
    func isGiven(_ property: Property<UInt16>, _ range: ClosedRange<UInt16>) -> Bool {
      properties[property].map { range.contains($0) } ?? false
    }
    isTracking =
      strength(AdvertisementMonitor1.rssiHighThreshold) != nil
      || strength(AdvertisementMonitor1.rssiLowThreshold) != nil
      || isGiven(AdvertisementMonitor1.rssiHighTimeout, 1...300)
      || isGiven(AdvertisementMonitor1.rssiLowTimeout, 1...300)
      || isGiven(AdvertisementMonitor1.rssiSamplingPeriod, 0...255)
    highTimeout = seconds(AdvertisementMonitor1.rssiHighTimeout)
    lowTimeout = seconds(AdvertisementMonitor1.rssiLowTimeout)
    (self.client, self.root, self.path) = (client, root, path)
  }

  /// True if an advertisement matches, at any RSSI.
  func matches(_ fields: [AdvertisingField]) -> Bool { patterns.contains { $0.matches(fields) } }

  /// Tracks a device with a matching advertisement.
  ///
  /// The controller handles sampling periods. If the controller cannot match patterns itself, a
  /// sampling period makes bluetoothd track the RSSI; without a threshold it then finds nothing.
  ///
  /// - Returns: True if the device is found with this advertisement.
  /// - Source: recorded from bluetoothd 5.66; `src/adv_monitor.c` (adv_monitor_filter_rssi).
  mutating func observe(_ device: ObjectPath, rssi: Int, now: Instant) -> Bool {
    guard isTracking else { return true }
    guard let high else { return false }
    var sighting = sightings[device] ?? Sighting(lastHeld: now)
    defer { sightings[device] = sighting }
    if rssi >= low ?? .min { sighting.lastHeld = now }
    guard rssi > high else {
      sighting.strongSince = nil
      return false
    }
    let since = sighting.strongSince ?? now
    sighting.strongSince = since
    guard !sighting.isFound, now - since >= highTimeout else { return false }
    sighting.isFound = true
    sighting.lastHeld = now
    return true
  }

  /// Forgets a found device whose RSSI was too low for too long, and returns true.
  mutating func loses(_ device: ObjectPath, now: Instant) -> Bool {
    guard low != nil, let sighting = sightings[device], sighting.isFound,
      now - sighting.lastHeld >= lowTimeout
    else { return false }
    sightings[device] = nil
    return true
  }
}

extension AdvertisementMonitor1.Pattern {
  /// True if one of the fields contains the bytes.
  func matches(_ fields: [AdvertisingField]) -> Bool {
    fields.contains { $0.type == type && $0.octets.dropFirst(Int(start)).starts(with: octets) }
  }
}
