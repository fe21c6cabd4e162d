// What a connection exchanges with one destination, for logs and records.
//
// It observes; nothing waits for it.

import Signals

/// A call that is observed until its reply, which another thread may receive before this one has
/// reported the call.
final class ObservedCall: Sendable {
  private enum State {
    case sent
    case begun
    /// The end is to be reported after the beginning.
    case ended(ObservedMessage)
  }

  private let ordinal: Int
  private let call: MethodCall
  private let observer: CallObserver
  private let state = Guarded(State.sent)

  fileprivate init(_ call: MethodCall, _ ordinal: Int, _ observer: CallObserver) {
    self.call = call
    self.ordinal = ordinal
    self.observer = observer
  }

  /// It was sent.
  func begin() {
    observer.receive(ObservedMessage(ordinal, call))
    let ended = state.withLock { state in
      defer { state = .begun }
      return state
    }
    if case .ended(let message) = ended { observer.receive(message) }
  }

  /// Its reply has arrived, or none can arrive any more.
  func end(_ result: Result<Message, any Error>) {
    let message = ObservedMessage(ordinal, call, result)
    let isBegun = state.withLock { state in
      if case .begun = state { return true }
      state = .ended(message)
      return false
    }
    if isBegun { observer.receive(message) }
  }
}

/// Who observes the calls to one destination, and what arrives here.
struct CallObserver: Sendable {
  let destination: String
  let receive: @Sendable (ObservedMessage) -> Void
  /// How many calls were observed.
  var count = 0

  /// The call as one that is observed; nil when its destination is another.
  mutating func observed(_ call: MethodCall) -> ObservedCall? {
    guard call.destination == destination else { return nil }
    count += 1
    return ObservedCall(call, count, self)
  }
}

extension MessageBus {
  /// Reports later calls of this connection to a destination, and their ends; also the signals and
  /// the calls that arrive here, whoever sent them.
  ///
  /// A reply that arrives after its caller has given up is not reported.
  ///
  /// - Parameters:
  ///   - destination: The bus name that is called.
  ///   - receive: Called with each message: of a call on the thread that sends it, of its end on the
  ///     loop, or on the thread that closes the connection.
  package func observeMessages(
    to destination: String,
    _ receive: @escaping @Sendable (ObservedMessage) -> Void
  ) {
    state.withLock { $0.callObserver = CallObserver(destination: destination, receive: receive) }
  }
}
