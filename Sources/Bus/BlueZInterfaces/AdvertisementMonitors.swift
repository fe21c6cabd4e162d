// org.bluez.AdvertisementMonitorManager1 and AdvertisementMonitor1: scanning without scan requests.

package import DBus

/// `org.bluez.AdvertisementMonitorManager1`, on an adapter.
///
/// bluetoothd provides it when it runs with experimental interfaces and the kernel supports
/// advertisement monitors (Linux 5.10).
///
/// - Source: BlueZ 5.66, `doc/advertisement-monitor-api.txt`, `src/adv_monitor.c`.
package enum AdvertisementMonitorManager1 {
  /// The interface.
  package static let interface = "org.bluez.AdvertisementMonitorManager1"

  package static let declaration = InterfaceDeclaration(
    interface, methods: [registerMonitor, unregisterMonitor],
    properties: [supportedMonitorTypes, supportedFeatures]
  )

  /// The root below which the client exports its monitors.
  package static let registerMonitor = Method(
    "RegisterMonitor", of: interface, takes: .list(("application", .objectPath))
  )
  package static let unregisterMonitor = Method(
    "UnregisterMonitor", of: interface, takes: .list(("application", .objectPath))
  )

  /// The supported types; ``AdvertisementMonitor1/orPatterns``.
  package static let supportedMonitorTypes = Property(
    "SupportedMonitorTypes", .strings, of: interface
  )
  package static let supportedFeatures = Property("SupportedFeatures", .strings, of: interface)
}

/// `org.bluez.AdvertisementMonitor1`, which a client exports.
///
/// - Source: BlueZ 5.66, `doc/advertisement-monitor-api.txt`, `src/adv_monitor.c`.
package enum AdvertisementMonitor1 {
  /// The interface.
  package static let interface = "org.bluez.AdvertisementMonitor1"
  /// The only type of monitor: any of the patterns matches.
  package static let orPatterns = "or_patterns"

  package static let declaration = InterfaceDeclaration(
    interface, methods: [release, activate, deviceFound, deviceLost],
    properties: [
      type, rssiLowThreshold, rssiHighThreshold, rssiLowTimeout, rssiHighTimeout,
      rssiSamplingPeriod, patterns,
    ]
  )

  // MARK: Methods, called by bluetoothd, which expects no reply

  /// The monitor could not be activated, or is no longer active.
  package static let release = Method("Release", of: interface)
  /// The monitor is active.
  package static let activate = Method("Activate", of: interface)
  package static let deviceFound = Method(
    "DeviceFound", of: interface, takes: .list(("device", .objectPath))
  )
  package static let deviceLost = Method(
    "DeviceLost", of: interface, takes: .list(("device", .objectPath))
  )

  // MARK: Properties

  /// The type of monitor: ``AdvertisementMonitor1/orPatterns``.
  package static let type = Property("Type", .string, of: interface)
  /// The threshold in dBm.
  package static let rssiLowThreshold = Property(
    "RSSILowThreshold", .int16, of: interface, presence: .known
  )
  /// The threshold in dBm.
  package static let rssiHighThreshold = Property(
    "RSSIHighThreshold", .int16, of: interface, presence: .known
  )
  /// How long a device must be weak or silent to count as lost: 1 to 300 seconds.
  package static let rssiLowTimeout = Property(
    "RSSILowTimeout", .uint16, of: interface, presence: .known
  )
  /// How long a device must be strong to count as found: 1 to 300 seconds.
  package static let rssiHighTimeout = Property(
    "RSSIHighTimeout", .uint16, of: interface, presence: .known
  )
  /// 0 reports every advertisement, 255 only the first.
  package static let rssiSamplingPeriod = Property(
    "RSSISamplingPeriod", .uint16, of: interface, presence: .known
  )
  /// At least one.
  package static let patterns = Property("Patterns", .monitorPatterns, of: interface)

  /// Bytes at an offset of one AD structure of an advertisement.
  package struct Pattern: Equatable, Sendable {
    package let start: UInt8
    /// The AD type.
    package let type: UInt8
    package let octets: [UInt8]

    package init(start: UInt8, type: UInt8, octets: [UInt8]) {
      (self.start, self.type, self.octets) = (start, type, octets)
    }
  }
}

extension Codec<[AdvertisementMonitor1.Pattern]> {
  /// `a(yyay)`
  package static var monitorPatterns: Codec {
    Codec("a(yyay)") { value in
      guard let rows = value.asArray else { return nil }
      let patterns = rows.compactMap { row -> AdvertisementMonitor1.Pattern? in
        guard let row = row.asStructure, row.count == 3, let start = row[0].asByte,
          let type = row[1].asByte, let octets = row[2].asBytes
        else { return nil }
        return AdvertisementMonitor1.Pattern(start: start, type: type, octets: octets)
      }
      return patterns.count == rows.count ? patterns : nil
    } encode: { patterns in
      do {
        return try .array(
          of: "(yyay)",
          patterns.map { pattern in
            try .structure(of: [.byte(pattern.start), .byte(pattern.type), .bytes(pattern.octets)])
          }
        )
      } catch {
        preconditionFailure("patterns have one type: \(error)")
      }
    }
  }
}
