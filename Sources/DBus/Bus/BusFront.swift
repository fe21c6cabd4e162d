// What both fronts of the port share: the tables of one connection, and how a call starts.
//
// The semantics of names, rules and handlers are written once on top of it, in
// BusFront+Names.swift.

import Signals

/// The tables of one connection.
protocol FrontState: Sendable {
  /// Why the connection has ended; nil while it is open.
  var failure: BusFailure? { get }
  var pending: PendingCalls<ReplyWaiter> { get set }
  var matches: MatchTable<Completion<Void>> { get set }
  var subscribers: Subscribers { get set }
  var exports: Exports { get set }
  var closeHandlers: [@Sendable (BusFailure) -> Void] { get set }
  /// Who observes messages; nil for nobody.
  var callObserver: CallObserver? { get set }
}

extension FrontState {
  /// Enters a call that is about to be sent; `waiter` receives the reply.
  ///
  /// - Returns: The serial of the call; the call for its observer, if it has one.
  mutating func enter(
    _ call: MethodCall,
    _ waiter: ReplyWaiter,
    lateReply: PendingCalls<ReplyWaiter>.LateReply?
  ) throws(BusFailure) -> (serial: UInt32, observed: ObservedCall?) {
    var waiter = waiter
    waiter.observation = callObserver?.observed(call)
    return (try pending.enter(waiter, lateReply: lateReply), waiter.observation)
  }
}

/// A front: it keeps its tables under one lock, and sends calls.
protocol BusFront: MessageBus {
  associatedtype State: FrontState
  var state: Guarded<State> { get }

  /// Sends a call; `waiter` receives the reply.
  ///
  /// - Returns: The serial of the call.
  @discardableResult
  func start(
    _ call: MethodCall,
    _ waiter: ReplyWaiter,
    lateReply: PendingCalls<ReplyWaiter>.LateReply?
  ) throws -> UInt32
}

extension BusFront {
  /// Reports the end to everybody: to waiting callers at once, to handlers on the loop.
  ///
  /// - Parameter ended: The tables of the connection as they were.
  func announceEnd(of ended: State, _ failure: BusFailure) {
    var ended = ended
    var others: [PendingCalls<ReplyWaiter>.Entry] = []
    for call in ended.pending.takeAll() {
      if let caller = call.waiter?.caller, caller.fail(failure) {
        call.waiter?.observation?.end(.failure(failure))
        continue
      }
      others.append(call)
    }
    let handlers = ended.closeHandlers
    loop.post { [others] in
      for call in others { call.end(.failure(failure)) }
      for handler in handlers { handler(failure) }
    }
  }
}
