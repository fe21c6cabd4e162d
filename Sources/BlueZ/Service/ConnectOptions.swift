// How a service connects, beyond what each connect says.

/// What a chain may ask of connecting as a whole.
public struct ConnectOptions: Hashable, Sendable {
  /// How often one connect tries at most. Only failures that may pass are tried again, and only
  /// within the deadline.
  public var attempts = 5
  /// Has bluetoothd forget the device before the first connect, so that it is found and its
  /// services are read anew. A bond is lost with it.
  public var isFresh = false
  /// Ends the attempt of another program to connect to the device, instead of waiting for it.
  public var takesOver = false
  /// How long to wait for the adapter to be there and on; nil: only while it is being switched on.
  public var adapterWait: Duration?

  public init() {}
}
