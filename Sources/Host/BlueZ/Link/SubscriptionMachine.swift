// The subscription of one characteristic, shared by its subscribers: which calls are made when, and
// the meaning of a reply or a signal for each subscriber.
//
// A pure value. An event changes facts; then `proceed` or `windDown` makes the call that is due, so
// no event has to know which call comes next. SharedSubscription performs the calls.

import Bluetooth
import Signals

/// The state of bluetoothd's subscription to a characteristic, and of its subscribers.
///
/// A drop of the connection forgets all calls: a reply counts only on the connection that it was
/// sent on.
struct SubscriptionMachine: Sendable {
  /// The number of a connection. Each connection has a new, higher number.
  typealias Link = UInt64
  typealias SubscriberID = UInt64
  /// A socket from AcquireNotify; the shell has the descriptor.
  typealias SocketID = UInt64
  typealias Delivery = SubscriptionOptions.Delivery

  struct Limits: Sendable {
    var attribute: Duration
    var call: Duration
    var release: Duration
    var resume: Duration

    init(_ limits: BlueZLimits) {
      (attribute, call) = (limits.attribute, limits.call)
      (release, resume) = (limits.release, limits.resume)
    }
  }

  /// The reason why a subscription ended, or a call failed.
  struct Ending: Error {
    enum Kind: Hashable, Sendable {
      /// The connection dropped, or its objects were removed: a subscriber that resumes outlives it.
      case loss
      /// There is no connection, or this program has ended it.
      case notConnected
      /// Another attempt can help.
      case transient
      case final
    }

    let kind: Kind
    let error: any Error

    var isLoss: Bool { kind == .loss }
    var mayPass: Bool { kind != .final }
  }

  /// A time in which values may be missing.
  struct Gap: Hashable, Sendable {
    let from: Instant
    let to: Instant
  }

  /// The transport of the values, once bluetoothd has subscribed.
  enum Carrier: Hashable, Sendable {
    case signals
    case socket(SocketID)

    var socket: SocketID? { if case .socket(let socket) = self { socket } else { nil } }
  }

  enum Event: Sendable {
    case subscribe(SubscriberID, SubscriptionOptions)
    case leave(SubscriberID)
    /// A connection is up, and its services are resolved.
    case linkUp(Link)
    case linkDown(Ending)
    /// This program disconnects: nothing is resumed.
    case disconnecting(Ending)
    case connectFailed(Ending)
    case objectRemoved(Ending)
    /// The characteristic is back, perhaps at another path.
    case objectRestored
    /// A reply to StartNotify or AcquireNotify, in time or late.
    case startReplied(UInt64, Result<Carrier, Ending>)
    case stopReplied(UInt64, Ending?)
    /// bluetoothd has closed its end.
    case socketEnded(SocketID)
    /// A value arrived; the shell passes it on after the actions.
    case value
    /// A value arrived that cannot be passed on, such as one that is too long.
    case spoiled(Ending)
    /// The time is ``SubscriptionMachine/deadline``, or later.
    case timePassed
  }

  enum Action: Sendable {
    case addRule
    case removeRule
    case sendStart(UInt64, Delivery)
    case sendStop(UInt64)
    /// Pass on the values that are in the socket, then close it.
    case close(SocketID)
    /// Connect; the result is `linkUp` or `connectFailed`.
    case reconnect
    case cancelReconnect
    case began(SubscriberID)
    case gap(SubscriberID, Gap)
    /// The last action for this subscriber. Without an ending, it has unsubscribed.
    case ended(SubscriberID, Ending?, open: Gap?)
  }

  /// The state of bluetoothd's subscription on the present link, apart from calls to begin it.
  enum Session: Hashable, Sendable {
    case none
    case active(Carrier)
    /// The socket has ended; a signal tells the reason within a moment, or there is none.
    case released(until: Instant)
    case stopping(UInt64, SocketID?, until: Instant)

    var isActive: Bool { if case .active = self { true } else { false } }
    var stop: UInt64? { if case .stopping(let number, _, _) = self { number } else { nil } }
  }

