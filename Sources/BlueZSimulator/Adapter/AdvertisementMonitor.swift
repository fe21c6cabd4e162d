// One monitor of a client: what it looks for, and which devices it has found.
//
// Pure: advertisements and times in, what to tell the client out.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// An active monitor.
///
/// - Source: BlueZ 5.66, `doc/advertisement-monitor-api.txt`.
struct AdvertisementMonitor: Sendable {
  /// How a device stands to the monitor.
  private struct Sighting {
    var isFound = false
    /// Since when every signal was strong enough.
    var strongSince: Instant?
    /// When one was last strong enough for a device that was found.
    var lastHeld: Instant
  }

  let client: String
  let root: ObjectPath
  let path: ObjectPath
  let patterns: [AdvertisementMonitor1.Pattern]
  /// In dBm; nil: any strength.
  let high: Int?
  let low: Int?
  /// How long a device is strong before it is found, and weak or silent before it is lost.
  let highTimeout: Duration
  let lowTimeout: Duration
  /// Whether a device is found once for all, and may be lost; without any of the bounds, times and
  /// periods it is found with each report.
  let isTracking: Bool
  private var sightings: [ObjectPath: Sighting] = [:]

  /// Reads the properties of a client's object; nil for one that cannot be active.
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

  /// Whether an advertisement is looked for, however strong it is.
  func matches(_ fields: [AdvertisingField]) -> Bool { patterns.contains { $0.matches(fields) } }

  /// An advertisement that matches was heard.
  ///
  /// A sampling period is the controller's affair. Without a controller that looks for patterns
  /// itself, one that is given has bluetoothd track strengths, and without a bound it finds nothing.
  ///
  /// - Returns: Whether the device is found by it.
  /// - Source: recorded from bluetoothd 5.66; `src/adv_monitor.c` (adv_monitor_filter_rssi).
  mutating func heard(_ device: ObjectPath, rssi: Int, now: Instant) -> Bool {
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

  /// Whether a device that was found has not been strong enough for too long.
  mutating func loses(_ device: ObjectPath, now: Instant) -> Bool {
    guard low != nil, let sighting = sightings[device], sighting.isFound,
      now - sighting.lastHeld >= lowTimeout
    else { return false }
    sightings[device] = nil
    return true
  }
}

extension AdvertisementMonitor1.Pattern {
  /// Whether one of the fields has the octets.
  func matches(_ fields: [AdvertisingField]) -> Bool {
    fields.contains { $0.type == type && $0.octets.dropFirst(Int(start)).starts(with: octets) }
  }
}
