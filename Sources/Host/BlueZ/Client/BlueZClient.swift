// One program's view of bluetoothd over one bus connection.
//
// It keeps the mirror of the objects, passes changes on to links, discoveries and waits, and
// detects when bluetoothd or the bus disappears. Operations on devices are in Service.

import BlueZInterfaces
import Bluetooth
public import DBus
public import Signals

/// bluetoothd as one bus connection sees it.
///
/// Make one for each connection; any number of services share it.
public final class BlueZClient: Sendable {
  struct State {
    var tree = ObjectTree()
    var isSynchronized = false
    var gone: Cause?
    /// Counts how often bluetoothd was lost, so that a snapshot from an earlier instance is
    /// dropped.
    var losses = 0
    /// When a connection last dropped, or a device or an adapter was last removed.
    var lastDisruption: Instant?
    /// When each adapter was last removed; it may be present again.
    var removals: [ObjectPath: Instant] = [:]
    var nextID: UInt64 = 0
    var observers: [(id: UInt64, handler: @Sendable (ObservedEvent) -> Void)] = []
    var links: [ObjectPath: DeviceLink] = [:]
    /// The devices that one run has for itself.
    var reserved: [HeldLink: DeviceUser] = [:]
    /// The devices with a link whose objects are gone: their links stay while something uses them.
    var goneLinks: Set<ObjectPath> = []
    var discoveries: [ObjectPath: Discovery] = [:]
    var subscriptions: [Subscription] = []
    var onLinkNews: (@Sendable (LinkNews) -> Void)?
  }

  /// An event for an observer.
  enum ObservedEvent: Sendable {
    case changes([TreeChange], ObjectTree)
    case gone(Cause)
  }

  /// The connection.
  public let bus: MessageBus
  /// The limits of the calls.
  public let limits: BlueZLimits
  /// Coordination with other programs on this host, which bluetoothd does not offer; nil without
  /// it.
  public let ledger: (any LinkLedger)?
  let state = Awaited(State())
  /// Answers bluetoothd's requests during pairing.
  let agent: PairingAgent

  private static let listObjects = MethodCall.bluez(
    BlueZPath.objectManager, StandardInterface.getManagedObjects
  )

