// Scanning: what discovery finds, as it finds it.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  func startScan(_ filter: ScanFilter) -> Signal<Signal<Advertisement>> {
    Signal.operation(of: scheduler, "scanning") { [self] sink in
      var thrownBySink: (any Error)?
      do {
        try await discovering(filter) { mailbox in
          do {
            try await sink(sightings(in: mailbox))
          } catch {
            thrownBySink = error
            throw error
          }
        }
      } catch {
        throw await scanFailure(error, isOfConsumer: thrownBySink != nil)
      }
    }
  }

  /// Runs `body` during discovery, with the devices that are found.
  private func discovering(
    _ filter: ScanFilter, _ body: (Mailbox<Advertisement>) async throws -> Void
  ) async throws {
    try await client.synchronize()
    let adapter = try await readyAdapter()
    let mailbox = Mailbox<Advertisement>(bound: client.limits.advertisements)
    let forget = client.observe { [loop] event in
      Self.receive(event, at: loop.now, adapter, filter, mailbox)
    }
    defer { forget() }
    let present = client.withTree { tree in
      tree.devices(of: adapter.path).compactMap { tree.sighting(at: $0, filter) }
    }
    for advertisement in present { mailbox.send(advertisement) }
    try await listening(filter, on: adapter) { try await body(mailbox) }
  }

  /// The devices of a scan, each again when it has changed.
  private func sightings(in mailbox: Mailbox<Advertisement>) -> Signal<Advertisement> {
    Signal { [self] sink in
      var passedOn = Sightings()
      while let next = try await nextSighting(in: mailbox) {
        let isNews = passedOn.add(next) { address in
          client.withTree { $0.indexed(.address(address))?.isEmpty == false }
        }
        guard isNews else { continue }
        try await sink(next.opened(with: bindKeys))
      }
    }
  }

  private func nextSighting(in mailbox: Mailbox<Advertisement>) async throws -> Advertisement? {
    do {
      return try await mailbox.next(on: loop, operation: "waiting for a device")
    } catch {
      throw await scanFailure(error, isOfConsumer: false)
    }
  }

  private func scanFailure(_ error: any Error, isOfConsumer: Bool) async -> any Error {
    isOfConsumer || error is TimedOut ? error : await explained(error, .discovery, "scanning")
  }

  /// Makes the adapter scan while `body` runs: actively, or passively with a monitor.
  private func listening(
    _ filter: ScanFilter, on adapter: AdapterFacts, _ body: () async throws -> Void
  ) async throws {
    guard filter.isPassive else {
      let discovery = client.discovery(on: adapter.path)
      return try await discovery.during(client, DiscoveryFilter(filter), body)
    }
    try await PassiveScan(filter, on: adapter, client).during(body)
  }

  private static func receive(
    _ event: BlueZClient.ObservedEvent, at now: Instant, _ adapter: AdapterFacts,
    _ filter: ScanFilter, _ mailbox: Mailbox<Advertisement>
  ) {
    switch event {
    case .gone(let why):
      mailbox.finish(.failure(why))
    case .changes(let changes, let tree):
      // The scan may still wait for the reply to StartDiscovery, and look into its mailbox later.
      if let obstacle = tree.obstacle(toDiscoveryOn: adapter) {
        mailbox.finish(.failure(obstacle.happened(at: now)))
      }
      for change in changes where change.isSighting && change.path.parent == adapter.path {
        if let seen = tree.sighting(at: change.path, filter) { mailbox.send(seen) }
      }
    }
  }
}

extension TreeChange {
  /// Whether a device was found, or a property that advertisements report has changed.
  var isSighting: Bool {
    switch self {
    case .added(_, Device1.interface): true
    case .added, .removed: false
    case .changed: Self.advertised.contains { concerns($0) }
    }
  }
}

extension TreeChange {
  /// The properties that advertisements report.
  fileprivate static let advertised: [any AnyProperty] = [
    Device1.rssi, Device1.txPower, Device1.name, Device1.alias, Device1.uuids,
    Device1.manufacturerData, Device1.serviceData, Device1.connected,
  ]
}

extension ObjectTree {
  /// A device that is in range or connected, and matches.
  func sighting(at device: ObjectPath, _ filter: ScanFilter) -> Advertisement? {
    guard let seen = advertisement(of: device), seen.rssi != nil || seen.isConnected,
      filter.matches(seen)
    else { return nil }
    return seen
  }
}
