// Who gets the reply to a call.

import Signals

/// A caller that waits, or a handler that is called in the order of arrival.
enum ReplyWaiter: Sendable {
  /// A task; it runs on when the loop gets to it.
  case caller(Completion<Message>)
  /// A handler; it is called on the loop, before anything that came later is looked at.
  case handler(@Sendable (Result<Message, any Error>) -> Void)
}

extension PendingCalls<ReplyWaiter>.Entry {
  /// Hands over what the call came to. Called on the loop, unless `isHandled` is false.
  func end(_ result: Result<Message, any Error>) {
    switch waiter {
    case .caller(let caller)?:
      if caller.end(result) { return }
    case .handler(let handler)?:
      handler(result)
      return
    case nil: break
    }
    guard let lateReply else { return }
    switch result {
    case .success(let message): lateReply(.success(message))
    case .failure(let error as DBusError): lateReply(.failure(error))
    case .failure(let error):
      lateReply(.failure(DBusError(name: .disconnected, message: "\(error)")))
    }
  }
}
