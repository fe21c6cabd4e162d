// The wire over libdbus: a private connection to a real bus, read and written by the loop.
//
// libdbus implements the wire protocol and its validation. Serials, waits, deadlines, matching and
// dispatch are implemented here: the pending calls of libdbus cost more, and lose replies when two
// threads use them; its dispatcher locks the connection while it polls.

import CDBus
import Signals

/// A connection of libdbus, which is used only on the loop. Messages that other threads send wait
/// in a queue for the loop.
final class LibDBusWire: BusWire, @unchecked Sendable {
  // Only `outbox` is shared. Everything else that changes is used on the loop.
  /// The messages that wait for the loop.
  private struct Outbox: @unchecked Sendable {
    // Each has one reference, owned by the queue.
    var messages: [OpaquePointer] = []
    /// Whether the send queue of libdbus is full, so that no message may be added.
    var isFull = false
    /// Whether the bus passes descriptors; assumed until it has accepted the connection.
    var passesDescriptors = true
  }

  /// The maximum size of the send queue of libdbus, in bytes.
  private static let mostOctets = 1 << 26
  /// The maximum number of messages that wait for the loop.
  private static let mostMessages = 65_536

  private let connection: OpaquePointer
  private let address: String
  private let loop: Loop
  /// The limits on received messages.
  private let limits: ReadLimits
  private let outbox = Guarded(Outbox())

  /// The watches of libdbus, which are combined into one watch of the loop.
  private var parts: [OpaquePointer] = []
  private var watch: Watch?
  /// The events of the watch.
  private var watched: Watch.Events = []
  /// Whether the watches of libdbus have changed.
  private var hasChanged = false
  /// Whether the send queue of libdbus is full.
  private var isFull = false
  /// The receiver of messages; nil after the end.
  private var bus: MessageBus?
  /// The name of this connection, once it is known.
  private var uniqueName = ""

  init(_ opened: OpenedConnection, address: String, on loop: Loop, _ limits: ReadLimits) {
    connection = opened.pointer
    self.address = address
    self.loop = loop
    self.limits = limits
  }

  // MARK: On the loop

