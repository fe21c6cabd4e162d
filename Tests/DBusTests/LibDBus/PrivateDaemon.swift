// A dbus-daemon of a test's own, gone with it.

import Foundation

/// A running dbus-daemon with a session's open policy.
final class PrivateDaemon: Sendable {
  /// Where it listens.
  let address: String
  private let process: Process

  /// Starts it and waits until it listens.
  init() throws {
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
    process.arguments = [
      "--session", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:tmpdir=/tmp",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = Data()
    while let octet = try output.fileHandleForReading.read(upToCount: 1), octet != Data("\n".utf8) {
      line += octet
    }
    address = String(decoding: line, as: UTF8.self)
  }

  deinit { stop() }

  /// Ends it, and with it every connection.
  func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }
}
