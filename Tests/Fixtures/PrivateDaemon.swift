// A dbus-daemon of a test's own, gone with it.

import Glibc
import Signals

/// A running dbus-daemon with a session's open policy.
package final class PrivateDaemon: Sendable {
  /// Where it listens.
  package let address: String
  private let child: Guarded<Child?>

  /// Starts it and waits until it listens.
  package init() throws {
    let child = try Child(
      [
        "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1",
        "--address=unix:tmpdir=/tmp",
      ],
      streams: [.nothing, .pipe, .ours]
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

  /// Stops it in its tracks: it takes connections and octets, and answers nothing.
  package func pause() { child.withLock { $0 }?.pause() }

  /// Ends it, and with it every connection.
  package func stop() {
    let child = child.withLock { child in
      defer { child = nil }
      return child
    }
    // Asked to leave, it takes its socket along; a paused one hears of it when it goes on.
    child?.send(SIGTERM)
    child?.send(SIGCONT)
    child?.wait()
  }
}
