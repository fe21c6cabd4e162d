// Who made a connection, and so who ends it.

/// The origin of the connection in ``DeviceService/connect(keep:expecting:)``.
public enum LinkOrigin: Hashable, Sendable {
  /// The call made it.
  case made
  /// It existed, or somebody else was making it: not the caller's to end.
  case found
}
