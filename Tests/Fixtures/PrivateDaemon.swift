// A private dbus-daemon for a test, which ends with this object.

import Glibc
import Signals

/// A running dbus-daemon with a session's open policy.
package final class PrivateDaemon: Sendable {
  /// The address of the bus.
  package let address: String
  private let child: Guarded<Child?>

  /// Starts the daemon and waits until it listens.
  package init() throws {
    let child = try Child(
      [
        "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1",
        "--address=unix:tmpdir=/tmp",
      ],
      streams: [.nothing, .pipe, .inherited]
    )
    self.child = Guarded(child)
    let output = child.ends[1] ?? -1
    defer { close(output) }
    var line: [UInt8] = []
    var octet: UInt8 = 0
    while read(output, &octet, 1) == 1, octet != UInt8(ascii: "\n") { line.append(octet) }
    address = String(decoding: line, as: UTF8.self)
  }

  deinit { stop() }

  /// Stops the daemon: it accepts connections and data, but does not respond.
  package func pause() { child.withLock { $0 }?.pause() }

  /// Ends the daemon and all its connections.
  package func stop() {
    let child = child.withLock { child in
      defer { child = nil }
      return child
    }
    // SIGTERM lets it remove its socket. A stopped daemon handles it only after SIGCONT.
    child?.send(SIGTERM)
    child?.send(SIGCONT)
    child?.wait()
  }
}