  /// The event that a subscription that is not active waits for, at most until a time.
  enum Wait: Hashable, Sendable { case startReply, stopReply, reason, pause, link, object }

  struct Subscriber: Sendable {
    enum State: Hashable, Sendable {
      case starting(until: Instant)
      case listening
      case interrupted(since: Instant)
    }

    let id: SubscriberID
    let options: SubscriptionOptions
    var state: State

    var isStarting: Bool { if case .starting = state { true } else { false } }
    var resumes: Bool { options.onLinkLoss == .resume }

    func gap(to now: Instant) -> Gap? {
      if case .interrupted(let since) = state { Gap(from: since, to: now) } else { nil }
    }
  }

  private struct Start: Sendable {
    let number: UInt64
    let delivery: Delivery
    let until: Instant
    let limit: Duration
    /// The reply is no longer expected, but counts if it arrives.
    var isLost = false
  }

  private enum Retry: Hashable {
    case none
    case pausing(until: Instant)
    case connecting
  }

  let limits: Limits
  private(set) var session = Session.none
  private(set) var link: Link?
  private(set) var subscribers: [Subscriber] = []
  /// bluetoothd has, or may have, a session of this program that is not ``session``: when the link
  /// drops, it keeps a session that uses bus signals.
  private(set) var isKept = false
  /// Subscribers that have unsubscribed, and wait for the reply to StopNotify.
  private var leaving: [(id: SubscriberID, gap: Gap?)] = []
  /// Calls on the present link without a reply; at most one of them is not lost.
  private var starts: [Start] = []
  private var calls: UInt64 = 0
  private var isObjectThere = true
  private var hasRule = false
  private var retry = Retry.none
  /// Only a value is progress: a device that drops each connection is reconnected as rarely as one
  /// that is absent.
  private var backoff = Backoff(
    first: .milliseconds(250), longest: .seconds(5), beginsAtOnce: true
  )
  /// The time when an interrupted subscription gives up, and the ending that it then reports.
  private var resumeUntil: Instant?
  private var lastEnding = Ending(.linkLost)

  init(link: Link?, limits: Limits) {
    self.link = link
    self.limits = limits
  }

  /// Applies one event.
  ///
  /// - Returns: The actions to perform, in this order.
  mutating func apply(_ event: Event, at now: Instant) -> [Action] {
    let actions =
      switch event {
      case .subscribe(let id, let options): subscribe(id, options, now)
      case .leave(let id): leave(id, now)
      case .linkUp(let link): cameUp(link, now)
      case .linkDown(let ending): wentDown(ending, now)
      case .disconnecting(let ending):
        session.isActive ? [] : sift(ending, now, keeps: \.isStarting)
      case .connectFailed(let ending): connectFailed(ending, now)
      case .objectRemoved(let ending): object(isThere: false, ending, now)
      case .objectRestored: object(isThere: true, nil, now)
      case .startReplied(let number, .success(let carrier)): started(number, carrier, now)
      case .startReplied(let number, .failure(let ending)): refused(number, ending, now)
      case .stopReplied(let number, let ending): session.stop == number ? stopped(ending) : []
      case .socketEnded(let socket): socketEnded(socket, now)
      case .value: valueCame(now)
      case .spoiled(let ending): sift(ending, now) { _ in false }
      case .timePassed: timePassed(now)
      }
    return actions + (subscribers.isEmpty ? windDown(now) : proceed(now))
  }

  // MARK: Facts

  /// The call on the present link whose reply is awaited.
  private var live: Start? { starts.first { !$0.isLost } }

  /// Whether a subscriber waits for the reply to this call.
  func isWanted(start number: UInt64) -> Bool { live?.number == number && !subscribers.isEmpty }

  /// Whether another value would change nothing.
  var isSteady: Bool { session.isActive && !backoff.hasBegun }

  /// The interruption of a subscriber; nil while there is none.
  func openGap(of id: SubscriberID, to now: Instant) -> Gap? {
    subscribers.first { $0.id == id }?.gap(to: now)
  }

