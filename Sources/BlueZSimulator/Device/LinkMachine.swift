// The link to one device: calls and news in, what to do in which order out.
//
// Pure. The order of the actions is the order that was recorded from bluetoothd 5.66.

import BlueZInterfaces

/// What state the link is in, and who waits for a change of it.
struct LinkMachine<Call: Sendable>: Sendable {
  enum Phase: Hashable, Sendable {
    case idle
    case connecting
    case up(isResolved: Bool)
    /// A Disconnect was called; the link carries traffic until its timer is over.
    case closing(isResolved: Bool)
  }

  /// What to do. Those with a number concern the attempt of that number.
  enum Action: Sendable {
    /// Try to reach the device.
    case beginConnecting(Int)
    /// The device has a link now.
    case raiseLink
    /// The device has no link any more.
    case dropLink
    case beginResolving(Int)
    /// Export services, then tell `ServicesResolved`.
    case exportServices
    case removeBattery
    /// Wait before the link is dropped.
    case beginClosing(Int)
    case markConnected
    case markServicesResolved
    /// Requests without an answer get none.
    case failRequests
    case releaseSockets
    /// Remove the device and its attributes.
    case forget
    case answer([Call])
    case refuse([Call], ErrorAnswer)
  }

  private(set) var phase = Phase.idle
  /// Whether the adapter is on.
  private var isPowered = true
  private var attempt = 0
  private var connectCalls: [Call] = []
  private var disconnectCalls: [Call] = []
  private var isForgotten = false

  var isConnected: Bool {
    switch phase {
    case .idle, .connecting: false
    case .up, .closing: true
    }
  }

  var isResolved: Bool {
    switch phase {
    case .idle, .connecting: false
    case .up(let isResolved), .closing(let isResolved): isResolved
    }
  }

  var isClosing: Bool {
    if case .closing = phase { return true }
    return false
  }

  /// Whether an attempt is under way.
  func isConnecting(_ number: Int) -> Bool { isCurrent(number, .connecting) }

  /// Whether the services of the link of an attempt are not known yet.
  func isResolving(_ number: Int) -> Bool {
    number == attempt && phase == .up(isResolved: false)
  }

  // MARK: Calls

  mutating func connect(_ call: Call) -> [Action] {
    switch phase {
    case .idle:
      guard isPowered else { return [.refuse([call], .inputOutputError)] }
      phase = .connecting
      attempt += 1
      connectCalls = [call]
      return [.beginConnecting(attempt)]
    case .connecting: return [.refuse([call], .connectPending)]
    case .up, .closing: return [.answer([call])]
    }
  }

  mutating func disconnect(_ call: Call) -> [Action] {
    switch phase {
    case .idle: return [.answer([call])]
    case .connecting:
      phase = .idle
      attempt += 1
      return [.refuse(takeConnectCalls(), .connectCanceled), .answer([call])]
    case .up(let isResolved):
      phase = .closing(isResolved: isResolved)
      attempt += 1
      disconnectCalls = [call]
      return [.removeBattery, .beginClosing(attempt)]
    case .closing:
      disconnectCalls.append(call)
      return []
    }
  }

  /// The device is to be forgotten. A pending Connect is never answered.
  mutating func remove(_ call: Call) -> [Action] {
    switch phase {
    case .idle, .connecting:
      phase = .idle
      attempt += 1
      connectCalls = []
      return [.forget, .answer([call])]
    case .up, .closing:
      isForgotten = true
      return disconnect(call)
    }
  }

  // MARK: News

  /// The link stands.
  mutating func established(_ number: Int) -> [Action] {
    guard isCurrent(number, .connecting) else { return [] }
    phase = .up(isResolved: false)
    return [.raiseLink, .markConnected, .answer(takeConnectCalls()), .beginResolving(attempt)]
  }

  /// The link stood for an instant.
  mutating func flickered(_ number: Int) -> [Action] {
    guard isCurrent(number, .connecting) else { return [] }
    phase = .up(isResolved: false)
    return [.raiseLink, .markConnected]
  }

  /// The link could not be made.
  mutating func failed(_ number: Int, _ answer: ErrorAnswer) -> [Action] {
    guard isCurrent(number, .connecting) else { return [] }
    phase = .idle
    return [.refuse(takeConnectCalls(), answer)]
  }

  /// The services are known.
  mutating func resolved(_ number: Int) -> [Action] {
    guard isCurrent(number, .up(isResolved: false)) else { return [] }
    phase = .up(isResolved: true)
    return [.exportServices]
  }

  /// The wait before the link is dropped is over.
  mutating func closed(_ number: Int) -> [Action] {
    guard number == attempt, isClosing else { return [] }
    return end()
  }

  /// The link is gone, for whatever reason.
  mutating func lost() -> [Action] {
    isConnected ? end() : []
  }

  /// The adapter is switched off: no attempt goes on, and no link.
  mutating func poweredOff() -> [Action] {
    isPowered = false
    guard phase == .connecting else { return lost() }
    return failed(attempt, .connectAborted)
  }

  /// The adapter is switched on.
  mutating func poweredOn() { isPowered = true }

  /// The simulation is over: calls that wait are not answered.
  mutating func stopped() -> [Action] {
    let (wasConnected, wasResolved) = (isConnected, isResolved)
    self = LinkMachine()
    isPowered = false
    guard wasConnected else { return [] }
    return [.dropLink] + (wasResolved ? [.markServicesResolved] : [])
      + [.markConnected, .releaseSockets]
  }

  private mutating func end() -> [Action] {
    let wasResolved = isResolved
    let wasClosing = isClosing
    phase = .idle
    attempt += 1
    var actions: [Action] = [.dropLink]
    if wasResolved { actions.append(.markServicesResolved) }
    // Who called Disconnect is answered between the two changes; otherwise they are one message.
    if wasClosing { actions.append(.answer(takeDisconnectCalls())) }
    actions.append(.markConnected)
    let pending = takeConnectCalls()
    if !pending.isEmpty { actions.append(.refuse(pending, .connectCanceled)) }
    actions.append(.failRequests)
    if !wasClosing { actions.append(.removeBattery) }
    // Of sockets of objects that are gone nothing is told.
    if isForgotten { actions.append(.forget) }
    isForgotten = false
    actions.append(.releaseSockets)
    return actions
  }

  private func isCurrent(_ number: Int, _ phase: Phase) -> Bool {
    number == attempt && self.phase == phase
  }

  private mutating func takeConnectCalls() -> [Call] {
    defer { connectCalls = [] }
    return connectCalls
  }

  private mutating func takeDisconnectCalls() -> [Call] {
    defer { disconnectCalls = [] }
    return disconnectCalls
  }
}
