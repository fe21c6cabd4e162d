// The messages of a simulated bus, in a file.

import DBus
import Jobs
import Signals

/// Writes each message as a line: the virtual time in seconds, and the message.
///
/// Passkeys and PINs are left out.
final class BusLog: Sendable {
  private let file: LineFile
  private let secrets = Guarded(SecretCalls())

  /// - Throws: ``Ending`` when the file cannot be made.
  init(_ path: String) throws(Ending) {
    file = try LineFile(path)
  }

  @Sendable func add(_ message: Message, at instant: Instant) {
    let text = secrets.withLock { $0.line(of: message) }
    file.line("\(instant.sinceStart.decimalSeconds) \(text)")
  }
}
