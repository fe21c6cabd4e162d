// What ended a connection.

/// Who or what ended a connection.
public enum LinkEnd: Hashable, Sendable {
  /// The device stopped responding.
  case supervisionTimeout
  /// This host ended it.
  case thisHost
  /// The device ended it.
  case device
  /// Authentication failed.
  case authentication
  /// This host was suspended.
  case suspend
  /// Something that bluetoothd does not know.
  case unknown

  /// As a clause: "the device ended it".
  public var meaning: String {
    switch self {
    case .supervisionTimeout: "the device stopped responding"
    case .thisHost: "this host ended it"
    case .device: "the device ended it"
    case .authentication: "authentication failed"
    case .suspend: "this host was suspended"
    case .unknown: "unknown reason"
    }
  }
}
