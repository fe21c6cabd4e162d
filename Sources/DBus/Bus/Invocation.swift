// A method call to this connection, and its one answer.

import Signals

/// Takes the method calls that come to a connection.
public protocol ObjectHandler: Sendable {
  /// Handles a method call, for whatever path it is. Called on the loop.
  ///
  /// The answer is given through the invocation, now or later, once.
  ///
  /// - Returns: Whether the call is this handler's. When no handler takes it, the front answers
  ///   that there is no such object.
  func handle(_ invocation: Invocation) -> Bool
}

/// A method call that waits for its answer.
public final class Invocation: Sendable {
  /// The call.
  public let message: Message
  /// The connection that it came to, and that the answer leaves by.
  public let bus: any MessageBus

  private let beforeAnswer: (@Sendable () -> Void)?
  private let isAnswered = Guarded(false)

  /// - Parameter beforeAnswer: Called before an answer leaves, for what has to be seen first; also
  ///   when no reply is expected.
  public init(
    message: Message,
    bus: any MessageBus,
    beforeAnswer: (@Sendable () -> Void)? = nil
  ) {
    self.message = message
    self.bus = bus
    self.beforeAnswer = beforeAnswer
  }

  /// Whether an answer was given.
  public var hasAnswer: Bool { isAnswered.withLock { $0 } }

  /// The same call for a handler whose answer is not to arrive.
  public func losingAnswer() -> Invocation {
    var message = message
    message.noReplyExpected = true
    return Invocation(message: message, bus: bus, beforeAnswer: beforeAnswer)
  }

  /// Answers with values. A second answer is ignored, and so is one after the bus has ended.
  ///
  /// Values that cannot be sent become the error `org.freedesktop.DBus.Error.Failed`.
  public func reply(_ body: [DBusValue] = []) { answer { $0.reply(body) } }

  /// Answers with an error. A second answer is ignored, and so is one after the bus has ended.
  public func fail(_ error: DBusError) { answer { $0.errorReply(error) } }

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
      // The bus has ended: nobody is left to answer.
    }
  }
}

extension Invocation {
  /// The answer to a call that no handler takes, worded as libdbus does.
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
