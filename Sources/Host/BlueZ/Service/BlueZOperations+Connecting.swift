// Connecting: find the device, stop our own discovery, connect, and check the services.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  func connect(keep: Bool, expecting: [ServiceSelector]) async throws -> LinkOrigin {
    var attempts = ConnectAttempts(most: options.attempts, takesOver: options.takesOver)
    do {
      try requireNoOpenStream()
      guard let turn = Turn.current else { throw Cause.connectOutsideTurn }
      state.withLock { ($0.candidates, $0.blockingUse) = ([], nil) }
      try await forgetIfFresh()
      return try await connect(in: turn, keep: keep, expecting: expecting, &attempts)
    } catch {
      let failure = await explained(error, .connect, "connecting")
      let isUnread = error as? Cause == .lostWhileResolving
      let suspected = addingScanHint(to: isUnread ? addingBondHint(to: failure) : failure)
      throw Self.adding(attempts: attempts.made, to: suspected)
    }
  }

  /// The failure with the number of attempts.
  private static func adding(attempts: Int, to error: any Error) -> any Error {
    guard let failure = error as? DeviceFailure, attempts > 1 else { return error }
    return failure.with(meaning: "\(failure.meaning), after \(attempts) attempts")
  }

  /// A failed connect with a possible cause: a scan that is not ours to pause.
  private func addingScanHint(to error: any Error) -> any Error {
    guard let failure = error as? DeviceFailure,
      failure.code == .connectFailed || failure.code == .timedOut,
      let adapter = state.withLock({ $0.device })?.parent,
      let name = client.withTree({ tree in
        tree.adapter(at: adapter).flatMap { $0.isDiscovering ? $0.name : nil }
      }), !client.discovery(on: adapter).isRunning
    else { return error }
    return failure.adding(
      hint: "another program scans over \(name), which makes connecting fail: end its scan "
        + "(Bluetooth settings of the desktop, bluetoothctl scan off)"
    )
  }

  /// A connection to a paired device that drops before its services are read, as it does when the
  /// device has lost its bond with this host.
  private func addingBondHint(to error: any Error) -> any Error {
    guard let failure = error as? DeviceFailure, failure.code == .connectFailed,
      let device = state.withLock({ $0.device }), client.withTree({ $0.isPaired(device) })
    else { return error }
    return failure.adding(hint: Cause.bondLostHint)
  }

  func connect(
    to device: ObjectPath, in turn: Turn, keep: Bool, expecting: [ServiceSelector]
  ) async throws -> LinkOrigin {
    bind(device)
    guard let adapter = device.parent else { throw Cause.objectGone }
    try await chooseBearer(of: device)
    let link = link(to: device)
    let wasPaired = client.withTree { $0.isPaired(device) }
    return try await client.discovery(on: adapter).whileConnecting(client) {
      let giveBack = try await radioTurn(for: device, on: adapter)
      defer { giveBack() }
      let origin = try await link.connect(
        in: turn, named: deviceDescription, keep: keep, release: releasing(link, from: turn),
        check: { try await verifyServices(of: device, expecting) }
      )
      if origin == .made {
        let isBondNew = !wasPaired && client.withTree { $0.isPaired(device) }
        state.withLock { $0.bonded = isBondNew ? device : nil }
      }
      return origin
    }
  }

  /// The release that the turn runs at its end: it ends the connection.
  func releasing(_ link: DeviceLink, from turn: Turn) -> @Sendable () async throws -> Void {
    { [self] in
      do {
        try await link.release(from: turn)
      } catch {
        throw failure(error, .disconnect, "disconnecting")
      }
    }
  }

  /// The turn at the adapter across processes; not needed for a connection that is up.
  private func radioTurn(
    for device: ObjectPath, on adapter: ObjectPath
  ) async throws -> @Sendable () -> Void {
    let (address, isUp) = client.withTree {
      ($0.adapter(at: adapter)?.address, $0.isConnected(device))
    }
    guard let ledger = client.ledger, let address, !isUp else { return {} }
    return try await ledger.turn(at: address, on: loop, limit: client.limits.turn)
  }

  // MARK: Finding

  /// The device's object, after a scan unless bluetoothd knows where the device is.
  func findDevice() async throws -> ObjectPath {
    let adapter = try await readyAdapter()
    if let known = reachableDevice(on: adapter.path) { return known }
    notify(.finding)
    // A discovery that pauses forgets what it has received; the failure is about the whole search.
    let heard = Guarded<[ObjectPath: Advertisement]>([:])
    for seen in client.withTree({ $0.received(on: adapter.path) }) {
      heard.withLock { $0[BlueZPath.device(seen.address, of: adapter.path)] = seen }
    }
    let forget = client.observe { event in
      guard case .changes(let changes, let tree) = event else { return }
      for change in changes where change.isSighting && change.path.parent == adapter.path {
        heard.withLock { heard in
          guard heard[change.path] == nil, tree.value(Device1.rssi, at: change.path) != nil else {
            return
          }
          heard[change.path] = tree.advertisement(of: change.path)
        }
      }
    }
    defer { forget() }
    return try await client.discovery(on: adapter.path).during(client) {
      guard let found = try await chosenDevice(on: adapter, heard) else {
        throw notFound(among: heard)
      }
      return found
    }
  }

  /// Waits until discovery has found the device: of several, the strongest of those that are
  /// received until the choice. One that is found later is used at once.
  ///
  /// - Returns: nil at the end of the limit.
  private func chosenDevice(
    on adapter: AdapterFacts, _ heard: Guarded<[ObjectPath: Advertisement]>
  ) async throws -> ObjectPath? {
    let discovery = client.discovery(on: adapter.path)
    let end = loop.now + client.limits.find
    while loop.now < end, try await seesDevice(on: adapter, limit: end - loop.now, heard) {
      let search = search(on: adapter.path)
      let choice = (discovery.begun ?? loop.now) + (options.choice ?? client.limits.choice)
      var wait = search.mayMatchSeveral ? choice - loop.now : .zero
      // A choice that lasts longer than the step ends in time to connect.
      if let deadline = Deadline.current { wait = min(wait, (deadline - loop.now) / 2) }
      if wait > .zero { try await loop.sleep(for: wait) }
      // The scan may have paused meanwhile, and nothing is received then.
      let found = client.withTree { search.received(in: $0) }
      guard let best = found.first else { continue }
      return search.mayMatchSeveral ? try choose(best, of: found) : best.path
    }
    return nil
  }

  /// Makes a device the chosen one, and reports the others.
  private func choose(_ best: DeviceMatch, of found: [DeviceMatch]) throws -> ObjectPath {
    let isOne = found.count == 1
    let candidates = isOne ? [] : found.map(\.candidate)
    if !isOne, options.isUnique { throw Cause.several(target, candidates) }
    state.withLock { state in
      state.chosen = best.path
      state.candidates = candidates
    }
    if !isOne { notify(.choosing(target, candidates)) }
    return best.path
  }

  /// The search for the device to connect to.
  private func search(on adapter: ObjectPath) -> DeviceSearch {
    let (failed, only) = state.withLock { ($0.failed, $0.only) }
    return DeviceSearch(
      target: target, adapter: adapter, failed: failed, isUnique: options.isUnique, only: only
    )
  }

  /// The device's object that can be connected to without a scan; nil when there is none.
  private func reachableDevice(on adapter: ObjectPath) -> ObjectPath? {
    let search = search(on: adapter)
    let (bound, chosen) = state.withLock { ($0.device, $0.chosen) }
    return client.withTree { tree in
      let isUsable = search.isUnique ? bound == chosen : true
      if let bound, isUsable, search.isStillThere(bound, in: tree) { return bound }
      return search.known(in: tree)
    }
  }

  /// Waits until discovery has found a device.
  ///
  /// - Returns: false at the end of the limit.
  private func seesDevice(
    on adapter: AdapterFacts, limit: Duration, _ heard: Guarded<[ObjectPath: Advertisement]>
  ) async throws -> Bool {
    let looked = Guarded<UInt64?>(nil)
    let search = search(on: adapter.path)
    do {
      try await client.until("finding \(target)", limit: limit) { tree in
        try tree.requireDiscovery(on: adapter)
        let before = looked.withLock { looked in
          defer { looked = tree.deviceChanges }
          return looked
        }
        return search.hasFound(in: tree, unseenAt: before) ? () : nil
      }
      return true
    } catch is TimedOut {
      if Task.isCancelled { throw notFound(among: heard) }
      return false
    }
  }

  private func notFound(among heard: Guarded<[ObjectPath: Advertisement]>) -> Cause {
    let all = heard.withLock { $0 }.sorted { $0.key < $1.key }
    // As it is received now, where it is.
    let received = client.withTree { tree in
      all.map { path, seen in
        tree.advertisement(of: path).flatMap { $0.rssi == nil ? nil : $0 } ?? seen
      }
    }
    return Cause.notFound(target, received: received)
  }

  // MARK: Services

  private func verifyServices(of device: ObjectPath, _ expected: [ServiceSelector]) async throws {
    let found = try await seenServices(of: device, expected.map(\.uuid))
    let missing = expected.filter { !found.contains($0.uuid) }
    guard let first = missing.first else { return }
    let advertised = client.withTree { $0.advertisement(of: device)?.services ?? [] }
    throw Cause.missing(
      missing, found: found.map { ServiceSelector($0, names: first.names) },
      hidden: missing.contains { advertised.contains($0.uuid) }
    )
  }

  /// The services whose objects are exported.
  ///
  /// bluetoothd exports them before it reports them as resolved. When there are none at all, or not
  /// all that are expected, it gets a moment; after that a device without exported services is
  /// accepted.
  private func seenServices(
    of device: ObjectPath, _ expected: [BluetoothUUID]
  ) async throws -> [BluetoothUUID] {
    do {
      return try await client.until("the services' objects", limit: client.limits.objects) {
        tree in
        guard tree.isConnected(device) else { throw Cause.lostWhileResolving }
        let services = tree.serviceUUIDs(of: device)
        let isComplete = !services.isEmpty && expected.allSatisfy { services.contains($0) }
        return isComplete ? services : nil
      }
    } catch is TimedOut where !Task.isCancelled {
      return client.withTree { $0.serviceUUIDs(of: device) }
    }
  }

  // MARK: Disconnecting

  func disconnect() async throws {
    try await explaining(.disconnect, "disconnecting") {
      try requireNoOpenStream()
      guard let device = try currentDevice() else { return }
      try await link(to: device).disconnect()
    }
  }

  func endUse() async throws {
    try await explaining(.disconnect, "disconnecting") {
      try requireNoOpenStream()
      guard let turn = Turn.current, let device = state.withLock({ $0.device }) else { return }
      try await link(to: device).endUse(by: turn)
    }
  }

  private func currentDevice() throws -> ObjectPath? {
    if let bound = state.withLock({ $0.device }) { return bound }
    return knownDevice(on: try usableAdapter().path)
  }
}

