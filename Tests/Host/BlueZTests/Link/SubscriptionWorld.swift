// bluetoothd and a device as a machine sees them, and the promises that the machine has to keep.

import Bluetooth
import Signals

@testable import BlueZ

/// Something that happens to a subscription.
enum SubscriptionMove: String, CaseIterable {
  case joinA, joinB, leaveA, leaveB, up, noLink, down, disconnect, withdraw, restore
  /// The oldest call to begin is answered, whichever link it was sent on.
  case grant, refuse
  case stopped, value, socketEnds
  /// It is the machine's next deadline; bluetoothd has done what it has not answered by then.
  case later
}

/// The device and bluetoothd around one machine, as two subscribers see them.
struct SubscriptionWorld {
  struct Call {
    let number: UInt64, delivery: SubscriptionOptions.Delivery, at: Instant;
    var link: SubscriptionMachine.Link, isLost = false, isDone = false
  }
  var machine = SubscriptionMachine(
    link: 1, limits: SubscriptionMachine.Limits(BlueZLimits())
  )
  var now = Instant.start, log: [String] = [], problems: [String] = []
  let options: [SubscriptionOptions]
  private var ids: [SubscriptionMachine.SubscriberID?] = [nil, nil],
    lastID: SubscriptionMachine.SubscriberID = 0
  /// The subscribers that have not ended, and whether they have begun.
  private var hasBegun: [SubscriptionMachine.SubscriberID: Bool] = [:],
    gapEnds: [SubscriptionMachine.SubscriberID: Instant] = [:]
  /// The subscribers that have to be told of a loss.
  private var owed: Set<SubscriptionMachine.SubscriberID> = []
  private var calls: [Call] = [],
    stops: [(number: UInt64, at: Instant, link: SubscriptionMachine.Link)] = []
  private var links: SubscriptionMachine.Link = 1, sockets: SubscriptionMachine.SocketID = 0,
    open: Set<SubscriptionMachine.SocketID> = []
  /// The session that bluetoothd has for this program; in doubt where a call had no reply in time.
  private var held: SubscriptionOptions.Delivery?, isInDoubt = false
  private var isThere = true, isConnecting = false, hasRule = false
  init(_ a: SubscriptionOptions, _ b: SubscriptionOptions) { options = [a, b] }

  /// Makes a move; false when it is impossible now.
  mutating func make(_ move: SubscriptionMove) -> Bool {
    guard let event = event(move) else { return false }
    if [.down, .disconnect, .withdraw].contains(move) || move == .up && machine.link != nil {
      owed.formUnion(machine.subscribers.map(\.id).filter { hasBegun[$0] == true })
    }
    let active = machine.session.isActive ? machine.subscribers.count : 0
    machine.apply(event, at: now).forEach { perform($0) }
    if move == .later {
      demand(machine.subscribers.count >= active, "time ends nobody who is active")
    }
    if machine.subscribers.isEmpty { return true }
    if machine.session.isActive {
      demand(
        machine.link != nil && (hasRule || machine.session != .active(.signals)), "active on a link"
      )
      demand(
        owed.isEmpty && machine.subscribers.allSatisfy { $0.state == .listening }, "losses are told"
      )
    } else {
      demand(machine.wait != nil && machine.deadline ?? now > now, "no silence")
      demand(
        machine.wait != .startReply || hasRule || calls.last?.delivery == .acquire, "early values")
    }
    return true
  }

  private mutating func event(_ move: SubscriptionMove) -> SubscriptionMachine.Event? {
    let seat = [.joinA, .leaveA].contains(move) ? 0 : 1
    let isHere = ids[seat].map { hasBegun[$0] != nil } ?? false
    switch move {
    case .joinA where !isHere, .joinB where !isHere:
      lastID += 1
      (ids[seat], hasBegun[lastID]) = (lastID, false)
      return .subscribe(lastID, options[seat])
    case .leaveA where isHere, .leaveB where isHere: return ids[seat].map { .leave($0) }
    // Also where the end of the last one was not seen.
    case .up:
      if held == .acquire { held = nil }
      if calls.contains(where: { $0.link == machine.link && $0.delivery == .signals }) {
        isInDoubt = true
      }
      (links, isConnecting) = (links + 1, false)
      return .linkUp(links)
    case .noLink where isConnecting:
      isConnecting = false
      return .connectFailed(.timedOut("Connect", .seconds(45)))
    // Also one that never was ready.
    case .down where machine.link != nil || isConnecting, .disconnect where machine.link != nil:
      if held == .acquire { held = nil }
      // Pending calls of the link may have an effect without a reply.
      if calls.contains(where: { $0.link == machine.link && $0.delivery == .signals }) {
        isInDoubt = true
      }
      return .linkDown(SubscriptionMachine.Ending(move == .down ? .linkLost : .notConnected))
    case .withdraw where isThere:
      (isThere, held) = (false, nil)
      for place in calls.indices { calls[place].link = 0 }
      for place in stops.indices { stops[place].link = 0 }
      return .objectRemoved(SubscriptionMachine.Ending(.objectGone))
    case .restore where !isThere:
      isThere = true
      return .objectRestored
    case .grant:
      guard let call = calls.first, call.isDone || canHold(call) else { return nil }
      calls.removeFirst()
      if call.link == machine.link || call.link != 0 && call.delivery == .signals {
        held = call.delivery
      }
      // Its object is gone, and so is what there is to stop.
      if call.link == 0 { isInDoubt = true }
      guard call.delivery == .acquire else { return .startReplied(call.number, .success(.signals)) }
      sockets += 1
      open.insert(sockets)
      return .startReplied(call.number, .success(.socket(sockets)))
    case .refuse where !calls.isEmpty:
      return .startReplied(calls.removeFirst().number, .failure(SubscriptionMachine.Ending(.busy)))
    case .stopped where !stops.isEmpty: return .stopReplied(stops.removeFirst().number, nil)
    case .value where held != nil && (machine.link != nil || isConnecting): return .value
    case .socketEnds:
      if case .stopping(_, let socket?, _) = machine.session { return .socketEnded(socket) }
      guard case .active(.socket(let socket)) = machine.session else { return nil }
      held = nil
      return .socketEnded(socket)
    case .later:
      guard let deadline = machine.deadline else { return nil }
      now = max(now, deadline)
      for place in calls.indices
      where !calls[place].isLost && calls[place].at + machine.limits.attribute <= now {
        (calls[place].isLost, isInDoubt) = (true, true)
        calls[place].isDone = canHold(calls[place])
        if calls[place].isDone, calls[place].link == machine.link { held = calls[place].delivery }
      }
      return .timePassed
    default: return nil
    }
  }

