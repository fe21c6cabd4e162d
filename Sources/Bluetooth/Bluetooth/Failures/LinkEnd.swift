// Ends of connections: their causes, and the events that metrics count.

/// The cause of the end of a connection.
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
  /// A cause that bluetoothd does not know.
  case unknown

  /// The cause as a clause: "the device ended it".
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

/// One attempt to connect, or the end of one connection.
package struct LinkNews: Hashable, Sendable {
  /// Why a connection ended.
  package enum End: Hashable, Sendable {
    /// The run disconnected.
    case requested
    /// It dropped; with the cause where bluetoothd reports it (since 5.83).
    case dropped(LinkEnd)
    /// bluetoothd removed the device while it was connected.
    case deviceRemoved
    /// bluetoothd or the bus disappeared.
    case daemonLost
  }

  /// A change of a connection.
  package enum Change: Hashable, Sendable {
    /// The connection is up and its services are resolved.
    case connected(after: Duration)
    /// An attempt to connect failed.
    case failed(DeviceFailure.Code)
    /// A connection that was reported as connected is down.
    case ended(End)
  }

  /// The name of the adapter: "hci0"; nil while none is chosen.
  package let adapter: String?
  /// The change.
  package let change: Change

  package init(adapter: String?, _ change: Change) {
    self.adapter = adapter
    self.change = change
  }
}
