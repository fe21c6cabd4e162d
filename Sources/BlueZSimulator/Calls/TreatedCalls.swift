// The calls on their way to the objects: delayed, ignored or without an answer, where a test says so.

import BlueZInterfaces
import DBus
import Signals

/// A handler in front of another one, with a look at each call.
final class TreatedCalls: ObjectHandler {
  typealias Treatment = @Sendable (Message) -> CallTreatment

  private let inner: any ObjectHandler
  private let treatment = Guarded<Treatment>({ _ in .take })
  private let listener = Guarded<(@Sendable (Message) -> Void)?>(nil)

  init(_ inner: any ObjectHandler) { self.inner = inner }

  /// Has `listener` told of every call from now on, before it is treated.
  func onCall(_ listener: @escaping @Sendable (Message) -> Void) {
    self.listener.withLock { $0 = listener }
  }

  /// Decides about every call from now on; those that are delayed already come in their time.
  func treat(_ treatment: @escaping Treatment) { self.treatment.withLock { $0 = treatment } }

  /// Lets go of the treatment and the listener, which may hold what holds this.
  func forget() {
    treatment.withLock { $0 = { _ in .take } }
    listener.withLock { $0 = nil }
  }

  func handle(_ invocation: Invocation) -> Bool {
    listener.withLock { $0 }?(invocation.message)
    let treat = treatment.withLock { $0 }
    switch treat(invocation.message) {
    case .take: return inner.handle(invocation)
    case .ignore: return true
    case .fail(let error):
      invocation.fail(error)
      return true
    case .loseAnswer: return inner.handle(invocation.losingAnswer())
    case .delay(let delay):
      invocation.bus.loop.after(delay) { [self] in
        if inner.handle(invocation) { return }
        let call = invocation.message
        invocation.refuse(
          .unknownObject(
            method: call.member ?? "",
            signature: "\(call.signature)",
            interface: call.interface ?? ""
          )
        )
      }
      return true
    }
  }
}
