// What a connection asks one destination, and what it is answered: for logs.
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
    case ended(String)
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
    let method = "\(call.interface).\(call.member)"
    observer.receive("call \(ordinal) \(call.path) \(method)(\(Self.list(call.body)))")
    let ended = state.withLock { state in
      defer { state = .begun }
      return state
    }
    if case .ended(let line) = ended { observer.receive(line) }
  }

  /// Its reply has arrived, or none can arrive any more.
  func end(_ result: Result<Message, any Error>) {
    let line = line(of: result)
    let isBegun = state.withLock { state in
      if case .begun = state { return true }
      state = .ended(line)
      return false
    }
    if isBegun { observer.receive(line) }
  }

  private func line(of result: Result<Message, any Error>) -> String {
    let name = "to \(ordinal) \(call.member)"
    switch result {
    case .success(let reply): return "reply \(name) (\(Self.list(reply.body)))"
    case .failure(let error as DBusError):
      return "error \(name) \(error.name.rawValue) (\(error.message.debugDescription))"
    case .failure(let error): return "error \(name): \(error)"
    }
  }

  private static func list(_ values: [DBusValue]) -> String {
    values.map(\.text).joined(separator: ", ")
  }
}

/// Who observes the calls to one destination.
struct CallObserver: Sendable {
  let destination: String
  let receive: @Sendable (_ line: String) -> Void
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
  /// Reports later calls of this connection to a destination, and their ends, as lines:
  /// `call 5 /org/bluez/hci0 org.bluez.Adapter1.StartDiscovery()`, then
  /// `reply to 5 StartDiscovery ()` or `error to 5 StartDiscovery org.bluez.Error.Busy ("")`.
  ///
  /// A reply that arrives after its caller has given up is not reported.
  ///
  /// - Parameters:
  ///   - destination: The bus name that is called.
  ///   - receive: Called with each line: of a call on the thread that sends it, of its end on the
  ///     loop, or on the thread that closes the connection.
  package func observeCalls(
    to destination: String,
    _ receive: @escaping @Sendable (_ line: String) -> Void
  ) {
    (self as? any BusFront)?.install(CallObserver(destination: destination, receive: receive))
  }
}

extension BusFront {
  fileprivate func install(_ observer: CallObserver) {
    state.withLock { $0.callObserver = observer }
  }
}
