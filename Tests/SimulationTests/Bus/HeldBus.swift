// A bluetoothd that takes its time, as a busy one does: calls are held before it takes them up.

import DBus
import Signals

/// The simulator's connection to its bus, with a look at each call before it is handled.
final class HeldBus: MessageBus {
  /// How long a call waits before it is handled; nil when it never is.
  typealias Hold = @Sendable (Message) -> Duration?

  private let inner: any MessageBus
  private let hold: Hold

  init(_ inner: any MessageBus, hold: @escaping Hold) {
    self.inner = inner
    self.hold = hold
  }

  var loop: Loop { inner.loop }
  var uniqueName: String { inner.uniqueName }
  var address: String { inner.address }

  func begin(
    _ call: MethodCall,
    for caller: Completion<Message>,
    lateReply: (@Sendable (Result<Message, DBusError>) -> Void)?
  ) throws -> UInt32 {
    try inner.begin(call, for: caller, lateReply: lateReply)
  }

  func leave(_ serial: UInt32) { inner.leave(serial) }

  func send(_ message: Message) throws { try inner.send(message) }

  func subscribe(
    _ rule: MatchRule,
    _ handler: @escaping @Sendable (Message) -> Void
  ) async throws -> Subscription {
    try await inner.subscribe(rule, handler)
  }

  func requestName(_ name: String, flags: NameRequestFlags) async throws -> NameRequestReply {
    try await inner.requestName(name, flags: flags)
  }

  func releaseName(_ name: String) async throws { try await inner.releaseName(name) }

  func nameOwner(_ name: String) async throws -> String? { try await inner.nameOwner(name) }

  func watchOwner(
    of name: String,
    _ changed: @escaping @Sendable (_ owner: String?) -> Void
  ) async throws -> Subscription {
    try await inner.watchOwner(of: name, changed)
  }

  func export(_ handler: any ObjectHandler) throws -> Export {
    try inner.export(HeldHandler(inner: handler, hold: hold))
  }

  func onClose(_ handler: @escaping @Sendable (BusFailure) -> Void) { inner.onClose(handler) }

  func close() { inner.close() }
}

private struct HeldHandler: ObjectHandler {
  let inner: any ObjectHandler
  let hold: HeldBus.Hold

  func handle(_ invocation: Invocation) -> Bool {
    guard let delay = hold(invocation.message) else { return true }
    guard delay > .zero else { return inner.handle(invocation) }
    invocation.bus.loop.after(delay) {
      if !inner.handle(invocation) {
        invocation.fail(DBusError(name: .unknownObject, message: "gone"))
      }
    }
    return true
  }
}