  private init(bus: MessageBus, limits: BlueZLimits, ledger: (any LinkLedger)?) {
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
  /// For a program that chooses the connection, and for tests on a bus in memory.
  ///
  /// ```swift
  /// let loop = EventLoop()
  /// let bus = try await MessageBus.open(address: .system, on: loop)
  /// let client = try await BlueZClient.open(bus: bus)
  /// ```
  ///
  /// - Throws: `DeviceFailure` with the code `daemon-missing` when bluetoothd is not on the bus and
  ///   the bus cannot start it, `not-permitted` or `bus-lost`; the errors of a wait.
  public static func open(
    bus: MessageBus, limits: BlueZLimits = BlueZLimits(), ledger: (any LinkLedger)? = nil
  ) async throws -> BlueZClient {
    let client = BlueZClient(bus: bus, limits: limits, ledger: ledger)
    do {
      try await client.listen()
      try await client.synchronize()
    } catch {
      let problem = Cause(error, ErrorSituation(.objects))
      throw problem?.failure(of: "reading bluetoothd's objects") ?? error
    }
    return client
  }

  /// Connects to a bus, watches bluetoothd there and reads its objects.
  ///
  /// One client is sufficient for all devices and adapters of a program. A bluetoothd that restarts
  /// later is found again.
  ///
  /// ```swift
  /// let loop = EventLoop()
  /// let client = try await BlueZClient.open(on: loop)
  /// print(client.adapterFacts.map(\.name))
  /// ```
  ///
  /// - Throws: `DeviceFailure`: `bus-unreachable`, and what ``open(bus:limits:ledger:)`` throws.
  public static func open(
    address: BusAddress = .system, on loop: EventLoop, limits: BlueZLimits = BlueZLimits(),
    ledger: (any LinkLedger)? = nil
  ) async throws -> BlueZClient {
    try await open(address: address, on: loop, limits: limits, ledger: ledger, observing: nil)
  }

  /// Opens a client whose messages to and from bluetoothd are observed from the first call on.
  package static func open(
    address: BusAddress = .system, on loop: EventLoop, limits: BlueZLimits = BlueZLimits(),
    ledger: (any LinkLedger)? = nil, observing: MessageObserver?
  ) async throws -> BlueZClient {
    let bus: MessageBus
    do {
      bus = try await MessageBus.open(address: address, on: loop)
    } catch {
      let problem = Cause(error, ErrorSituation(.objects))
      throw problem?.failure(of: "connecting to the message bus") ?? error
    }
    if let observing { bus.observe(observing) }
    do {
      return try await open(bus: bus, limits: limits, ledger: ledger)
    } catch {
      // A connection stays open even when nothing refers to it.
      bus.close()
      throw error
    }
  }

  private func listen() async throws {
    bus.onClose { [weak self] _ in self?.lost(.busLost, forEver: true) }
    let rules = [
      MatchRule(
        sender: OrgBlueZ.busName, path: BlueZPath.objectManager,
        interface: StandardInterface.objectManager
      ),
      // Not those of characteristics: their values are subscribed to one by one, so that reads and
      // the notifications of other programs cost nothing here.
      Self.propertyRule(of: Adapter1.interface),
      Self.propertyRule(of: Device1.interface),
      Self.propertyRule(of: BearerLE1.interface),
      MatchRule(
        sender: OrgBlueZ.busName, pathNamespace: BlueZPath.manager, interface: Device1.interface,
        member: Device1.disconnected
      ),
    ]
    for rule in rules {
      let subscription = try await bus.subscribe(rule) { [weak self] in self?.receive($0) }
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
      sender: OrgBlueZ.busName, pathNamespace: BlueZPath.manager,
      interface: StandardInterface.properties, member: StandardInterface.propertiesChanged.name,
      arg0: interface
    )
  }

  /// Brings the mirror up to date with bluetoothd.
  ///
  /// While the loop did not run, signals were not received: one round trip to the bus delivers
  /// them.
  /// After bluetoothd was lost the objects are read again, which starts it if it is activatable.
  func synchronize() async throws {
    if state.withLock({ $0.isSynchronized }) { _ = try await bus.nameOwner(OrgBlueZ.busName) }
    let (isSynchronized, losses, gone) = state.withLock { ($0.isSynchronized, $0.losses, $0.gone) }
    if isSynchronized { return }
    if let gone { throw gone }
    apply(.snapshotAsked)
    do {
      let reply = try await bus.call(Self.listObjects, limit: limits.call, lateReply: nil)
      guard state.withLock({ $0.losses }) == losses else { throw Cause.daemonLeft }
      guard let snapshot = TreeEvent(managedObjects: reply) else {
        throw ErrorMapping.unknown(ErrorSituation(.objects))
      }
      let changes = state.withLock { state in
        state.isSynchronized = true
        return state.tree.apply(snapshot)
      }
      if !changes.isEmpty { announce(changes) }
    } catch {
      apply(.snapshotFailed)
      throw error
    }
  }

  // MARK: Events

  private func receive(_ message: Message) {
    if let refusal = message.refusal { return refused(.messageTooLarge(refusal.message)) }
    if let event = TreeEvent(message) { return apply(event) }
    guard let path = message.path, let reason = DisconnectReason(message) else { return }
    state.withLock { $0.links[path] }?.ended(because: reason)
  }

  private func apply(_ event: TreeEvent) {
    let changes = state.withLock { $0.tree.apply(event) }
    if !changes.isEmpty { announce(changes) }
  }

  private func announce(_ changes: [TreeChange]) {
    for change in changes { notifyOwner(of: change) }
    let (tree, observers) = state.withLock { ($0.tree, $0.observers) }
    for observer in observers { observer.handler(.changes(changes, tree)) }
    state.announce()
  }

  /// Passes a change on to the link or the discovery that it concerns.
  private func notifyOwner(of change: TreeChange) {
    let path = change.path
    let link = state.withLock { $0.links[path] }
    switch change {
    case .changed(_, Device1.interface, _):
      guard let link else { return }
      if change.concerns(Device1.paired) { link.paired(withTree { $0.isPaired(path) }) }
      let (isUp, isResolved) = withTree { ($0.isConnected(path), $0.isResolved(path)) }
      if change.concerns(Device1.connected) {
        if !isUp, !link.isEnding { noteDisruption() }
        link.apply(.connected(isUp))
      }
      if change.concerns(Device1.servicesResolved) { link.apply(.resolved(isResolved)) }
    case .changed(_, BearerLE1.interface, _):
      if change.concerns(BearerLE1.connected) {
        link?.apply(.connected(withTree { $0.isConnected(path) }))
      }
    case .added(_, Device1.interface):
      guard let link else { return }
      let (isUp, isResolved) = withTree { ($0.isConnected(path), $0.isResolved(path)) }
      link.paired(withTree { $0.isPaired(path) })
      if isUp { link.apply(.connected(true)) }
      if isResolved { link.apply(.resolved(true)) }
    case .removed(_, Device1.interface):
      noteDisruption()
      link?.apply(.removed)
      state.withLock { state in
        if link != nil { state.goneLinks.insert(path) }
        state.dropLinks()
      }
    case .removed(_, GattCharacteristic1.interface):
      guard let device = BlueZPath.devicePath(containing: path) else { return }
      state.withLock { $0.links[device] }?.characteristicRemoved(path)
    case .added(_, GattCharacteristic1.interface):
      guard let device = BlueZPath.devicePath(containing: path),
        let link = state.withLock({ $0.links[device] }), link.hasOrphans,
        let view = withTree({ tree in tree.characteristics(of: device).first { $0.path == path } })
      else { return }
      link.characteristicAdded(view)
    case .changed(_, Adapter1.interface, _):
      guard change.concerns(Adapter1.powered), !withTree({ $0.isPowered(path) }) else { return }
      adapterLost(path)
    case .removed(_, Adapter1.interface):
      state.withLock { $0.removals[path] = loop.now }
      adapterLost(path)
    case .added, .removed, .changed:
      break
    }
  }

  private func adapterLost(_ adapter: ObjectPath) {
    noteDisruption()
    state.withLock { $0.discoveries[adapter] }?.sessionLost()
  }

  /// A change was refused: the mirror is not what bluetoothd has any more. What this program has begun
  /// there is ended, without waiting for it.
  private func refused(_ why: Cause) {
    let (links, discoveries) = state.withLock { state in
      (
        state.links.sorted { $0.key < $1.key }.map(\.value),
        state.discoveries.sorted { $0.key < $1.key }.map(\.value)
      )
    }
    for discovery in discoveries { discovery.release(self) }
    for link in links { link.release() }
    agent.release()
    lost(why, forEver: true)
  }

  /// bluetoothd, or the bus, has disappeared: everything that waits fails now.
  private func lost(_ why: Cause, forEver: Bool) {
    let (links, discoveries, observers) = state.withLock { state in
      state.losses += 1
      state.isSynchronized = false
      if forEver { state.gone = why }
      _ = state.tree.apply(.cleared)
      state.goneLinks.formUnion(state.links.keys)
      return (
        state.links.sorted { $0.key < $1.key }.map(\.value),
        state.discoveries.sorted { $0.key < $1.key }.map(\.value),
        state.observers
      )
    }
    agent.forgotten()
    for link in links { link.lostDaemon(why) }
    for discovery in discoveries { discovery.sessionLost() }
    for observer in observers { observer.handler(.gone(why)) }
    state.announce()
  }
}