  /// The event that is awaited; nil when the subscription is active, or has no subscribers.
  var wait: Wait? {
    if subscribers.isEmpty { return nil }
    switch session {
    case .active: return nil
    case .stopping: return .stopReply
    case .released: return .reason
    case .none: if live != nil { return .startReply }
    }
    if case .pausing = retry { return .pause }
    return resumeUntil == nil ? nil : link == nil ? .link : .object
  }

  /// The time when the next `timePassed` is due.
  var deadline: Instant? {
    var all = [live?.until, resumeUntil]
    switch session {
    case .released(let until), .stopping(_, _, let until): all.append(until)
    case .none, .active: break
    }
    if case .pausing(let until) = retry { all.append(until) }
    for case .starting(let until) in subscribers.map(\.state) { all.append(until) }
    return all.compactMap(\.self).min()
  }

  // MARK: Subscribers

  private mutating func subscribe(
    _ id: SubscriberID, _ options: SubscriptionOptions, _ now: Instant
  ) -> [Action] {
    // Without a connection, bluetoothd would accept StartNotify for the next connection.
    if link == nil { return [.ended(id, Ending(.notConnected), open: nil)] }
    if !isObjectThere { return [.ended(id, Ending(.objectGone), open: nil)] }
    let until = now + (options.startLimit ?? limits.attribute)
    let state = session.isActive ? Subscriber.State.listening : .starting(until: until)
    subscribers.append(Subscriber(id: id, options: options, state: state))
    return session.isActive ? [.began(id)] : []
  }

  private mutating func leave(_ id: SubscriberID, _ now: Instant) -> [Action] {
    guard let place = subscribers.firstIndex(where: { $0.id == id }) else { return [] }
    let gap = subscribers.remove(at: place).gap(to: now)
    guard subscribers.isEmpty else { return [.ended(id, nil, open: gap)] }
    leaving.append((id, gap))
    return []
  }

  /// Keeps some subscribers, which are interrupted if they were listening, and ends the others.
  private mutating func sift(
    _ ending: Ending, _ now: Instant, keeps: (Subscriber) -> Bool
  ) -> [Action] {
    let gone = subscribers.filter { !keeps($0) }
    subscribers.removeAll { !keeps($0) }
    for place in subscribers.indices where subscribers[place].state == .listening {
      subscribers[place].state = .interrupted(since: now)
    }
    if resumeUntil == nil, subscribers.contains(where: { !$0.isStarting }) {
      resumeUntil = now + limits.resume
    }
    return gone.map { .ended($0.id, ending, open: $0.gap(to: now)) }
  }

  // MARK: The connection and the object

  private mutating func cameUp(_ link: Link, _ now: Instant) -> [Action] {
    guard self.link != link else { return [] }
    let actions = self.link == nil ? [] : lost(Ending(.linkLost), now)
    (self.link, retry) = (link, .none)
    return actions
  }

  private mutating func wentDown(_ ending: Ending, _ now: Instant) -> [Action] {
    // The end of a link that was not ready is the failure of the reconnection, which reports it.
    if link == nil, ending.isLoss || ending.kind == .notConnected {
      return sift(ending, now) { _ in true }
    }
    link = nil
    let actions = lost(ending, now)
    // bluetoothd has disappeared, and its sessions with it.
    if ending.kind == .final { isKept = false }
    if retry != .connecting { retry = .pausing(until: now + backoff.next()) }
    return actions
  }

  private mutating func connectFailed(_ ending: Ending, _ now: Instant) -> [Action] {
    guard retry == .connecting else { return [] }
    (lastEnding, retry) = (ending, .pausing(until: now + backoff.next()))
    return sift(ending, now) { _ in ending.mayPass }
  }

  private mutating func object(isThere: Bool, _ ending: Ending?, _ now: Instant) -> [Action] {
    defer { isObjectThere = isThere }
    guard let ending, isObjectThere else { return [] }
    let actions = lost(ending, now) + rule(false)
    isKept = false
    return actions
  }

