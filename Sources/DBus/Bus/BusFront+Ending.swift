// The end of a connection, for every front.

import Signals

extension BusFront {
  /// Reports the end to everybody: to waiting callers at once, to handlers on the loop.
  ///
  /// - Parameter ended: The tables of the connection as they were.
  func announceEnd(of ended: State, _ failure: BusFailure) {
    var ended = ended
    var others: [PendingCalls<ReplyWaiter>.Entry] = []
    for call in ended.pending.takeAll() {
      if let caller = call.waiter?.caller, caller.fail(failure) { continue }
      others.append(call)
    }
    let handlers = ended.closeHandlers
    loop.post { [others] in
      for call in others { call.end(.failure(failure)) }
      for handler in handlers { handler(failure) }
    }
  }
}
