// org.bluez.AdvertisementMonitorManager1 and AdvertisementMonitor1: scanning without scan requests.

public import DBus

/// `org.bluez.AdvertisementMonitorManager1`, on an adapter.
///
/// bluetoothd provides it when it runs with experimental interfaces and the kernel supports
/// advertisement monitors (Linux 5.10).
///
/// - Source: BlueZ 5.66, `doc/advertisement-monitor-api.txt`, `src/adv_monitor.c`.
public enum AdvertisementMonitorManager1 {
  /// The interface.
  public static let interface = "org.bluez.AdvertisementMonitorManager1"

  public static let declaration = InterfaceDeclaration(
    interface,
    methods: [registerMonitor, unregisterMonitor],
    properties: [supportedMonitorTypes, supportedFeatures]
  )

  /// The root below which the client exports its monitors.
  public static let registerMonitor = Method(
    "RegisterMonitor",
    of: interface,
    takes: .one("application", .objectPath)
  )
  public static let unregisterMonitor = Method(
    "UnregisterMonitor",
    of: interface,
    takes: .one("application", .objectPath)
  )

  /// Of ``AdvertisementMonitor1/orPatterns``.
  public static let supportedMonitorTypes = Property(
    "SupportedMonitorTypes",
    .strings,
    of: interface
  )
  public static let supportedFeatures = Property("SupportedFeatures", .strings, of: interface)
}

/// `org.bluez.AdvertisementMonitor1`, which a client exports.
///
/// - Source: BlueZ 5.66, `doc/advertisement-monitor-api.txt`, `src/adv_monitor.c`.
public enum AdvertisementMonitor1 {
  /// The interface.
  public static let interface = "org.bluez.AdvertisementMonitor1"
  /// The only type of monitor: any of the patterns matches.
  public static let orPatterns = "or_patterns"

  public static let declaration = InterfaceDeclaration(
    interface,
    methods: [release, activate, deviceFound, deviceLost],
    properties: [
      type, rssiLowThreshold, rssiHighThreshold, rssiLowTimeout, rssiHighTimeout,
      rssiSamplingPeriod, patterns,
    ]
  )

  // MARK: Methods, called by bluetoothd, which expects no reply

  /// The monitor could not be activated, or is no longer active.
  public static let release = Method("Release", of: interface)
  /// The monitor is active.
  public static let activate = Method("Activate", of: interface)
  public static let deviceFound = Method(
    "DeviceFound",
    of: interface,
    takes: .one("device", .objectPath)
  )
  public static let deviceLost = Method(
    "DeviceLost",
    of: interface,
    takes: .one("device", .objectPath)
  )

  // MARK: Properties

  /// ``AdvertisementMonitor1/orPatterns``.
  public static let type = Property("Type", .string, of: interface)
  /// In dBm.
  public static let rssiLowThreshold = Property(
    "RSSILowThreshold",
    .int16,
    of: interface,
    presence: .known
  )
  /// In dBm.
  public static let rssiHighThreshold = Property(
    "RSSIHighThreshold",
    .int16,
    of: interface,
    presence: .known
  )
  /// How long a device must be weak or silent to count as lost: 1 to 300 seconds.
  public static let rssiLowTimeout = Property(
    "RSSILowTimeout",
    .uint16,
    of: interface,
    presence: .known
  )
  /// How long a device must be strong to count as found: 1 to 300 seconds.
  public static let rssiHighTimeout = Property(
    "RSSIHighTimeout",
    .uint16,
    of: interface,
    presence: .known
  )
  /// 0 reports every advertisement, 255 only the first.
  public static let rssiSamplingPeriod = Property(
    "RSSISamplingPeriod",
    .uint16,
    of: interface,
    presence: .known
  )
  /// At least one.
  public static let patterns = Property("Patterns", .monitorPatterns, of: interface)

  /// Bytes at an offset of one AD structure of an advertisement.
  public struct Pattern: Equatable, Sendable {
    public let start: UInt8
    /// The AD type.
    public let type: UInt8
    public let octets: [UInt8]

    public init(start: UInt8, type: UInt8, octets: [UInt8]) {
      (self.start, self.type, self.octets) = (start, type, octets)
    }
  }
}

extension Codec<[AdvertisementMonitor1.Pattern]> {
  /// `a(yyay)`
  public static var monitorPatterns: Codec {
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
            try .structure(
              of: [.byte(pattern.start), .byte(pattern.type), .bytes(pattern.octets)]
            )
          }
        )
      } catch {
        preconditionFailure("patterns have one type: \(error)")
      }
    }
  }
}
