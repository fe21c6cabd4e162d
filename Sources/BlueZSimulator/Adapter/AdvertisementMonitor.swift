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
  /// Octets at a place in one kind of field.
  struct Pattern: Equatable, Sendable {
    let start: Int
    let type: UInt8
    let octets: [UInt8]

    func matches(_ fields: [AdvertisingField]) -> Bool {
      fields.contains { $0.type == type && $0.octets.dropFirst(start).starts(with: octets) }
    }
  }

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
  let patterns: [Pattern]
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
    typealias Property = AdvertisementMonitor1.Property
    guard properties[Property.type]?.asString == AdvertisementMonitor1.orPatterns,
      case .array(let rows)? = properties[Property.patterns]?.unwrapped
    else { return nil }
    patterns = rows.elements.compactMap { row in
      guard case .structure(let row) = row.unwrapped, row.fields.count == 3,
        let start = row.fields[0].asByte, let type = row.fields[1].asByte,
        let octets = row.fields[2].asBytes
      else { return nil }
      return Pattern(start: Int(start), type: type, octets: octets)
    }
    guard !patterns.isEmpty, patterns.count == rows.elements.count else { return nil }
    func strength(_ name: String) -> Int? {
      properties[name]?.asInt16.flatMap { (-127...20).contains($0) ? Int($0) : nil }
    }
    func seconds(_ name: String) -> Duration {
      let given = properties[name]?.asUInt16 ?? 0
      return .seconds((1...300).contains(given) ? Int64(given) : 5)
    }
    high = strength(Property.rssiHighThreshold)
    low = strength(Property.rssiLowThreshold)
    func isGiven(_ name: String, _ range: ClosedRange<UInt16>) -> Bool {
      properties[name]?.asUInt16.map { range.contains($0) } ?? false
    }
    isTracking =
      strength(Property.rssiHighThreshold) != nil || strength(Property.rssiLowThreshold) != nil
      || isGiven(Property.rssiHighTimeout, 1...300) || isGiven(Property.rssiLowTimeout, 1...300)
      || isGiven(Property.rssiSamplingPeriod, 0...255)
    highTimeout = seconds(Property.rssiHighTimeout)
    lowTimeout = seconds(Property.rssiLowTimeout)
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
