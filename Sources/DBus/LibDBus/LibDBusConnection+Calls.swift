// Outgoing messages of a libdbus connection, and who waits for the replies.

import CDBus
public import Signals

extension LibDBusConnection {
  public func begin(
    _ call: MethodCall,
    for caller: Completion<Message>,
    lateReply: (@Sendable (Result<Message, DBusError>) -> Void)?
  ) throws -> UInt32 {
    try start(call, .caller(caller), lateReply: lateReply)
  }

  public func leave(_ serial: UInt32) { state.withLock { $0.pending.leave(serial) } }

  public func send(_ message: Message) throws {
    let marshalled = try MarshalledMessage.marshalling(message)
    let change = try state.withLock { state throws(BusFailure) in
      let connection = try self.connection(&state)
      try check(marshalled, on: connection, state.socket)
      dbus_message_set_serial(marshalled.pointer, state.pending.nextSerial())
      guard dbus_connection_send(connection, marshalled.pointer, nil) != 0 else {
        throw .sendQueueFull
      }
      return state.socket?.beginChange()
    }
    perform(change)
  }

  /// Sends a call; `waiter` receives the reply.
  ///
  /// - Returns: The serial of the call.
  @discardableResult
  func start(
    _ call: MethodCall,
    _ waiter: ReplyWaiter,
    lateReply: PendingCalls<ReplyWaiter>.LateReply?
  ) throws -> UInt32 {
    let marshalled = try call.template.marshal(call)
    // Replies are matched under the same lock: none can arrive before its entry.
    let (serial, observed, change) = try state.withLock { state throws(BusFailure) in
      let connection = try self.connection(&state)
      try check(marshalled, on: connection, state.socket)
      let (serial, observed) = try state.enter(call, waiter, lateReply: lateReply)
      dbus_message_set_serial(marshalled.pointer, serial)
      guard dbus_connection_send(connection, marshalled.pointer, nil) != 0 else {
        _ = state.pending.take(serial)
        throw .sendQueueFull
      }
      return (serial, observed, state.socket?.beginChange())
    }
    observed?.begin()
    perform(change)
    return serial
  }

  private func connection(_ state: inout State) throws(BusFailure) -> OpaquePointer {
    guard let connection = state.connection else {
      throw state.failure ?? .closed(address: address, reason: "it was closed")
    }
    return connection
  }

  private func check(
    _ message: borrowing MarshalledMessage,
    on connection: OpaquePointer,
    _ socket: SocketWatch?
  ) throws(BusFailure) {
    // The queue is empty as long as the socket accepts everything.
    if socket?.isFull == true,
      dbus_connection_get_outgoing_size(connection) >= Self.sendQueueLimit
    {
      throw .sendQueueFull
    }
    if dbus_message_contains_unix_fds(message.pointer) != 0,
      dbus_connection_can_send_type(connection, TypeCode.unixFD) == 0
    {
      throw .cannotPassDescriptors(address: address)
    }
  }
}
