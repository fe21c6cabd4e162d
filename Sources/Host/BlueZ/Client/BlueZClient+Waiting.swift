// Reads the mirror of bluetoothd's objects, and waits for it to change.

import BlueZInterfaces
package import Bluetooth
import DBus
import Signals

extension BlueZClient {
  /// Reads the objects in their current state.
  func withTree<R>(_ body: (ObjectTree) throws -> R) rethrows -> R {
    let tree = state.withLock { $0.tree }
    return try body(tree)
  }

  /// Waits until a condition holds.
  ///
  /// - Parameters:
  ///   - operation: What the wait is for, in the error.
  ///   - limit: A deadline in addition to the enclosing ones.
  ///   - condition: Returns the result once the condition holds; throws when it never can.
  /// - Throws: What `condition` throws; ``Cause`` when bluetoothd or the bus disappears; the
  ///   errors of a wait.
  func until<R: Sendable>(
    _ operation: String, limit: Duration,
    _ condition: @escaping @Sendable (ObjectTree) throws -> R?
  ) async throws -> R {
    try await state.until(operation, on: loop, limit: limit) { state in
      guard state.isSynchronized else { throw state.gone ?? .daemonLeft }
      return try condition(state.tree)
    }
  }

  /// Calls `handler` on the loop with every change, until the returned function is called.
  func observe(_ handler: @escaping @Sendable (ObservedEvent) -> Void) -> @Sendable () -> Void {
    let id = newID()
    state.withLock { $0.observers.append((id, handler)) }
    return { [state] in state.withLock { $0.observers.removeAll { $0.id == id } } }
  }

  /// Calls `handler` on the loop whenever ``bondedDevices(of:)`` may have changed, as long as the
  /// client lives.
  package func observeBonds(_ handler: @escaping @Sendable () -> Void) {
    _ = observe { event in
      guard case .changes(let changes, _) = event else { return }
      let concerns = changes.contains { change in
        switch change {
        case .added(_, let interface), .removed(_, let interface):
          interface == Device1.interface
        case .changed: change.concerns(Device1.bonded) || change.concerns(Device1.paired)
        }
      }
      if concerns { handler() }
    }
  }

  /// Calls `handler` on the loop with each device of an adapter whose RSSI is reported, also where
  /// nothing has changed, as long as the client lives. Something else has to scan.
  package func observeSightings(
    of adapter: AdapterSelector, _ handler: @escaping @Sendable (Advertisement) -> Void
  ) {
    _ = observe { event in
      guard case .changes(let changes, let tree) = event,
        let adapter = try? tree.usableAdapter(adapter)
      else { return }
      for change in changes where change.path.parent == adapter.path {
        let isReport =
          switch change {
          case .added(_, let interface): interface == Device1.interface
          case .changed: change.concerns(Device1.rssi)
          case .removed: false
          }
        guard isReport, let seen = tree.advertisement(of: change.path), seen.rssi != nil else {
          continue
        }
        handler(seen)
      }
    }
  }

  /// A number that is unique in this client.
  func newID() -> UInt64 {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  /// Passes on what happens to the connections that this program makes, from now on.
  package func observeLinks(_ receive: @escaping @Sendable (LinkNews) -> Void) {
    state.withLock { $0.onLinkNews = receive }
  }

  func report(_ news: LinkNews) { state.withLock { $0.onLinkNews }?(news) }

  /// The device as it is named in the ledger; nil if it is unknown.
  func heldLink(_ device: ObjectPath) -> HeldLink? { withTree { $0.heldLink(device) } }

  /// The link to a device; the same object for all callers.
  ///
  /// - Parameter former: The link that the caller has used. It is used again when it was dropped
  ///   here, because its device was gone.
  func link(to device: ObjectPath, _ former: DeviceLink? = nil) -> DeviceLink {
    state.withLock { state in
      if let link = state.links[device] { return link }
      state.dropLinks()
      if let former, former.path == device, !state.tree.isConnected(device) {
        former.paired(state.tree.isPaired(device))
        state.links[device] = former
        if !state.tree.has(Device1.interface, at: device) { state.goneLinks.insert(device) }
        return former
      }
      let link = DeviceLink(
        to: device, bus: bus, limits: limits, isUp: state.tree.isConnected(device),
        isResolved: state.tree.isResolved(device), isPaired: state.tree.isPaired(device),
        record: state.tree.heldLink(device), ledger: ledger,
        news: { [weak self] in self?.report(LinkNews(adapter: device.parent?.lastElement, $0)) }
      )
      state.links[device] = link
      if !state.tree.has(Device1.interface, at: device) { state.goneLinks.insert(device) }
      return link
    }
  }

  /// The discovery on an adapter; the same object for all callers.
  func discovery(on adapter: ObjectPath) -> Discovery {
    state.withLock { state in
      if let discovery = state.discoveries[adapter] { return discovery }
      let discovery = Discovery(on: adapter)
      state.discoveries[adapter] = discovery
      return discovery
    }
  }
}

extension BlueZClient.State {
  /// Drops the links of devices that are gone and that nothing uses.
  ///
  /// A device whose address changes has a new object for each connection.
  mutating func dropLinks() {
    for path in goneLinks {
      if tree.has(Device1.interface, at: path) {
        goneLinks.remove(path)
      } else if links[path]?.isUnused ?? true {
        goneLinks.remove(path)
        links[path] = nil
      }
    }
  }
}

extension ObjectTree {
  fileprivate func heldLink(_ device: ObjectPath) -> HeldLink? {
    advertisement(of: device).map { seen in
      HeldLink(
        adapter: device.parent.flatMap { adapter(at: $0)?.address }, device: seen.address,
        path: device
      )
    }
  }
}
