// What happens to the connections of an adapter, for those who count.

/// One attempt to connect, or the end of one connection.
package struct LinkNews: Hashable, Sendable {
  /// Why a connection ended.
  package enum End: Hashable, Sendable {
    /// The run disconnected.
    case requested
    /// It dropped; by whom, where bluetoothd reports it (since 5.83).
    case dropped(LinkEnd)
    /// bluetoothd removed the device while it was connected.
    case deviceRemoved
    /// bluetoothd or the bus disappeared.
    case daemonLost
  }

  /// What happened.
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
  /// What happened.
  package let change: Change

  package init(adapter: String?, _ change: Change) {
    self.adapter = adapter
    self.change = change
  }
}
