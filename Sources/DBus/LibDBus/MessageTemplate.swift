// What a repeated method call keeps of its last marshalling.

import CDBus
import Signals

/// The marshalled form of a call, kept from its second use on.
///
/// A copy of a libdbus message costs a fraction of making one. Most calls are made once, though, so
/// the first use keeps nothing. Calls with descriptors are not kept either: they would stay open.
final class MessageTemplate: Sendable {
  private struct State {
    var wasUsed = false
    /// Owned; never sent, so that libdbus does not lock it.
    var kept: OpaquePointer?
  }

  private let state = Guarded(State())

  deinit {
    if let kept = state.withLock({ $0.kept }) { dbus_message_unref(kept) }
  }

  /// A marshalled form of `call` that the caller may send.
  ///
  /// - Throws: ``DBusValueError`` when an argument cannot be sent.
  func marshal(_ call: MethodCall) throws(DBusValueError) -> MarshalledMessage {
    let copy = state.withLock { state in state.kept.flatMap { dbus_message_copy($0) } }
    if let copy { return MarshalledMessage(owning: copy) }
    let made = try MarshalledMessage.marshalling(call.message())
    let pointer = made.pointer
    state.withLock { state in
      if state.wasUsed, state.kept == nil, dbus_message_contains_unix_fds(pointer) == 0 {
        state.kept = dbus_message_copy(pointer)
      }
      state.wasUsed = true
    }
    return made
  }
}
