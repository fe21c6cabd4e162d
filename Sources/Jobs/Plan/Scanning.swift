// A scan as a step of a chain: how long, and for which devices.

public import Bluetooth

/// A scan: its duration, and the devices that it looks for.
public struct Scanning: Hashable, Sendable {
  /// How long to scan. A scan that finds no device succeeds.
  public var duration: Duration
  /// Which devices are reported.
  public var filter: ScanFilter

  /// A scan of this duration.
  ///
  /// ```swift
  /// let scan = Scanning(for: .seconds(5), filter: ScanFilter(name: "Soil-*", rssi: -80))
  /// let step = Step(.scan(scan))
  /// ```
  public init(for duration: Duration, filter: ScanFilter = ScanFilter()) {
    self.duration = duration
    self.filter = filter
  }
}
