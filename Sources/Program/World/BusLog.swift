// The messages of a simulated bus, in a file.

import DBus
import Jobs
import Signals

/// Writes each message as a line: the virtual time in seconds, and the message.
///
/// Passkeys and PINs are left out.
final class BusLog: Sendable {
  /// Why the log of this process is incomplete; nil while it is complete.
  private static let incomplete = Guarded<String?>(nil)
  static var failure: String? { incomplete.withLock { $0 } }

  private let file: LineFile
  private let secrets = Guarded(SecretCalls())

  /// - Throws: ``Ending`` when the file cannot be made.
  init(_ path: String) throws(Ending) {
    file = try LineFile(path)
  }

  @Sendable func add(_ message: Message, at instant: Instant) {
    let text = secrets.withLock { $0.line(of: message) }
    file.line("\(instant.sinceStart.decimalSeconds) \(text)")
    if let failure = file.failure { Self.incomplete.withLock { $0 = failure } }
  }
}
