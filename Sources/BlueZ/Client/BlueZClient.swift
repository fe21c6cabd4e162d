// One program's view of bluetoothd over one bus connection.
//
// It keeps the mirror of the objects, tells changes to links, discoveries and waits, and notices
// when bluetoothd or the bus goes away. What is done with devices is in Service.

import BlueZInterfaces
public import DBus
public import Signals

/// bluetoothd as one bus connection sees it.
///
/// Make one for each connection; any number of services share it.
public final class BlueZClient: Sendable {
  struct State {
    var tree = ObjectTree()
    var isInStep = false
    var gone: Explanation?
    /// Counts how often bluetoothd was lost, so that a snapshot of a dead one is not taken.
    var losses = 0
    /// When a link fell, or a device or an adapter went, last.
    var lastTrouble: Instant?
    /// When each adapter was removed last; it may be back.
    var removals: [ObjectPath: Instant] = [:]
    var nextID: UInt64 = 0
    var waits: [(id: UInt64, look: @Sendable (WaitEvent) -> Void)] = []
    var observers: [(id: UInt64, hear: @Sendable (ObservedEvent) -> Void)] = []
    var links: [ObjectPath: DeviceLink] = [:]
    var discoveries: [ObjectPath: Discovery] = [:]
    var subscriptions: [Subscription] = []
  }

  /// What a wait looks at.
  enum WaitEvent: Sendable {
    case tree(ObjectTree)
    case gone(Explanation)
  }

  /// What an observer hears.
  enum ObservedEvent: Sendable {
    case changes([TreeChange], ObjectTree)
    case gone(Explanation)
  }

  /// The connection.
  public let bus: any MessageBus
  /// How long calls may take.
  public let limits: BlueZLimits
  /// What this host's programs agree on beside bluetoothd; nil where there is nobody to agree with.
  public let ledger: (any LinkLedger)?
  let state = Guarded(State())
  /// Answers what bluetoothd asks while something pairs.
  let agent: PairingAgent

  private static let listObjects = MethodCall.bluez(
    BlueZPath.objectManager,
    StandardInterface.getManagedObjects
  )

  private init(bus: any MessageBus, limits: BlueZLimits, ledger: (any LinkLedger)?) {
    self.bus = bus
    self.limits = limits
    agent = PairingAgent(bus: bus, limits: limits)
    self.ledger = ledger
  }

  deinit {
    for subscription in state.withLock({ $0.subscriptions }) { subscription.cancel() }
  }

  var loop: Loop { bus.loop }

  /// Watches bluetoothd and reads its objects.
  ///
  /// - Throws: `DeviceFailure` with the code `daemon-missing` when bluetoothd is not on the bus and
  ///   the bus cannot start it, `not-permitted` or `bus-lost`; what ends a wait.
  public static func open(
    bus: any MessageBus,
    limits: BlueZLimits = BlueZLimits(),
    ledger: (any LinkLedger)? = nil
  ) async throws -> BlueZClient {
    let client = BlueZClient(bus: bus, limits: limits, ledger: ledger)
    do {
      try await client.listen()
      try await client.keepInStep()
    } catch {
      throw FailureContext(operation: "asking bluetoothd for its objects").failure(
        error,
        ErrorSituation(.objects)
      )
    }
    return client
  }

  /// Connects to a bus, watches bluetoothd there and reads its objects.
  ///
  /// - Throws: `DeviceFailure`: `bus-unreachable`, and what ``open(bus:limits:)`` throws.
  public static func open(
    address: BusAddress = .system,
    on loop: EventLoop,
    limits: BlueZLimits = BlueZLimits(),
    ledger: (any LinkLedger)? = nil
  ) async throws -> BlueZClient {
    let bus: LibDBusConnection
    do {
      bus = try await LibDBusConnection.open(address: address, on: loop)
    } catch {
      throw FailureContext(operation: "connecting to the message bus").failure(
        error,
        ErrorSituation(.objects)
      )
    }
    return try await open(bus: bus, limits: limits, ledger: ledger)
  }

  private func listen() async throws {
    bus.onClose { [weak self] _ in self?.lost(.busLost, forEver: true) }
    let rules = [
      MatchRule(
        sender: OrgBlueZ.busName,
        path: BlueZPath.objectManager,
        interface: StandardInterface.objectManager
      ),
      // Not the characteristics': their values are asked for one by one, so that reads and the
      // notifications of other programs cost nothing here.
      Self.propertyRule(of: Adapter1.interface),
      Self.propertyRule(of: Device1.interface),
      Self.propertyRule(of: BearerLE1.interface),
      MatchRule(
        sender: OrgBlueZ.busName,
        pathNamespace: BlueZPath.manager,
        interface: Device1.interface,
        member: Device1.disconnected
      ),
    ]
    for rule in rules {
      let subscription = try await bus.subscribe(rule) { [weak self] in self?.hear($0) }
      state.withLock { $0.subscriptions.append(subscription) }
    }
    let owner = try await bus.watchOwner(of: OrgBlueZ.busName) { [weak self] owner in
      self?.ledger?.served(by: owner)
      if owner == nil { self?.lost(.daemonLeft, forEver: false) }
    }
    state.withLock { $0.subscriptions.append(owner) }
  }