  /// The session has ended with the link or the object. Replies to earlier calls do not count for
  /// the next session.
  private mutating func lost(_ ending: Ending, _ now: Instant) -> [Action] {
    var actions: [Action] = []
    switch session {
    case .active(.signals): isKept = true
    case .active(.socket(let socket)): actions.append(.close(socket))
    case .stopping: actions += stopped(nil)
    case .none, .released: break
    }
    // A call without a reply may still take effect.
    if starts.contains(where: { $0.delivery == .signals }) { isKept = true }
    (session, starts, lastEnding) = (.none, [], ending)
    return actions + sift(ending, now) { !$0.isStarting && $0.resumes && ending.isLoss }
  }

  // MARK: The session

  private mutating func started(
    _ number: UInt64, _ carrier: Carrier, _ now: Instant
  ) -> [Action] {
    let start = starts.firstIndex { $0.number == number }.map { starts.remove(at: $0) }
    if let start, session == .none {
      let isWanted = subscribers.contains { $0.options.delivery == start.delivery }
      return isWanted ? begin(carrier, now) : stop(carrier.socket, now)
    }
    // The session is from an earlier link, or exists beside another one.
    if !session.isActive, carrier == .signals || start != nil { isKept = true }
    return carrier.socket.map { [.close($0)] } ?? []
  }

  private mutating func begin(_ carrier: Carrier, _ now: Instant) -> [Action] {
    (session, isKept, retry, resumeUntil) = (.active(carrier), false, .none, nil)
    defer { for place in subscribers.indices { subscribers[place].state = .listening } }
    return (carrier == .signals ? rule(true) : [])
      + subscribers.compactMap { subscriber in
        if subscriber.isStarting { return .began(subscriber.id) }
        return subscriber.gap(to: now).map { .gap(subscriber.id, $0) }
      }
  }

  private mutating func refused(_ number: UInt64, _ ending: Ending, _ now: Instant) -> [Action] {
    guard let place = starts.firstIndex(where: { $0.number == number }) else { return [] }
    let start = starts.remove(at: place)
    return start.isLost || session != .none ? [] : failed(start, ending, now)
  }

  /// Ends the subscribers that wanted the delivery of a failed call, or repeats it after a pause.
  private mutating func failed(_ start: Start, _ ending: Ending, _ now: Instant) -> [Action] {
    (lastEnding, retry) = (ending, .pausing(until: now + backoff.next()))
    return sift(ending, now) {
      $0.options.delivery != start.delivery || !$0.isStarting && ending.mayPass
    }
  }

  private mutating func stopped(_ ending: Ending?) -> [Action] {
    guard case .stopping(_, let socket, _) = session else { return [] }
    session = .none
    defer { leaving = [] }
    return (socket.map { [.close($0)] } ?? [])
      + leaving.map { .ended($0.id, ending, open: $0.gap) }
  }

  private mutating func valueCame(_ now: Instant) -> [Action] {
    backoff.progress()
    // A session that bluetoothd has kept delivers before it is confirmed.
    return subscribers.indices.compactMap { place in
      guard let gap = subscribers[place].gap(to: now) else { return nil }
      subscribers[place].state = .listening
      return .gap(subscribers[place].id, gap)
    }
  }

  private mutating func socketEnded(_ socket: SocketID, _ now: Instant) -> [Action] {
    switch session {
    case .active(.socket(socket)): session = .released(until: now + limits.release)
    case .stopping(let number, socket, let until): session = .stopping(number, nil, until: until)
    case .none, .active, .released, .stopping: return []
    }
    return [.close(socket)]
  }

