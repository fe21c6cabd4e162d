// Who receives the reply to a call.

import Signals

/// A caller that waits, or a handler that is called in the order of arrival.
struct ReplyWaiter: Sendable {
  /// A task; it resumes when the loop gets to it.
  let caller: Completion<Message>?
  /// A handler; it is called on the loop, before anything that arrived later is processed.
  let handler: (@Sendable (Result<Message, any Error>) -> Void)?

  static func caller(_ caller: Completion<Message>) -> ReplyWaiter {
    ReplyWaiter(caller: caller, handler: nil)
  }

  static func handler(
    _ handler: @escaping @Sendable (Result<Message, any Error>) -> Void
  ) -> ReplyWaiter {
    ReplyWaiter(caller: nil, handler: handler)
  }
}

extension PendingCalls<ReplyWaiter>.Entry {
  /// Delivers the result of the call. Called on the loop, unless `isHandled` is false.
  func end(_ result: Result<Message, any Error>) {
    if let handler = waiter?.handler { return handler(result) }
    if let caller = waiter?.caller, caller.end(result) { return }
    guard let lateReply else { return }
    switch result {
    case .success(let message): lateReply(.success(message))
    case .failure(let error as DBusError): lateReply(.failure(error))
    case .failure(let error):
      lateReply(.failure(DBusError(name: .disconnected, message: "\(error)")))
    }
  }
}