extension BlueZOperations {
  /// The context in which the sinks of this connection's subscriptions run.
  var openStream: OpenStream? {
    state.withLock { $0.device }.map { OpenStream(of: client, "\($0)") }
  }

  /// Checks that this does not run for each value of a subscription of this connection: the first
  /// one would end the connection, and the values that are still to come.
  func requireNoOpenStream() throws {
    guard !OpenStream.current.isEmpty, let openStream, OpenStream.current.contains(openStream)
    else { return }
    throw Cause.insideSubscription
  }
}

extension ObjectTree {
  /// The devices of an adapter that discovery has received.
  func received(on adapter: ObjectPath) -> [Advertisement] {
    devices(of: adapter).compactMap { advertisement(of: $0) }.filter { $0.rssi != nil }
  }

  /// Checks that an adapter can continue to discover.
  func requireDiscovery(on adapter: AdapterFacts) throws {
    if let obstacle = obstacle(toDiscoveryOn: adapter) { throw obstacle }
  }

  /// Why an adapter cannot continue to discover; nil when it can.
  func obstacle(toDiscoveryOn adapter: AdapterFacts) -> Cause? {
    // Called for every change: the full view is made only of an adapter that cannot.
    if isPowered(adapter.path) { return nil }
    guard let now = self.adapter(at: adapter.path) else { return .adapterRemoved(adapter.title) }
    return now.isBlocked ? .adapterBlocked : .adapterOff
  }
}

