// The link to one device: calls and events in, ordered actions out.
//
// Pure. The order of the actions is the order recorded from bluetoothd 5.66.

import BlueZInterfaces

/// The state of the link, with the pending calls.
struct LinkMachine<Call: Sendable>: Sendable {
  enum Phase: Hashable, Sendable {
    case idle
    case connecting
    case up(isResolved: Bool)
    /// Disconnect was called; the connection carries traffic until its timer expires.
    case closing(isResolved: Bool)
  }

  /// The effects to perform, in order. A number identifies the connection attempt.
  enum Action: Sendable {
    case beginConnecting(Int)
    /// Mark the device as connected.
    case raiseLink
    /// Mark the device as disconnected.
    case dropLink
    case beginResolving(Int)
    /// Export services, then announce `ServicesResolved`.
    case exportServices
    case removeBattery
    /// Wait before the connection is dropped.
    case beginClosing(Int)
    case markConnected
    case markServicesResolved
    /// Drop pending requests without a reply.
    case failRequests
    case releaseSockets
    /// Remove the device and its attributes.
    case forget
    case answer([Call])
    case refuse([Call], ErrorAnswer)
  }

  /// The simulated release.
  private let version: BlueZVersion
  private(set) var phase = Phase.idle
  private var isPowered = true
  private var attempt = 0
  private var connectCalls: [Call] = []
  private var disconnectCalls: [Call] = []
  private var isForgotten = false

  init(_ version: BlueZVersion) { self.version = version }

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

  /// True if that attempt is in progress.
  func isConnecting(_ number: Int) -> Bool { isCurrent(number, .connecting) }

  /// True if services are still being resolved on the connection of that attempt.
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
    case .connecting:
      let answer = version.has(.connectExcludesPair) ? ErrorAnswer.inProgress : .connectPending
      return [.refuse([call], answer)]
    case .up, .closing: return [.answer([call])]
    }
  }

  mutating func disconnect(_ call: Call) -> [Action] {
    switch phase {
    case .idle: return [.answer([call])]
    case .connecting:
      phase = .idle
      attempt += 1
      return [.refuse(popConnectCalls(), .connectCanceled), .answer([call])]
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

  /// Removes the device. A pending Connect is never answered.
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

  // MARK: Events

  /// Applies a connection that the device made as a central. Pending Connect calls succeed.
  mutating func accepted() -> [Action] {
    switch phase {
    case .up, .closing: return []
    case .idle, .connecting:
      phase = .connecting
      attempt += 1
      return established(attempt)
    }
  }

  mutating func established(_ number: Int) -> [Action] {
    guard isCurrent(number, .connecting) else { return [] }
    phase = .up(isResolved: false)
    return [.raiseLink, .markConnected, .answer(popConnectCalls()), .beginResolving(attempt)]
  }

  /// Applies a connection that was lost at once.
  mutating func flickered(_ number: Int) -> [Action] {
    guard isCurrent(number, .connecting) else { return [] }
    phase = .up(isResolved: false)
    return [.raiseLink, .markConnected]
  }

  mutating func failed(_ number: Int, _ answer: ErrorAnswer) -> [Action] {
    guard isCurrent(number, .connecting) else { return [] }
    phase = .idle
    return [.refuse(popConnectCalls(), answer)]
  }

  mutating func resolved(_ number: Int) -> [Action] {
    guard isCurrent(number, .up(isResolved: false)) else { return [] }
    phase = .up(isResolved: true)
    return [.exportServices]
  }

  /// Drops the connection at the end of the wait.
  mutating func closed(_ number: Int) -> [Action] {
    guard number == attempt, isClosing else { return [] }
    return end()
  }

  /// Applies the end of the connection, for any reason.
  mutating func lost() -> [Action] {
    isConnected ? end() : []
  }

  /// Ends the attempt and the connection when the adapter is powered off.
  mutating func poweredOff() -> [Action] {
    isPowered = false
    guard phase == .connecting else { return lost() }
    return failed(attempt, .connectAborted)
  }

  mutating func poweredOn() { isPowered = true }

  /// Ends the simulation: pending calls get no reply.
  mutating func stopped() -> [Action] {
    let (wasConnected, wasResolved) = (isConnected, isResolved)
    self = LinkMachine(version)
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
    // Up to 5.78 Disconnect is answered between the two changes; without such a call, and since
    // 5.79, both are one message.
    let isAnsweredLast = version.has(.singleDisconnectSignal)
    if wasClosing, !isAnsweredLast { actions.append(.answer(popDisconnectCalls())) }
    actions.append(.markConnected)
    if wasClosing, isAnsweredLast { actions.append(.answer(popDisconnectCalls())) }
    let pending = popConnectCalls()
    if !pending.isEmpty { actions.append(.refuse(pending, .connectCanceled)) }
    actions.append(.failRequests)
    if !wasClosing { actions.append(.removeBattery) }
    // Sockets of removed objects are not announced.
    if isForgotten { actions.append(.forget) }
    isForgotten = false
    actions.append(.releaseSockets)
    return actions
  }

  private func isCurrent(_ number: Int, _ phase: Phase) -> Bool {
    number == attempt && self.phase == phase
  }

  private mutating func popConnectCalls() -> [Call] {
    defer { connectCalls = [] }
    return connectCalls
  }

  private mutating func popDisconnectCalls() -> [Call] {
    defer { disconnectCalls = [] }
    return disconnectCalls
  }
}
