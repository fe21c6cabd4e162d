// Who made a connection, and so who ends it.

/// The origin of the connection in ``DeviceOperations/connect(keep:expecting:)``.
public enum LinkOrigin: String, Hashable, Sendable {
  /// The call made it.
  case made
  /// Another turn of this program made it, or another run on this host: the last one that uses it
  /// ends it.
  case shared
  /// It existed, or somebody else was making it: not the caller's to end.
  case found
}