extension Cause {
  static let connectOutsideTurn = permanent(
    .connectOutsideTurn, "a connection belongs to a turn, which ends it; there is no turn here",
    hint: "start the chain with firstOrDefault or first, or connect inside schedule or turn; "
      + "observe does not start a turn"
  )

  /// Several devices, where there is to be one.
  static func several(_ target: DeviceTarget, _ found: [DeviceCandidate]) -> Cause {
    permanent(
      .ambiguous, "\(found.count) devices match \(target): \(DeviceCandidate.list(found))",
      hint: "use the address of one of these"
    )
  }

  static let insideSubscription = permanent(
    .insideSubscription,
    "this would run for each value of a subscription of the same connection, and the first would "
      + "end the subscription",
    hint: "put collect() or then { } after the wanted values, as in "
      + "notifications(x).take(3).collect().flattenMap { … }; a session disconnects by itself"
  )

  /// Required services that were not found.
  static func missing(
    _ missing: [ServiceSelector], found: [ServiceSelector], hidden: Bool
  ) -> Cause {
    func list(_ services: [ServiceSelector]) -> String {
      services.map(\.description).joined(separator: ", ")
    }
    if found.isEmpty { return .noServices(.serviceMissing, list(missing)) }
    return permanent(
      .serviceMissing, "the device does not offer \(list(missing)); it offers \(list(found))",
      hint: hidden
        ? "bluetoothd claims a service that the device has: see ExportClaimedServices "
          + "in /etc/bluetooth/main.conf (since BlueZ 5.80)"
        : "check that it is the right device; if its firmware has changed, "
          + "\(.fresh) so that its services are read again"
    )
  }

  /// The connection is up, and bluetoothd does not report the services as resolved.
  ///
  /// - Parameter within: ` within 20 s`.
  static func servicesUnread(_ within: String) -> Cause {
    transient(
      .timedOut, "the device is connected, but bluetoothd has not read its services\(within)",
      hint: "\(.fresh) to read them again, or \(.moreTime); if it persists, restart the device"
    )
  }

  /// bluetoothd reports the services as resolved, and has none: it could not read them.
  ///
  /// - Source: BlueZ 5.66, `src/device.c` (device_svc_resolved): set
  ///   whatever the result of the discovery.
  static func noServices(_ code: DeviceFailure.Code, _ wanted: String) -> Cause {
    transient(
      code, "bluetoothd has read no services of the device, and so no \(wanted)",
      hint: "connect again; if it persists, \(.fresh) to read them again"
    )
  }
}
