// Who discovers, and with which filters.
//
// Pure: a table of clients. Whoever holds it starts and stops the scan.

import BlueZInterfaces
import Bluetooth

/// The discovery sessions of an adapter, one a client.
struct DiscoverySessions: Sendable {
  private var filters: [String: DiscoveryFilter] = [:]
  private var clients: Set<String> = []

  /// Whether anybody discovers.
  var isDiscovering: Bool { !clients.isEmpty }

  /// Whether a filter of somebody who discovers is in force: then every change is told.
  var hasFilter: Bool { clients.contains { filters[$0] != nil } }

  /// Whether somebody who discovers wants every advertisement told in full.
  var wantsDuplicates: Bool { clients.contains { filters[$0]?.wantsDuplicates == true } }

  /// The weakest strength in dBm that the controller's filter lets through; nil: any.
  ///
  /// The kernel filters by strength only where everybody who discovers wants it to. It cannot by
  /// path loss, and bluetoothd lets all of that pass.
  ///
  /// - Source: BlueZ 5.66, `src/adapter.c` (merge_discovery_filters, is_filter_match).
  var weakest: Int? {
    let bounds = clients.map { filters[$0]?.rssi }
    return bounds.contains(nil) ? nil : bounds.compactMap(\.self).min()
  }

  /// Whether somebody who discovers wants the adapter to be discoverable meanwhile.
  var wantsDiscoverable: Bool { clients.contains { filters[$0]?.wantsDiscoverable == true } }

  /// Sets the filter of a client, for now and for later; nil removes it.
  mutating func filter(_ client: String, _ filter: DiscoveryFilter?) { filters[client] = filter }

  /// One for BR/EDR alone, which the adapter has not, is refused as under way.
  ///
  /// - Returns: The refusal; nil when the session has begun.
  mutating func start(_ client: String) -> ErrorAnswer? {
    if clients.isEmpty, filters[client]?.isClassic == true { return .operationInProgress }
    return clients.insert(client).inserted ? nil : .operationInProgress
  }

  /// - Returns: The refusal; nil when the session has ended.
  mutating func stop(_ client: String) -> ErrorAnswer? {
    clients.remove(client) == nil ? .noDiscoveryStarted : nil
  }

  /// The client has left the bus.
  mutating func forget(_ client: String) {
    clients.remove(client)
    filters[client] = nil
  }

  /// The adapter was switched off.
  mutating func end() {
    clients = []
    filters = [:]
  }

  /// Whether any client wants a device. The filters of all are merged by "or".
  ///
  /// Without any filter a device has to be discoverable.
  func accept(
    services: [BluetoothUUID],
    name: String?,
    address: BluetoothAddress,
    isDiscoverable: Bool
  ) -> Bool {
    clients.contains { client in
      guard let filter = filters[client] else { return isDiscoverable || hasFilter }
      return filter.accepts(services: services, name: name, address: address)
    }
  }
}
