// What arrives on a connection, and who receives it. All of it runs on the loop.

import Signals

extension MessageBus {
  /// A message has arrived.
  func receive(_ message: Message) {
    switch message.kind {
    case .signal: deliver(message)
    case .methodCall: offer(message)
    case .methodReturn, .error:
      guard let call = state.withLock({ $0.pending.take(message.replySerial ?? 0) }) else { return }
      call.end(Self.result(of: message))
    }
  }

  private static func result(of reply: Message) -> Result<Message, any Error> {
    if let refusal = reply.refusal {
      let isTooLarge = refusal.name == .messageTooLarge
      return .failure(isTooLarge ? BusFailure.messageTooLarge(reason: refusal.message) : refusal)
    }
    return DBusError(reply).map { .failure($0) } ?? .success(reply)
  }

  /// Offers a call to the handlers, in order, and answers it when none accepts it.
  ///
  /// As with libdbus, every connection answers `org.freedesktop.DBus.Peer` on every path.
  private func offer(_ call: Message) {
    let invocation = Invocation(message: call, bus: self)
    // Its arguments could not be read.
    if let refusal = call.refusal { return invocation.fail(refusal) }
    let (handlers, observer) = state.withLock { ($0.exports.all, $0.callObserver) }
    observer?.receive(ObservedMessage(.request, call))
    for handler in handlers where handler.handle(invocation) { return }
    if call.interface == "org.freedesktop.DBus.Peer", call.body.isEmpty {
      if call.member == "Ping" { return invocation.reply() }
      if call.member == "GetMachineId", let id = wire.machineID {
        return invocation.reply([.string(id)])
      }
      return invocation.fail(Invocation.unclaimed(call, name: .unknownMethod))
    }
    invocation.fail(Invocation.unclaimed(call))
  }

  /// Delivers a signal to its subscribers, in the order they subscribed.
  private func deliver(_ signal: Message) {
    let (matching, observer) = state.withLock {
      ($0.subscribers.matching(signal), $0.callObserver)
    }
    observer?.receive(ObservedMessage(.signal, signal))
    // One handler may have cancelled another.
    for subscriber in matching where state.withLock({ $0.subscribers.contains(subscriber.id) }) {
      subscriber.handler(signal)
    }
  }
}
