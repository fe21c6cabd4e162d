// A scan as a step of a chain: how long, and for which devices.

public import Bluetooth

/// A scan: for how long, and which devices it is for.
public struct Scanning: Hashable, Sendable {
  /// How long to listen. No device is no failure.
  public var duration: Duration
  public var filter: ScanFilter

  public init(for duration: Duration, filter: ScanFilter = ScanFilter()) {
    self.duration = duration
    self.filter = filter
  }
}
