// A received method call, and its single reply.

import Signals

/// Handles the method calls that arrive on a connection.
package protocol ObjectHandler: Sendable {
  /// Handles a method call to any path. Called on the loop.
  ///
  /// The reply is sent through the invocation, now or later, once.
  ///
  /// - Returns: Whether the handler accepts the call. If no handler does, the connection replies
  ///   that the object is unknown.
  func handle(_ invocation: Invocation) -> Bool
}

/// A method call that awaits its reply.
package final class Invocation: Sendable {
  /// The call.
  package let message: Message
  /// The connection that received the call and sends the reply.
  package let bus: MessageBus

  private let beforeReply: (@Sendable () -> Void)?
  private let isReplied = Guarded(false)

  /// A received call.
  ///
  /// - Parameters:
  ///   - message: The call.
  ///   - bus: The connection that received it.
  ///   - beforeReply: Called before the reply is sent, for effects that must be visible first; also
  ///     called if no reply is expected.
  package init(message: Message, bus: MessageBus, beforeReply: (@Sendable () -> Void)? = nil) {
    self.message = message
    self.bus = bus
    self.beforeReply = beforeReply
  }

  /// Whether a reply was sent.
  package var hasReply: Bool { isReplied.withLock { $0 } }

  /// The call for a handler whose reply must not be sent.
  package func suppressingReply() -> Invocation {
    var message = message
    message.noReplyExpected = true
    return Invocation(message: message, bus: bus, beforeReply: beforeReply)
  }

  /// Replies with values. A second reply is ignored, and so is one after the bus has ended.
  ///
  /// Values that cannot be sent become the error `org.freedesktop.DBus.Error.Failed`. Without a
  /// reply the caller waits until its deadline.
  package func reply(_ body: [DBusValue] = []) { sendReply { $0.reply(body) } }

  /// Replies with an error. A second reply is ignored, and so is one after the bus has ended.
  package func fail(_ error: DBusError) { sendReply { $0.errorReply(error) } }

  private func sendReply(_ make: (Message) -> Message) {
    let isFirst = isReplied.withLock { isReplied in
      defer { isReplied = true }
      return !isReplied
    }
    guard isFirst else { return }
    beforeReply?()
    guard !message.noReplyExpected else { return }
    do {
      try bus.send(make(message))
    } catch let error as DBusValueError {
      let failure = DBusError(name: .failed, message: "The answer cannot be sent: \(error)")
      try? bus.send(message.errorReply(failure))
    } catch {
      // The connection has ended: no reply can be sent.
    }
  }
}

extension Invocation {
  /// The error reply to a call that no handler accepts, with the text of libdbus.
  ///
  /// - Source: libdbus 1.14, `dbus/dbus-connection.c` (dbus_connection_dispatch).
  static func unhandledError(_ message: Message, name: DBusError.Name = .unknownObject) -> DBusError
  {
    DBusError(
      name: name,
      message: "Method \"\(message.member ?? "")\" with signature \"\(message.signature)\""
        + " on interface \"\(message.interface ?? "(null)")\" doesn't exist\n"
    )
  }
}
