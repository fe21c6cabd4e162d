// The link to one device: a shell that makes the calls that the state decides on.
//
// Connecting is in DeviceLink+Connecting.swift, disconnecting in DeviceLink+Disconnecting.swift.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The link to one device object, with the turns that own it and the characteristics in use.
final class DeviceLink: Sendable {
  struct State {
    var machine: LinkState
    /// The failure of the last call, for the callers that wait for its result.
    var callError: (any Error)?
    var daemonProblem = Cause.daemonLeft
    var uses = LinkUses()
    var channels: [ObjectPath: CharacteristicChannel] = [:]
    /// Subscriptions in use whose objects were removed.
    var orphans: [SharedSubscription] = []
    /// The number of the connection that is up and ready for use.
    var number: SubscriptionMachine.Link?
    var lastNumber: SubscriptionMachine.Link = 0
    /// The ATT MTU in octets, as last reported on this connection.
    var mtu: Int?
    /// The interface whose Connect and Disconnect are called.
    var methods = LinkMethods.device
    var pendingConnects = 0
    /// The number of times that the connection has dropped.
    var disconnectCount = 0
    /// The time when the connection last dropped or was ended.
    var endedAt: Instant?
    /// Connect was sent for the current attempt.
    var isConnectSent = false
    var isRecorded = false
    /// Another process with the same ledger made the connection: the last one that uses it ends it.
    var isShared = false
    /// ``news`` has received that the connection is up.
    var isReported = false
    var reason: DisconnectReason?
    var isPaired: Bool

    /// Returns the number of a connection that is up, after assigning one if it has none.
    mutating func numbered() -> SubscriptionMachine.Link? {
      guard machine.isUp else { return nil }
      if number == nil {
        lastNumber += 1
        number = lastNumber
      }
      return number
    }
  }

  let path: ObjectPath
  let bus: MessageBus
  let limits: BlueZLimits
  /// The record for other processes; nil without coordination.
  let record: HeldLink?
  let ledger: (any LinkLedger)?
  /// Called with the changes of the connections that this program makes.
  let news: @Sendable (LinkNews.Change) -> Void
  /// The pending calls about the device's attributes.
  let calls: AttributeCalls
  let state: Awaited<State>

  /// Whether this program has made the connection, or is making it.
  var isOurs: Bool { state.withLock { $0.machine.maker == .us } }

  /// Whether the link is down, no Connect is pending, and no turn uses or awaits it.
  var isUnused: Bool {
    state.withLock { state in
      state.machine.phase == .idle && !state.machine.isUp && state.uses.isEmpty
        && state.pendingConnects == 0 && !state.isRecorded
    } && !state.isAwaited
  }

  init(
    to path: ObjectPath, bus: MessageBus, limits: BlueZLimits, isUp: Bool, isResolved: Bool,
    isPaired: Bool = false, record: HeldLink? = nil, ledger: (any LinkLedger)? = nil,
    news: @escaping @Sendable (LinkNews.Change) -> Void = { _ in }
  ) {
    self.path = path
    self.bus = bus
    self.limits = limits
    self.record = record
    self.ledger = ledger
    self.news = news
    calls = AttributeCalls(bus: bus, limits: limits)
    let machine = LinkState(isUp: isUp, isResolved: isResolved)
    state = Awaited(State(machine: machine, isPaired: isPaired))
  }

  var loop: Loop { bus.loop }

  var connectCall: MethodCall {
    .bluez(path, state.withLock { $0.methods }.connect)
  }

  var disconnectCall: MethodCall {
    .bluez(path, state.withLock { $0.methods }.disconnect)
  }

  /// Sets the methods that are used from the next connection on.
  func use(_ methods: LinkMethods) {
    state.withLock { if $0.machine.phase == .idle { $0.methods = methods } }
  }

  // MARK: Events

  /// Passes an event to the state, and reports the changes to the waiters.
  ///
  /// - Returns: The action, when it is a call that the caller has to make.
  @discardableResult
  func apply(_ event: LinkState.Event) -> LinkState.Action {
    let (action, isOver, wasUp, oldLink, newLink) = state.withLock { state in
      let (wasUp, before) = (state.machine.isUp, state.number)
      switch event {
      case .connected, .removed, .daemonGone: state.mtu = nil
      case .connectWanted, .connectAnswered, .madeByPair, .abandoned, .disconnectWanted,
        .leftToOthers, .disconnectAnswered, .resolved:
        break
      }
      if event == .connected(false) {
        state.disconnectCount += 1
        state.endedAt = loop.now
      }
      // A Connect is never answered after its device was removed.
      if event == .removed || event == .daemonGone { state.pendingConnects = 0 }
      let action = state.machine.handle(event)
      if !state.machine.isUp { state.number = nil }
      let isReady = state.machine.isResolved && [.idle, .ready].contains(state.machine.phase)
      let newLink = before == nil && isReady ? state.numbered() : nil
      // A Connect without a reply may still make a connection.
      let isOver = state.machine.phase == .idle && state.pendingConnects == 0
      return (action, isOver, wasUp, before, newLink)
    }
    // bluetoothd keeps connections whose makers have disconnected from the bus: this one stays on
    // record.
    if isOver, state.withLock({ $0.daemonProblem != .busLost }) { eraseRecord() }
    reportEnd()
    if case .reportLoss(let ending) = action {
      // The bus replies on behalf of a bluetoothd that has disconnected from it.
      if ending == .removed, !wasUp {
        calls.deviceRemoved()
      } else if ending != .daemonGone {
        let wasPaired = state.withLock { $0.isPaired }
        calls.linkEnded(isRemoved: ending == .removed, wasPaired: wasPaired)
      }
      let cause = problem(of: ending)
      for subscription in subscriptions { subscription.linkDown(cause, of: oldLink) }
    }
    if let newLink { for subscription in subscriptions { subscription.linkUp(newLink) } }
    state.announce()
    return action
  }

