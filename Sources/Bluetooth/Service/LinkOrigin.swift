// Where a link came from, and so whose it is to end.

/// How ``DeviceService/connect(keep:expecting:)`` came by its link.
public enum LinkOrigin: Hashable, Sendable {
  /// The call made it.
  case made
  /// It was up, or being made by somebody else: not the caller's to end.
  case found
}
