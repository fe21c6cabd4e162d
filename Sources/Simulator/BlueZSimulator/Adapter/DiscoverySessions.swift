// Which clients discover, and with which filters.
//
// Pure: a table of clients. The caller starts and stops the scan.

import BlueZInterfaces
import Bluetooth

/// The discovery sessions of an adapter, one per client.
struct DiscoverySessions: Sendable {
  private var filters: [String: DiscoveryFilter] = [:]
  private var clients: Set<String> = []

  /// Whether any client discovers.
  var isDiscovering: Bool { !clients.isEmpty }

  /// Whether a discovering client has a filter: then every change is announced.
  var hasFilter: Bool { clients.contains { filters[$0] != nil } }

  /// Whether a discovering client wants every advertisement announced in full.
  var wantsDuplicates: Bool { clients.contains { filters[$0]?.wantsDuplicates == true } }

  /// The minimum RSSI in dBm of the controller's filter; nil: any.
  ///
  /// The kernel filters by RSSI only if every discovering client requests it. It cannot filter by
  /// path loss, and bluetoothd accepts all of these.
  ///
  /// - Source: BlueZ 5.66, `src/adapter.c` (merge_discovery_filters, is_filter_match).
  var weakest: Int? {
    let bounds = clients.map { filters[$0]?.rssi }
    return bounds.contains(nil) ? nil : bounds.compactMap(\.self).min()
  }

  /// Whether a discovering client requires the adapter to be discoverable meanwhile.
  var wantsDiscoverable: Bool { clients.contains { filters[$0]?.wantsDiscoverable == true } }

  /// Sets the filter of a client, for current and later sessions; nil removes it.
  mutating func filter(_ client: String, _ filter: DiscoveryFilter?) { filters[client] = filter }

  /// A session for BR/EDR only, which the adapter does not have, is refused as in progress.
  ///
  /// - Returns: The error; nil when the session has started.
  mutating func start(_ client: String) -> ErrorAnswer? {
    if clients.isEmpty, filters[client]?.isClassic == true { return .operationInProgress }
    return clients.insert(client).inserted ? nil : .operationInProgress
  }

  /// - Returns: The error; nil when the session has ended.
  mutating func stop(_ client: String) -> ErrorAnswer? {
    clients.remove(client) == nil ? .noDiscoveryStarted : nil
  }

  /// The client has left the bus.
  mutating func forget(_ client: String) {
    clients.remove(client)
    filters[client] = nil
  }

  /// The adapter was powered off.
  mutating func end() {
    clients = []
    filters = [:]
  }

  /// Whether any client accepts a device. The filters of all are merged by "or".
  func accept(services: [BluetoothUUID], name: String?, address: BluetoothAddress) -> Bool {
    clients.contains { client in
      guard let filter = filters[client] else { return true }
      return filter.accepts(services: services, name: name, address: address)
    }
  }
}
