// What arrives on a connection, and who receives it. All of it runs on the loop.

import Signals

extension MessageBus {
  /// A message has arrived.
  func receive(_ message: Message) {
    switch message.kind {
    case .signal: deliver(message)
    case .methodCall: offer(message)
    case .methodReturn, .error:
      let serial = message.replySerial ?? 0
      let (taken, observer) = state.withLock { ($0.pending.take(serial), $0.observer) }
      guard let call = taken else { return }
      let refusal = message.refusal.map(Self.failure)
      if call.waiter != nil {
        observer?(refusal.map { .ended(call: serial, $0) } ?? message, loop.now)
      }
      if let failure = refusal ?? DBusError(message) {
        call.end(.failure(failure))
      } else {
        call.end(.success(message))
      }
    }
  }

  /// Why a call fails whose reply was refused.
  private static func failure(_ refusal: DBusError) -> any Error {
    guard refusal.name == .messageTooLarge else { return refusal }
    return BusFailure.messageTooLarge(reason: refusal.message)
  }

  /// Offers a call to the handlers, in order, and answers it when none accepts it.
  ///
  /// As with libdbus, every connection answers `org.freedesktop.DBus.Peer` on every path.
  private func offer(_ call: Message) {
    let (handlers, observer, hasEnded) = state.withLock {
      ($0.exports.all, $0.observer, $0.failure != nil)
    }
    // A bus in memory delivers what was on its way.
    if hasEnded { return }
    let invocation = Invocation(message: call, bus: self)
    // Its arguments could not be read.
    if let refusal = call.refusal { return invocation.fail(refusal) }
    observer?(call, loop.now)
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
      ($0.subscribers.matching(signal), $0.observer)
    }
    observer?(signal, loop.now)
    // One handler may have cancelled another.
    for subscriber in matching where state.withLock({ $0.subscribers.contains(subscriber.id) }) {
      subscriber.handler(signal)
    }
  }
}

extension Message {
  /// The end of a call that gets no reply, for an observer.
  static func ended(call serial: UInt32, _ error: any Error) -> Message {
    var contents = Contents(kind: .error)
    contents.replySerial = serial
    contents.body = [.string("\(error)")]
    return Message(contents)
  }
}
