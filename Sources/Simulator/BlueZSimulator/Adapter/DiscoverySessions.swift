// The discovery sessions of clients, with their filters.
//
// Pure: a table of clients. The caller starts and stops the scan.

import BlueZInterfaces
import Bluetooth

/// The discovery sessions of an adapter, one per client.
struct DiscoverySessions: Sendable {
  private var filters: [String: DiscoveryFilter] = [:]
  private var clients: Set<String> = []

  var isDiscovering: Bool { !clients.isEmpty }

  /// A discovering client has a filter: every change is then announced.
  func hasFilter(by version: BlueZVersion) -> Bool {
    clients.contains { client in
      filters[client].map { $0.hasCriteria || !version.has(.plainFilters) } ?? false
    }
  }

  /// The pattern of a discovering client excludes devices.
  var hasPattern: Bool { clients.contains { filters[$0]?.pattern?.isEmpty == false } }

  /// A discovering client requests full announcements of every advertisement.
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

  /// A discovering client requires the adapter to be discoverable.
  var wantsDiscoverable: Bool { clients.contains { filters[$0]?.wantsDiscoverable == true } }

  /// Sets the filter of a client, for current and later sessions; nil removes it.
  mutating func filter(_ client: String, _ filter: DiscoveryFilter?) { filters[client] = filter }

  /// Starts a session. A session for BR/EDR only is refused as in progress, since the adapter has
  /// no BR/EDR.
  ///
  /// - Returns: The error; nil when the session has started.
  mutating func start(_ client: String) -> ErrorAnswer? {
    if clients.isEmpty, filters[client]?.isClassic == true { return .operationInProgress }
    return clients.insert(client).inserted ? nil : .operationInProgress
  }

  /// - Returns: The error; nil if the session has ended.
  mutating func stop(_ client: String) -> ErrorAnswer? {
    clients.remove(client) == nil ? .noDiscoveryStarted : nil
  }

  /// Removes a client that left the bus.
  mutating func forget(_ client: String) {
    clients.remove(client)
    filters[client] = nil
  }

  /// Ends all sessions when the adapter is powered off.
  mutating func end() {
    clients = []
    filters = [:]
  }

  /// True if a discovering client has bluetoothd connect to the device.
  func connects(name: String?, address: BluetoothAddress) -> Bool {
    clients.contains { filters[$0]?.connects(name: name, address: address) == true }
  }

  /// True if the filter of any discovering client accepts the device.
  func accept(services: [BluetoothUUID], name: String?, address: BluetoothAddress) -> Bool {
    clients.contains { client in
      guard let filter = filters[client] else { return true }
      return filter.accepts(services: services, name: name, address: address)
    }
  }
}