  private static func propertyRule(of interface: String) -> MatchRule {
    MatchRule(
      sender: OrgBlueZ.busName,
      pathNamespace: BlueZPath.manager,
      interface: StandardInterface.properties,
      member: StandardInterface.propertiesChanged.name,
      arg0: interface
    )
  }

  /// Sees to it that the mirror shows what bluetoothd has said until now.
  ///
  /// While nobody drove the loop nothing was heard: one round trip to the bus brings it in. After
  /// bluetoothd was lost the objects are read anew, which starts it where the bus knows how to.
  func keepInStep() async throws {
    if state.withLock({ $0.isInStep }) { _ = try await bus.nameOwner(OrgBlueZ.busName) }
    let (isInStep, losses, gone) = state.withLock { ($0.isInStep, $0.losses, $0.gone) }
    if isInStep { return }
    if let gone { throw Problem(gone) }
    take(.snapshotAsked)
    do {
      let reply = try await bus.call(Self.listObjects, limit: limits.call, lateReply: nil)
      guard state.withLock({ $0.losses }) == losses else { throw Problem(.daemonLeft) }
      guard let snapshot = TreeEvent(managedObjects: reply) else {
        throw Problem(ErrorMapping.unknown(ErrorSituation(.objects)))
      }
      let changes = state.withLock { state in
        state.isInStep = true
        return state.tree.apply(snapshot)
      }
      if !changes.isEmpty { tell(changes) }
    } catch {
      take(.snapshotFailed)
      throw error
    }
  }

  // MARK: Events

  private func hear(_ message: Message) {
    if let event = TreeEvent(message) { return take(event) }
    guard let path = message.path, let reason = DisconnectReason(message) else { return }
    state.withLock { $0.links[path] }?.ended(because: reason)
  }

  private func take(_ event: TreeEvent) {
    let changes = state.withLock { $0.tree.apply(event) }
    if !changes.isEmpty { tell(changes) }
  }

  private func tell(_ changes: [TreeChange]) {
    for change in changes { tellOwner(of: change) }
    let (tree, waits, observers) = state.withLock { ($0.tree, $0.waits, $0.observers) }
    for observer in observers { observer.hear(.changes(changes, tree)) }
    for wait in waits { wait.look(.tree(tree)) }
  }

  /// Tells the link or the discovery that a change concerns.
  private func tellOwner(of change: TreeChange) {
    switch change {
    case .changed(let path, Device1.interface, _):
      guard let link = state.withLock({ $0.links[path] }) else { return }
      let (isUp, isResolved) = state.withLock {
        ($0.tree.isConnected(path), $0.tree.isResolved(path))
      }
      if change.concerns(Device1.paired) {
        link.paired(state.withLock { $0.tree.isPaired(path) })
      }
      if change.concerns(Device1.connected) {
        if !isUp, !link.isEnding { trouble() }
        link.take(.connected(isUp))
      }
      if change.concerns(Device1.servicesResolved) { link.take(.resolved(isResolved)) }
    case .changed(let path, BearerLE1.interface, _):
      guard change.concerns(BearerLE1.connected) else { return }
      let isUp = state.withLock { $0.tree.isConnected(path) }
      state.withLock { $0.links[path] }?.take(.connected(isUp))
    case .added(let path, Device1.interface):
      guard let link = state.withLock({ $0.links[path] }) else { return }
      let (isUp, isResolved) = state.withLock {
        ($0.tree.isConnected(path), $0.tree.isResolved(path))
      }
      link.paired(state.withLock { $0.tree.isPaired(path) })
      if isUp { link.take(.connected(true)) }
      if isResolved { link.take(.resolved(true)) }
    case .removed(let path, Device1.interface):
      trouble()
      state.withLock { $0.links[path] }?.take(.removed)
    case .removed(let path, GattCharacteristic1.interface):
      guard let device = BlueZPath.devicePath(containing: path) else { return }
      state.withLock { $0.links[device] }?.characteristicRemoved(path)
    case .changed(let path, Adapter1.interface, _):
      guard change.concerns(Adapter1.powered) else { return }
      let isPowered = state.withLock { $0.tree.adapter(at: path)?.isPowered } ?? false
      guard !isPowered else { return }
      trouble()
      state.withLock { $0.discoveries[path] }?.sessionLost()
    case .removed(let path, Adapter1.interface):
      trouble()
      state.withLock { $0.removals[path] = bus.loop.now }
      state.withLock { $0.discoveries[path] }?.sessionLost()
    case .added, .removed, .changed:
      break
    }
  }

  /// bluetoothd, or the bus, is gone: everything that waits fails now.
  private func lost(_ why: Explanation, forEver: Bool) {
    let (links, discoveries, waits, observers) = state.withLock { state in
      state.losses += 1
      state.isInStep = false
      if forEver { state.gone = why }
      _ = state.tree.apply(.cleared)
      defer { state.waits = [] }
      return (
        state.links.sorted { $0.key < $1.key }.map(\.value),
        state.discoveries.sorted { $0.key < $1.key }.map(\.value),
        state.waits, state.observers
      )
    }
    agent.forgotten()
    for link in links { link.lostDaemon(why) }
    for discovery in discoveries { discovery.sessionLost() }
    for observer in observers { observer.hear(.gone(why)) }
    for wait in waits { wait.look(.gone(why)) }
  }
}
