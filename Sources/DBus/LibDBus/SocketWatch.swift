// The socket of a libdbus connection, watched by a loop.
//
// libdbus says which of its watches it wants enabled; this keeps one watch of the loop for them.

import CDBus
import Signals

/// Joins the watches of one connection into one of a loop.
///
/// libdbus calls back out of calls that are made under the lock of the connection. The loop must not
/// be called there, so what has changed is taken from here under the lock, by one thread at a time,
/// and done without it: see ``LibDBusConnection/perform(_:)``.
final class SocketWatch: @unchecked Sendable {
  // All variables are protected by the lock of the connection, which also sees to it that accesses
  // do not overlap.
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
  /// Whether something may differ between what is wanted and what was done.
  @exclusivity(unchecked) private var hasChanged = false
  /// Whether a thread is doing a change. It looks for the next one afterwards.
  private var isChanging = false
  let loop: Loop
  let ready: @Sendable (Watch.Events) -> Void

  /// Something to be done without the lock.
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

  /// Whether libdbus waits for room in the socket: only then is anything left to be written.
  var isFull: Bool { wanted?.contains(.writable) == true }

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

  /// Ends it. The last change closes the connection, once its socket is watched no more.
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
    // Without watches nothing would bring the end of the connection to light.
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

  /// The first change to do, by the calling thread; nil when there is none, or when another thread
  /// is at it.
  func beginChange() -> Change? {
    guard hasChanged, !isChanging, let kind = nextChange() else { return nil }
    isChanging = true
    return Change(socket: self, kind: kind)
  }

  /// A change was done. Returns the next.
  ///
  /// - Parameter made: The watch that it made.
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

  /// Does a change. Called without the lock.
  ///
  /// - Returns: The watch that it made.
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