  /// bluetoothd refuses to begin what is acquired, and to acquire what has begun.
  private func canHold(_ call: Call) -> Bool {
    call.link != machine.link || held == nil || held == .signals && call.delivery == .signals
  }

  private mutating func demand(_ isKept: Bool, _ promise: String) {
    if !isKept { problems.append(promise) }
  }

  private mutating func perform(_ action: SubscriptionMachine.Action) {
    switch action {
    case .addRule: demand(!hasRule, "one rule"); hasRule = true
    case .removeRule: demand(hasRule, "a rule to remove"); hasRule = false
    case .sendStart(let number, let delivery):
      demand(machine.link != nil && isThere, "a start needs a link and an object")
      demand(!calls.contains { $0.link == machine.link && !$0.isLost }, "one start pending")
      let isStopping = stops.contains {
        $0.link == machine.link && $0.at + machine.limits.call > now
      }
      demand(!isStopping, "no start beside a stop")
      demand(delivery == .signals ? hasRule : held == nil || isInDoubt, "nothing in its way")
      calls.append(Call(number: number, delivery: delivery, at: now, link: machine.link ?? 0))
      log.append("start \(number)")
    case .sendStop(let number):
      demand(held != nil || isInDoubt, "one stop for each start")
      held = nil
      stops.append((number, now, machine.link ?? 0))
      log.append("stop \(number)")
    case .close(let socket):
      demand(open.remove(socket) != nil, "closed once"); log.append("close \(socket)")
    case .reconnect:
      demand(!isConnecting && machine.link == nil, "one reconnection"); isConnecting = true
      log.append("reconnect")
    case .cancelReconnect: demand(isConnecting, "a reconnection to cancel"); isConnecting = false
    case .began(let id):
      demand(hasBegun.updateValue(true, forKey: id) == false, "begins once")
      log.append("began \(id)")
    case .gap(let id, let gap):
      demand(hasBegun[id] == true, "a gap of one that has begun")
      log.append("gap \(id) \(told(gap, id))")
    case .ended(let id, let cause, let gap):
      demand(hasBegun.removeValue(forKey: id) != nil, "ends once")
      demand(owed.remove(id) == nil || cause != nil || gap != nil, "an end tells the open gap")
      log.append(
        "ended \(id)" + (cause.map { " \(code($0))" } ?? "")
          + (gap.map { " open \(told($0, id))" } ?? ""))
    }
  }

  private func code(_ ending: SubscriptionMachine.Ending) -> String {
    (ending.error as? Cause)?.code.rawValue ?? "timed-out"
  }

  private mutating func told(_ gap: SubscriptionMachine.Gap, _ id: SubscriptionMachine.SubscriberID)
    -> String
  {
    let times = [gapEnds[id] ?? .start, gap.from, gap.to, now]
    demand(times == times.sorted(), "gaps in order")
    gapEnds[id] = gap.to
    owed.remove(id)
    return "\(gap.from.sinceStart.components.seconds)-\(gap.to.sinceStart.components.seconds)"
  }

  /// Everybody leaves, and everything is answered, with `answer`: nothing may be left.
  mutating func close(_ answer: SubscriptionMove) {
    for move in [SubscriptionMove.leaveA, .leaveB] { _ = make(move) }
    for _ in 0..<40 { if ![.stopped, answer, .later].contains(where: { make($0) }) { break } }
    demand(held == nil && hasBegun.isEmpty, "nobody and nothing stays subscribed")
    demand(!hasRule && !isConnecting && open.isEmpty, "nothing is left over")
    demand(machine.deadline == nil && machine.session == .none && !machine.isKept, "at rest")
  }

  /// All is well from here on: who has not ended is active soon.
  mutating func recover() {
    for _ in 0..<40 where !machine.subscribers.isEmpty {
      if machine.session.isActive { return demand(held != nil, "active at bluetoothd, too") }
      let isDue = calls.contains { !$0.isLost && $0.link == machine.link }
      let moves: [SubscriptionMove] =
        [.restore, .stopped] + (isConnecting ? [.up] : isDue ? [.grant] : []) + [.later]
      if !moves.contains(where: { make($0) }) { break }
    }
    demand(machine.subscribers.isEmpty || machine.session.isActive, "active when all is well")
  }
}
