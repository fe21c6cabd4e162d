// The socket of a libdbus connection, watched by a loop.
//
// libdbus says which of its watches it wants enabled; this keeps one watch of the loop for them.

import CDBus
import Signals

/// Joins the watches of one connection into one of a loop.
///
/// All of it is used under the lock of the connection: libdbus calls back only out of calls that
/// are made under it.
final class SocketWatch: @unchecked Sendable {
  // Everything mutable here is protected by the lock of the connection, which also sees to it that
  // accesses do not overlap.
  @exclusivity(unchecked) private var parts: [OpaquePointer] = []
  private var watch: Watch?
  @exclusivity(unchecked) private var interest: Watch.Events = []
  private var isInstalled = false
  private let loop: Loop
  private let ready: @Sendable (Watch.Events) -> Void

  /// - Parameter ready: Called on the loop: when the socket is ready, and without an event when
  ///   libdbus has given up on it.
  init(on loop: Loop, _ ready: @escaping @Sendable (Watch.Events) -> Void) {
    self.loop = loop
    self.ready = ready
  }

  /// Whether libdbus waits for room in the socket: only then is anything left to be written.
  var isFull: Bool { interest.contains(.writable) }

  /// Begins to serve a connection.
  func install(in connection: OpaquePointer) {
    isInstalled = true
    dbus_connection_set_watch_functions(
      connection,
      { part, data in
        guard let part else { return 1 }
        SocketWatch.of(data).add(part)
        return 1
      },
      { part, data in
        guard let part else { return }
        SocketWatch.of(data).remove(part)
      },
      { _, data in SocketWatch.of(data).refresh() },
      Unmanaged.passUnretained(self).toOpaque(),
      nil
    )
  }

  /// Ends it, before the connection is closed.
  func uninstall(from connection: OpaquePointer) {
    isInstalled = false
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    watch?.cancel()
    watch = nil
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> SocketWatch {
    guard let data else { preconditionFailure("libdbus lost the data of its watch functions") }
    return Unmanaged<SocketWatch>.fromOpaque(data).takeUnretainedValue()
  }

  private func add(_ part: OpaquePointer) {
    parts.append(part)
    refresh()
  }

  private func remove(_ part: OpaquePointer) {
    parts.removeAll { $0 == part }
    refresh()
    // Without watches nothing would bring the end of the connection to light.
    if parts.isEmpty, isInstalled { loop.post { [ready] in ready([]) } }
  }

  private func refresh() {
    var wanted: Watch.Events = []
    for part in parts where dbus_watch_get_enabled(part) != 0 {
      let flags = dbus_watch_get_flags(part)
      if flags & DBUS_WATCH_READABLE.rawValue != 0 { wanted.insert(.readable) }
      if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { wanted.insert(.writable) }
    }
    guard let first = parts.first else {
      watch?.cancel()
      watch = nil
      return
    }
    if let watch {
      if wanted != interest { watch.update(wanted) }
    } else {
      watch = loop.watch(dbus_watch_get_unix_fd(first), for: wanted, ready)
    }
    interest = wanted
  }

  /// Lets libdbus read and write.
  func handle(_ events: Watch.Events) {
    var present: UInt32 = 0
    if events.contains(.readable) { present |= DBUS_WATCH_READABLE.rawValue }
    if events.contains(.writable) { present |= DBUS_WATCH_WRITABLE.rawValue }
    if !events.isDisjoint(with: .hungUp) { present |= DBUS_WATCH_HANGUP.rawValue }
    let always = DBUS_WATCH_HANGUP.rawValue | DBUS_WATCH_ERROR.rawValue
    var index = 0
    while index < parts.count {
      let part = parts[index]
      let flags = present & (dbus_watch_get_flags(part) | always)
      if flags != 0, dbus_watch_get_enabled(part) != 0 { dbus_watch_handle(part, flags) }
      // Handling may have removed it.
      if index < parts.count, parts[index] == part { index += 1 }
    }
  }
}