  /// Starts reading and writing.
  func begin(for bus: MessageBus) {
    self.bus = bus
    dbus_connection_set_watch_functions(
      connection,
      { part, data in
        let wire = LibDBusWire.of(data)
        if let part { wire.parts.append(part) }
        wire.hasChanged = true
        return 1
      },
      { part, data in
        let wire = LibDBusWire.of(data)
        wire.parts.removeAll { $0 == part }
        wire.hasChanged = true
        // libdbus closes the descriptor next.
        if wire.parts.isEmpty {
          wire.watch?.cancel()
          wire.watch = nil
        }
      },
      { _, data in LibDBusWire.of(data).hasChanged = true },
      Unmanaged.passUnretained(self).toOpaque(),
      nil
    )
    updateState()
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> LibDBusWire {
    guard let data else { preconditionFailure("libdbus lost the data of its watch functions") }
    return Unmanaged<LibDBusWire>.fromOpaque(data).takeUnretainedValue()
  }

  /// Called when the bus has accepted the connection.
  func connectionAccepted(as name: String) {
    guard bus != nil else { return }
    uniqueName = name
    dbus_bus_set_unique_name(connection, name)
    let passesDescriptors = dbus_connection_can_send_type(connection, TypeCode.unixFD) != 0
    outbox.withLock { $0.passesDescriptors = passesDescriptors }
  }

  /// Updates the watch and `isFull` after a call of libdbus.
  private func updateState() {
    if hasChanged { updateWatch() }
    // The queue is empty as long as the socket accepts everything.
    let isFull =
      bus != nil && watched.contains(.writable)
      && dbus_connection_get_outgoing_size(connection) >= Self.mostOctets
    guard isFull != self.isFull else { return }
    self.isFull = isFull
    outbox.withLock { $0.isFull = isFull }
  }

  private func updateWatch() {
    hasChanged = false
    var wanted: Watch.Events = []
    for part in parts where dbus_watch_get_enabled(part) != 0 {
      let flags = dbus_watch_get_flags(part)
      if flags & DBUS_WATCH_READABLE.rawValue != 0 { wanted.insert(.readable) }
      if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { wanted.insert(.writable) }
    }
    if let first = parts.first, watch == nil {
      watch = loop.watch(dbus_watch_get_unix_fd(first), for: wanted) { self.ready($0) }
    } else if parts.isEmpty {
      watch?.cancel()
      watch = nil
      // Without watches nothing would reveal the end of the connection.
      if bus != nil { loop.post { self.receiveAll() } }
    } else if wanted != watched {
      watch?.update(wanted)
    }
    watched = wanted
  }

  /// Called when the socket is ready.
  private func ready(_ events: Watch.Events) {
    var present: UInt32 = 0
    if events.contains(.readable) { present |= DBUS_WATCH_READABLE.rawValue }
    if events.contains(.writable) { present |= DBUS_WATCH_WRITABLE.rawValue }
    if !events.isDisjoint(with: .hungUp) { present |= DBUS_WATCH_HANGUP.rawValue }
    let always = DBUS_WATCH_HANGUP.rawValue | DBUS_WATCH_ERROR.rawValue
    for part in parts where parts.contains(part) && dbus_watch_get_enabled(part) != 0 {
      let flags = present & (dbus_watch_get_flags(part) | always)
      if flags != 0 { dbus_watch_handle(part, flags) }
    }
    receiveAll()
  }

  private func receiveAll() {
    while let bus, let message = dbus_connection_pop_message(connection) {
      receive(MarshalledMessage(owning: message), bus)
    }
    updateState()
  }

  private func receive(_ message: consuming MarshalledMessage, _ bus: MessageBus) {
    // Messages made by libdbus itself have no sender.
    if dbus_message_get_sender(message.pointer) == nil,
      dbus_message_is_signal(message.pointer, "org.freedesktop.DBus.Local", "Disconnected") != 0
    {
      lost(bus)
    } else if let read = message.read(by: uniqueName, within: limits) {
      bus.receive(read)
    }
  }

  /// Called when the bus or libdbus has closed the connection.
  private func lost(_ bus: MessageBus) {
    guard dbus_connection_get_is_authenticated(connection) != 0 else {
      let reason = "the bus did not accept the user of this process"
      return bus.end(with: .notPermitted(address: bus.address, reason: reason))
    }
    bus.end("the bus closed it")
  }

  // MARK: Sending

  func send(_ message: Message, _ enter: () throws(BusFailure) -> UInt32) throws {
    let marshalled = try MarshalledMessage.marshalling(message)
    let hasDescriptors = dbus_message_contains_unix_fds(marshalled.pointer) != 0
    let othersWait = try outbox.withLock { outbox throws(BusFailure) in
      guard !outbox.isFull, outbox.messages.count < Self.mostMessages else { throw .sendQueueFull }
      guard !hasDescriptors || outbox.passesDescriptors else {
        throw .cannotPassDescriptors(address: address)
      }
      return !outbox.messages.isEmpty
    }
    dbus_message_set_serial(marshalled.pointer, try enter())
    let pointer = marshalled.released()
    guard !loop.isCurrent else {
      if othersWait { writeWaiting() }
      write(pointer)
      return updateState()
    }
    let isFirst = outbox.withLock { outbox in
      outbox.messages.append(pointer)
      return outbox.messages.count == 1
    }
    if isFirst { loop.post { self.writeWaiting() } }
  }

  /// Passes the messages of other threads to libdbus.
  private func writeWaiting() {
    let messages = outbox.withLock { outbox in
      defer { outbox.messages = [] }
      return outbox.messages
    }
    for message in messages { write(message) }
    updateState()
  }

  /// Passes a message, with its reference, to libdbus, which writes as much as the socket accepts.
  private func write(_ message: OpaquePointer) {
    if let bus, dbus_connection_send(connection, message, nil) == 0 {
      bus.end("no memory is left to send")
    }
    dbus_message_unref(message)
  }

  // MARK: Ending

  func close() {
    guard loop.isCurrent else { return loop.post { self.closeNow() } }
    closeNow()
  }

  private func closeNow() {
    guard bus != nil else { return }
    writeWaiting()
    bus = nil
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    parts = []
    watch?.cancel()
    watch = nil
    dbus_connection_close(connection)
    dbus_connection_unref(connection)
  }

  var machineID: String? {
    guard let id = dbus_try_get_local_machine_id(nil) else { return nil }
    defer { dbus_free(id) }
    return String(cString: id)
  }
}
