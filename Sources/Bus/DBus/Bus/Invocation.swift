// A method call to this connection, and its single reply.

import Signals

/// Handles the method calls that arrive on a connection.
package protocol ObjectHandler: Sendable {
  /// Handles a method call to any path. Called on the loop.
  ///
  /// The reply is sent through the invocation, now or later, once.
  ///
  /// - Returns: Whether the handler accepts the call. When no handler does, the connection replies that
  ///   the object is unknown.
  func handle(_ invocation: Invocation) -> Bool
}

/// A method call that awaits its reply.
package final class Invocation: Sendable {
  /// The call.
  package let message: Message
  /// The connection on which the call arrived, and which sends the reply.
  package let bus: MessageBus

  private let beforeAnswer: (@Sendable () -> Void)?
  private let isAnswered = Guarded(false)

  /// A call that has arrived.
  ///
  /// - Parameters:
  ///   - message: The call.
  ///   - bus: The bus that it came from.
  ///   - beforeAnswer: Called before a reply is sent, for effects that must be visible first; also
  ///     called when no reply is expected.
  package init(message: Message, bus: MessageBus, beforeAnswer: (@Sendable () -> Void)? = nil) {
    self.message = message
    self.bus = bus
    self.beforeAnswer = beforeAnswer
  }

  /// Whether a reply was sent.
  package var hasAnswer: Bool { isAnswered.withLock { $0 } }

  /// The same call, for a handler whose reply must not arrive.
  package func losingAnswer() -> Invocation {
    var message = message
    message.noReplyExpected = true
    return Invocation(message: message, bus: bus, beforeAnswer: beforeAnswer)
  }

  /// Replies with values. A second reply is ignored, and so is one after the bus has ended.
  ///
  /// Values that cannot be sent become the error `org.freedesktop.DBus.Error.Failed`.
  ///
  /// Without a reply the caller waits until its deadline.
  package func reply(_ body: [DBusValue] = []) { answer { $0.reply(body) } }

  /// Replies with an error. A second reply is ignored, and so is one after the bus has ended.
  package func fail(_ error: DBusError) { answer { $0.errorReply(error) } }

  private func answer(_ make: (Message) -> Message) {
    let isFirst = isAnswered.withLock { isAnswered in
      defer { isAnswered = true }
      return !isAnswered
    }
    guard isFirst else { return }
    beforeAnswer?()
    guard !message.noReplyExpected else { return }
    do {
      try bus.send(make(message))
    } catch let error as DBusValueError {
      let failure = DBusError(name: .failed, message: "The answer cannot be sent: \(error)")
      try? bus.send(message.errorReply(failure))
    } catch {
      // The bus has ended: there is nobody to reply to.
    }
  }
}

extension Invocation {
  /// The reply to a call that no handler accepts, worded as libdbus words it.
  ///
  /// - Source: libdbus 1.14, `dbus/dbus-connection.c` (dbus_connection_dispatch).
  static func unclaimed(_ message: Message, name: DBusError.Name = .unknownObject) -> DBusError {
    DBusError(
      name: name,
      message: "Method \"\(message.member ?? "")\" with signature \"\(message.signature)\""
        + " on interface \"\(message.interface ?? "(null)")\" doesn't exist\n"
    )
  }
}
