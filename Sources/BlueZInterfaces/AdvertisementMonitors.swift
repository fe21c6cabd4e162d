// org.bluez.AdvertisementMonitorManager1 and AdvertisementMonitor1: listening without a scan.

/// Names of `org.bluez.AdvertisementMonitorManager1`, on an adapter.
///
/// bluetoothd has it where it runs with its experimental interfaces and the kernel knows monitors
/// (Linux 5.10).
///
/// - Source: BlueZ 5.66, `doc/advertisement-monitor-api.txt`, `src/adv_monitor.c`.
public enum AdvertisementMonitorManager1 {
  /// The interface.
  public static let interface = "org.bluez.AdvertisementMonitorManager1"

  /// Methods.
  public enum Method {
    /// `(o application)`: the root below which the client exports its monitors.
    public static let registerMonitor = "RegisterMonitor"
    /// `(o application)`
    public static let unregisterMonitor = "UnregisterMonitor"
  }

  /// Properties.
  public enum Property {
    /// `as`, read: of ``AdvertisementMonitor1/orPatterns``.
    public static let supportedMonitorTypes = "SupportedMonitorTypes"
    /// `as`, read.
    public static let supportedFeatures = "SupportedFeatures"
  }
}

/// Names of `org.bluez.AdvertisementMonitor1`, which a client exports.
///
/// - Source: BlueZ 5.66, `doc/advertisement-monitor-api.txt`, `src/adv_monitor.c`.
public enum AdvertisementMonitor1 {
  /// The interface.
  public static let interface = "org.bluez.AdvertisementMonitor1"
  /// The one type of monitor that there is: any of the patterns.
  public static let orPatterns = "or_patterns"

  /// Methods, called by bluetoothd without waiting for an answer.
  public enum Method {
    /// `()`: the monitor could not be activated, or is not any more.
    public static let release = "Release"
    /// `()`: it is active.
    public static let activate = "Activate"
    /// `(o)`
    public static let deviceFound = "DeviceFound"
    /// `(o)`
    public static let deviceLost = "DeviceLost"
  }

  /// Properties.
  public enum Property {
    /// `s`: ``AdvertisementMonitor1/orPatterns``.
    public static let type = "Type"
    /// `n`, dBm, optional.
    public static let rssiLowThreshold = "RSSILowThreshold"
    /// `n`, dBm, optional.
    public static let rssiHighThreshold = "RSSIHighThreshold"
    /// `q`, seconds from 1 to 300, optional: how long a device is weak or silent before it is lost.
    public static let rssiLowTimeout = "RSSILowTimeout"
    /// `q`, seconds from 1 to 300, optional: how long a device is strong before it is found.
    public static let rssiHighTimeout = "RSSIHighTimeout"
    /// `q`: 0 reports every advertisement, 255 the first alone; optional.
    public static let rssiSamplingPeriod = "RSSISamplingPeriod"
    /// `a(yyay)`: start position, AD type, octets; at least one.
    public static let patterns = "Patterns"
  }
}
