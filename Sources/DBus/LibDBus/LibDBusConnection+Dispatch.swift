// Incoming messages of a libdbus connection, and who receives them. All of it runs on the loop.

import CDBus
import Signals

extension LibDBusConnection {
  /// The socket is ready, or libdbus has given up on it.
  func ready(_ events: Watch.Events) {
    if !events.isEmpty {
      state.withLock { state in
        if state.connection != nil { state.socket?.handle(events) }
      }
    }
    while true {
      var message: OpaquePointer?
      let change: SocketWatch.Change? = state.withLock { state in
        message = state.connection.flatMap { dbus_connection_pop_message($0) }
        return message == nil ? state.socket?.beginChange() : nil
      }
      guard let message else { return perform(change) }
      receive(MarshalledMessage(owning: message))
    }
  }

  private func receive(_ message: consuming MarshalledMessage) {
    switch MarshalledMessage.kind(of: dbus_message_get_type(message.pointer)) {
    case .methodReturn?, .error?: receiveReply(message)
    case .signal?:
      // Messages that libdbus makes itself have no sender.
      if dbus_message_get_sender(message.pointer) == nil,
        dbus_message_is_signal(message.pointer, "org.freedesktop.DBus.Local", "Disconnected") != 0
      {
        lost()
      } else if let signal = try? message.read(within: limits) {
        deliver(signal)
      }
    case .methodCall?: receiveCall(message)
    case nil: break
    }
  }

  private func receiveReply(_ reply: borrowing MarshalledMessage) {
    let serial = dbus_message_get_reply_serial(reply.pointer)
    let (call, ourName) = state.withLock { ($0.pending.take(serial), $0.uniqueName) }
    guard let call else { return }
    do {
      let message = try reply.read(answering: ourName, within: limits)
      if let error = DBusError(message) {
        call.end(.failure(error))
      } else {
        call.end(.success(message))
      }
    } catch  where error.name == .messageTooLarge {
      call.end(.failure(BusFailure.messageTooLarge(reason: error.message)))
    } catch {
      call.end(.failure(error))
    }
  }

  private func receiveCall(_ call: borrowing MarshalledMessage) {
    do {
      let invocation = Invocation(message: try call.read(within: limits), bus: self)
      observe(request: invocation.message)
      let handlers = state.withLock { $0.exports.all }
      invocation.offer(to: handlers, machineID: Self.machineID)
    } catch {
      refuse(call, error)
    }
  }

  /// Answers a call whose arguments could not be read.
  private func refuse(_ call: borrowing MarshalledMessage, _ error: DBusError) {
    guard dbus_message_get_no_reply(call.pointer) == 0 else { return }
    var contents = Message.Contents(kind: .methodCall)
    contents.serial = dbus_message_get_serial(call.pointer)
    contents.sender = dbus_message_get_sender(call.pointer).map { String(cString: $0) }
    try? send(Message(contents).errorReply(error))
  }

  private static func machineID() -> String? {
    guard let id = dbus_try_get_local_machine_id(nil) else { return nil }
    defer { dbus_free(id) }
    return String(cString: id)
  }
}
