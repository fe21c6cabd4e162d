// Options of a service that apply to every connect.

/// The behavior of a connect if another run on this host uses the device.
public enum OtherRuns: Hashable, Sendable {
  /// It uses the device and the connection at the same time.
  case share
  /// It fails with `busy`; `awaitOtherRuns` waits for them.
  case await
  /// It fails with `busy`.
  case fail
}

/// Options for connecting.
public struct ConnectOptions: Hashable, Sendable {
  /// The maximum number of attempts of one connect. Only transient failures are repeated, and only
  /// within the deadline.
  public var attempts = 5
  /// Removes the device from bluetoothd before the first connect, so that it is discovered and its
  /// services are read again. This also removes a bond.
  public var isFresh = false
  /// Ends the attempt of another program to connect to the device, instead of waiting for it.
  public var takesOver = false
  /// Fails when several devices match, instead of using the strongest one.
  public var isUnique = false
  /// From the start of a scan until the strongest of several devices that match is chosen; zero for the
  /// first one that is found. nil: ``BlueZLimits/choice``. There is no wait for an address, for any
  /// device, and for a device that bluetoothd knows as the only one that matches.
  public var choice: Duration?
  /// The behavior if another run on this host uses the device.
  public var otherRuns = OtherRuns.share
  /// The number of the run in the journal, by which it is named to runs that wait for it; nil where the
  /// process has one run at a time, or no journal.
  package var run: Int64?
  /// How long to wait for the adapter to be present and on; nil: only while it is powering on.
  public var adapterWait: Duration?

  /// The usual options: no wait for an adapter, and other programs come first.
  ///
  /// ```swift
  /// var options = ConnectOptions()
  /// options.adapterWait = .seconds(60)  // for an adapter that is plugged in late
  /// let lamp = BlueZDevice(
  ///   client: client, target: .name("Lamp"), options: options,
  ///   scheduler: SerialScheduler(on: client.bus.loop))
  /// ```
  public init() {}
}
