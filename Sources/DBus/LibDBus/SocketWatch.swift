// The socket of a libdbus connection, watched by a loop.
//
// libdbus decides which of its watches are enabled; this keeps one watch of the loop for them.

import CDBus
import Signals

/// Joins the watches of one connection into one of a loop.
///
/// libdbus calls back from inside calls that are made under the lock of the connection. The loop
/// must not be called there, so changes are taken from here under the lock, by one thread at a
/// time, and applied without it: see ``LibDBusConnection/perform(_:)``.
final class SocketWatch: @unchecked Sendable {
  // All variables are protected by the lock of the connection, which also rules out overlapping
  // accesses.
  @exclusivity(unchecked) private var parts: [OpaquePointer] = []
  @exclusivity(unchecked) private var watch: Watch?
  /// What libdbus waits for; nil while it has no watches.
  @exclusivity(unchecked) private var wanted: Watch.Events?
  @exclusivity(unchecked) private var descriptor: Int32 = -1
  /// What the loop waits for.
  @exclusivity(unchecked) private var watched: Watch.Events = []
  private var isInstalled = false
  private var mustReportEnd = false
  private var closing: OpaquePointer?
  /// Whether the wanted events may differ from the applied ones.
  @exclusivity(unchecked) private var hasChanged = false
  /// Whether a thread is applying a change. It looks for the next one afterwards.
  private var isChanging = false
  let loop: Loop
  let ready: @Sendable (Watch.Events) -> Void

  /// A change to apply without the lock.
  struct Change {
    enum Kind {
      case watch(Int32, Watch.Events)
      case update(Watch, Watch.Events)
      case cancel(Watch)
      case reportEnd
      case close(OpaquePointer)
    }

    let socket: SocketWatch
    let kind: Kind
  }

  /// - Parameter ready: Called on the loop: when the socket is ready, and without an event when
  ///   libdbus has given up on it.
  init(on loop: Loop, _ ready: @escaping @Sendable (Watch.Events) -> Void) {
    self.loop = loop
    self.ready = ready
  }

  /// Whether libdbus waits for room in the socket: only then is there anything left to write.
  var isFull: Bool { wanted?.contains(.writable) == true }

  /// Starts to serve a connection.
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

  /// Stops. The last change closes the connection, once its socket is no longer watched.
  func uninstall(from connection: OpaquePointer) {
    isInstalled = false
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    wanted = nil
    closing = connection
    hasChanged = true
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
    // Without watches nothing would reveal the end of the connection.
    if parts.isEmpty, isInstalled { mustReportEnd = true }
  }

  private func refresh() {
    hasChanged = true
    guard let first = parts.first else {
      wanted = nil
      return
    }
    var enabled: Watch.Events = []
    for part in parts where dbus_watch_get_enabled(part) != 0 {
      let flags = dbus_watch_get_flags(part)
      if flags & DBUS_WATCH_READABLE.rawValue != 0 { enabled.insert(.readable) }
      if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { enabled.insert(.writable) }
    }
    descriptor = dbus_watch_get_unix_fd(first)
    wanted = enabled
  }

  // MARK: Changes

  /// The next change for the calling thread to apply; nil when there is none, or when another
  /// thread is applying one.
  func beginChange() -> Change? {
    guard hasChanged, !isChanging, let kind = nextChange() else { return nil }
    isChanging = true
    return Change(socket: self, kind: kind)
  }

  /// A change was applied. Returns the next.
  ///
  /// - Parameter made: The watch that it created.
  func endChange(_ made: Watch?) -> Change? {
    if let made { watch = made }
    let next = nextChange().map { Change(socket: self, kind: $0) }
    isChanging = next != nil
    return next
  }

  private func nextChange() -> Change.Kind? {
    if let wanted {
      guard let watch else {
        watched = wanted
        return .watch(descriptor, wanted)
      }
      if wanted != watched {
        watched = wanted
        return .update(watch, wanted)
      }
    } else if let watch {
      self.watch = nil
      return .cancel(watch)
    }
    if mustReportEnd {
      mustReportEnd = false
      return .reportEnd
    }
    hasChanged = false
    guard let closing else { return nil }
    self.closing = nil
    return .close(closing)
  }

  /// Applies a change. Called without the lock.
  ///
  /// - Returns: The watch that it created.
  func perform(_ change: Change.Kind) -> Watch? {
    switch change {
    case .watch(let descriptor, let events): return loop.watch(descriptor, for: events, ready)
    case .update(let watch, let events): watch.update(events)
    case .cancel(let watch): watch.cancel()
    case .reportEnd: loop.post { [ready] in ready([]) }
    case .close(let connection):
      dbus_connection_close(connection)
      dbus_connection_unref(connection)
    }
    return nil
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
