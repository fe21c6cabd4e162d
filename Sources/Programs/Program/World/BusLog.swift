// The messages of a simulated bus, in a file.

import BlueZInterfaces
import Bluetooth
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

  init(_ path: String) throws(Ending) {
    file = try LineFile(path)
  }

  @Sendable func add(_ message: Message, at instant: Instant) {
    let text = secrets.withLock { $0.line(of: message) }
    file.line("\(instant.sinceStart.decimalSeconds) \(text)")
    if let failure = file.failure { Self.incomplete.withLock { $0 = failure } }
  }
}

/// Remembers the questions for secrets, so that their answers are known as such.
struct SecretCalls {
  /// Where the answer goes, and to which call.
  private var open: [(client: String?, serial: UInt32)] = []

  /// The line of a message in a log, without its arguments when these are secret.
  mutating func line(of message: Message) -> String {
    isSecret(message) ? Self.masked(message) : message.text
  }

  private mutating func isSecret(_ message: Message) -> Bool {
    switch message.kind {
    case .methodCall:
      guard message.interface == Agent1.interface else { return false }
      switch message.member {
      case Agent1.requestPasskey.name?, Agent1.requestPinCode.name?:
        open.append((message.sender, message.serial))
        return false
      case Agent1.displayPasskey.name?, Agent1.displayPinCode.name?: return true
      default: return false
      }
    case .methodReturn, .error:
      guard
        let index = open.firstIndex(where: {
          $0.client == message.destination && $0.serial == message.replySerial
        })
      else { return false }
      open.remove(at: index)
      return message.kind == .methodReturn
    case .signal: return false
    }
  }

  /// The message with a mask in the place of its arguments.
  private static func masked(_ message: Message) -> String {
    let text = message.text
    let head = text.firstIndex(of: "(").map { text[..<$0] } ?? text[...]
    return "\(head)\(Secret.mask)"
  }
}
