// A log file of the messages on a simulated bus.

import BlueZInterfaces
import Bluetooth
import DBus
import Jobs
import Signals

/// Writes one line for each message: the virtual time in seconds, and the message.
///
/// Passkeys and PINs are left out.
final class BusLog: Sendable {
  /// The reason why the log of this process is incomplete; nil while it is complete.
  private static let incomplete = Guarded<String?>(nil)
  static var failure: String? { incomplete.withLock { $0 } }

  private let file: LineFile
  private let secrets = Guarded(SecretCalls())

  init(_ path: String) throws(CommandExit) {
    file = try LineFile(path)
  }

  @Sendable func add(_ message: Message, at instant: Instant) {
    let text = secrets.withLock { $0.line(of: message) }
    file.line("\(instant.sinceStart.decimalSeconds) \(text)")
    if let failure = file.failure { Self.incomplete.withLock { $0 = failure } }
  }
}

/// The pending calls for secrets, to mask their replies.
struct SecretCalls {
  /// The destination and the serial of each expected reply.
  private var open: [(client: String?, serial: UInt32)] = []

  /// The log line of a message, with secret arguments masked.
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

  /// The message with its arguments masked.
  private static func masked(_ message: Message) -> String {
    let text = message.text
    let head = text.firstIndex(of: "(").map { text[..<$0] } ?? text[...]
    return "\(head)\(Secret.mask)"
  }
}
