// A dbus-daemon of a test's own, gone with it.

import Glibc
import Signals

/// A running dbus-daemon with a session's open policy.
final class PrivateDaemon: Sendable {
  struct NotStarted: Error {
    let errno: Int32
  }

  /// Where it listens.
  let address: String
  private let process: Guarded<pid_t?>

  /// Starts it and waits until it listens.
  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw NotStarted(errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    process = Guarded(try Self.start(printingAddressTo: ends[1]))
    close(ends[1])
    var line: [UInt8] = []
    var octet: UInt8 = 0
    while read(ends[0], &octet, 1) == 1, octet != UInt8(ascii: "\n") { line.append(octet) }
    address = String(decoding: line, as: UTF8.self)
  }

  private static func start(printingAddressTo output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    // The threads of a test block signals, which a child would inherit.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let words = [
      "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1",
      "--address=unix:tmpdir=/tmp",
    ]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let code = posix_spawnp(&child, "dbus-daemon", &actions, &attributes, &arguments, environ)
    guard code == 0 else { throw NotStarted(errno: code) }
    return child
  }

  deinit { stop() }

  /// Ends it, and with it every connection.
  func stop() {
    let child = process.withLock { child in
      defer { child = nil }
      return child
    }
    guard let child else { return }
    // Asked to leave, it takes its socket along.
    kill(child, SIGTERM)
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
  }
}