  /// The number of times that the connection has dropped.
  var disconnectCount: Int { state.withLock { $0.disconnectCount } }

  /// Stores whether there is a bond with the device.
  func paired(_ isPaired: Bool) { state.withLock { $0.isPaired = isPaired } }

  /// bluetoothd, or the bus, has disappeared.
  func lostDaemon(_ why: Cause) {
    state.withLock { $0.daemonProblem = why }
    apply(.daemonGone)
  }

  /// The reason that there is no connection now.
  var absence: Cause {
    switch state.withLock({ $0.machine.ending }) {
    case .refused, nil: .notConnected
    case let ending?: problem(of: ending)
    }
  }

  /// The failure of the operations that depend on a connection that ended.
  private func problem(of ending: LinkState.Ending) -> Cause {
    switch ending {
    case .removed: .deviceRemoved
    case .daemonGone: state.withLock { $0.daemonProblem }
    case .disconnected: .notConnected
    case .lost, .refused: .linkLost
    }
  }

  // MARK: Characteristics

  /// The number of the connection; nil when there is none.
  var number: SubscriptionMachine.Link? { state.withLock { $0.numbered() } }

  /// The channel of a characteristic; the same object for all callers.
  func channel(of view: CharacteristicView) -> CharacteristicChannel {
    state.withLock { state in
      if let channel = state.channels[view.path] { return channel }
      let subscription = SharedSubscription(
        of: view, calls, bus: bus, limits: limits, link: state.numbered()
      )
      return enter(view, subscription, &state)
    }
  }

  private func enter(
    _ view: CharacteristicView, _ subscription: SharedSubscription, _ state: inout State
  ) -> CharacteristicChannel {
    let channel = CharacteristicChannel(
      view, calls, bus: bus, limits: limits, subscription: subscription
    )
    state.channels[view.path] = channel
    return channel
  }

  /// The object of a characteristic was removed.
  func characteristicRemoved(_ path: ObjectPath) {
    guard let channel = state.withLock({ $0.channels.removeValue(forKey: path) }) else { return }
    let subscription = channel.subscription
    subscription.objectRemoved(Cause.objectGone)
    if subscription.isUsed { state.withLock { $0.orphans.append(subscription) } }
  }

  /// Whether subscriptions wait for the objects of their characteristics.
  var hasOrphans: Bool { state.withLock { !$0.orphans.isEmpty } }

  /// A characteristic appeared: a subscription that waits for it continues there.
  func characteristicAdded(_ view: CharacteristicView) {
    let found = state.withLock { state -> SharedSubscription? in
      state.orphans.removeAll { !$0.isUsed }
      guard state.channels[view.path] == nil else { return nil }
      let same = state.orphans.filter {
        $0.view.uuid == view.uuid && $0.view.service == view.service
      }
      guard let found = same.first(where: { $0.view.path == view.path }) ?? same.first else {
        return nil
      }
      state.orphans.removeAll { $0 === found }
      _ = enter(view, found, &state)
      return found
    }
    found?.objectRestored(view)
  }

  /// The subscriptions of the characteristics in use, in the order of their paths.
  var subscriptions: [SharedSubscription] {
    state.withLock { state in
      state.channels.sorted { $0.key < $1.key }.map(\.value.subscription) + state.orphans
    }
  }
}

extension DeviceLink {
  /// Reports that a connection that this program made is ready for use.
  ///
  /// - Parameter begun: The time when the attempt began.
  func reportConnected(since begun: Instant) {
    state.withLock { $0.isReported = true }
    news(.connected(after: loop.now - begun))
  }

  /// Reports the end of a connection that was reported as ready, once.
  func reportEnd() {
    let end = state.withLock { state -> LinkNews.End? in
      guard state.isReported, !state.machine.isUp else { return nil }
      state.isReported = false
      switch state.machine.ending {
      case .removed: return .deviceRemoved
      case .daemonGone: return .daemonLost
      case .lost: return .dropped(state.reason?.end ?? .unknown)
      // Without an ending yet, Disconnect was called and its reply is pending.
      case .disconnected, .refused, nil: return .requested
      }
    }
    if let end { news(.ended(end)) }
  }
}