  private mutating func timePassed(_ now: Instant) -> [Action] {
    var actions: [Action] = []
    if case .pausing(let until) = retry, until <= now { retry = .none }
    switch session {
    case .released(let until) where until <= now:
      session = .none
      actions += sift(Ending(.notifyReleased), now, keeps: \.isStarting)
    case .stopping(_, _, let until) where until <= now:
      actions += stopped(.timedOut("StopNotify", limits.call))
    case .none, .active, .released, .stopping: break
    }
    if let place = starts.firstIndex(where: { !$0.isLost && $0.until <= now }) {
      starts[place].isLost = true
      if session == .none {
        // bluetoothd may have executed the call nevertheless.
        isKept = true
        actions += failed(
          starts[place], .timedOut(starts[place].delivery.call, starts[place].limit), now)
      }
    }
    for subscriber in subscribers {
      guard case .starting(let until) = subscriber.state, until <= now else { continue }
      subscribers.removeAll { $0.id == subscriber.id }
      let limit = subscriber.options.startLimit ?? limits.attribute
      let ending = Ending.timedOut(subscriber.options.delivery.call, limit)
      actions.append(.ended(subscriber.id, ending, open: nil))
    }
    if let until = resumeUntil, until <= now {
      resumeUntil = nil
      actions += sift(lastEnding, now, keeps: \.isStarting)
    }
    return actions
  }

  // MARK: The call that is due

  /// Starts or continues the subscription, which has a subscriber.
  private mutating func proceed(_ now: Instant) -> [Action] {
    // The reply to a call whose caller has unsubscribed counts for later subscribers.
    let actions = live?.delivery == .signals ? rule(true) : []
    guard session == .none, live == nil else { return actions }
    let newcomer = link == nil ? nil : subscribers.first(where: \.isStarting)
    if case .pausing(let until) = retry, now < until, newcomer == nil { return actions }
    if link == nil {
      defer { retry = .connecting }
      return retry == .connecting ? actions : actions + [.reconnect]
    }
    retry = .none
    guard isObjectThere, let delivery = (newcomer ?? subscribers.first)?.options.delivery else {
      return actions
    }
    // bluetoothd refuses to let a client acquire a characteristic that it notifies.
    if delivery == .acquire, isKept { return actions + stop(nil, now) }
    calls += 1
    // A newcomer may allow more time, as for a user who types a passkey.
    let limit = max(limits.attribute, newcomer?.options.startLimit ?? .zero)
    starts.append(Start(number: calls, delivery: delivery, until: now + limit, limit: limit))
    return actions + (delivery == .signals ? rule(true) : []) + [.sendStart(calls, delivery)]
  }

  /// Ends the subscription, which has no subscriber.
  private mutating func windDown(_ now: Instant) -> [Action] {
    var actions: [Action] = retry == .connecting ? [.cancelReconnect] : []
    (retry, resumeUntil) = (.none, nil)
    backoff.progress()
    switch session {
    case .active(let carrier): actions += stop(carrier.socket, now)
    case .none, .released:
      session = .none
      if isKept { actions += stop(nil, now) }
    case .stopping: break
    }
    if session.stop != nil { return actions }
    defer { leaving = [] }
    return actions + rule(false) + leaving.map { .ended($0.id, nil, open: $0.gap) }
  }

  private mutating func stop(_ socket: SocketID?, _ now: Instant) -> [Action] {
    calls += 1
    (isKept, session) = (false, .stopping(calls, socket, until: now + limits.call))
    return [.sendStop(calls)]
  }

  private mutating func rule(_ isWanted: Bool) -> [Action] {
    defer { hasRule = isWanted }
    return hasRule == isWanted ? [] : [isWanted ? .addRule : .removeRule]
  }
}

extension SubscriptionOptions.Delivery {
  /// The D-Bus method that begins this delivery.
  fileprivate var call: String {
    switch self {
    case .signals: "StartNotify"
    case .acquire: "AcquireNotify"
    }
  }
}

extension SubscriptionMachine.Ending {
  init(_ cause: Cause) {
    self.init(
      kind: Kind(code: cause.code, isTransient: cause.failureClass == .passing), error: cause)
  }

  static func timedOut(_ operation: String, _ limit: Duration) -> Self {
    Self(kind: .transient, error: TimedOut(operation: operation, after: limit))
  }
}

extension SubscriptionMachine.Ending.Kind {
  init(code: DeviceFailure.Code, isTransient: Bool) {
    switch code {
    case .linkLost: self = .loss
    case .notConnected: self = .notConnected
    // Missing perhaps only until bluetoothd has read the services of the device again.
    case .characteristicMissing, .serviceMissing: self = .transient
    // open: codes of failures
    default: self = isTransient ? .transient : .final
    }
  }
}
