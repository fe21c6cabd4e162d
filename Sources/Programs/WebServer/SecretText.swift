// Secret texts: the token, and the secret that a browser gets for it when it logs in.

import Glibc
import Signals

/// A secret, which is compared in constant time and never printed.
package struct SecretText: Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  /// Creates a token from a chosen text.
  ///
  /// - Throws: ``WebServerFailure/badToken`` unless it has 16 to 256 printable ASCII characters.
  package init(_ text: String) throws(WebServerFailure) {
    let bytes = Array(text.utf8)
    guard (16...256).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw .badToken
    }
    self.bytes = bytes
  }

  /// Creates a random secret: 128 bits from the kernel, as 32 hexadecimal digits.
  package static func generated() -> SecretText {
    var random = [UInt8](repeating: 0, count: 16)
    // For up to 256 bytes it fails only if the kernel lacks the call or a seccomp filter blocks it.
    if getentropy(&random, random.count) != 0 {
      endProcess("the kernel gives no random numbers: \(String(cString: strerror(errno)))")
    }
    let digits = Array("0123456789abcdef".utf8)
    return SecretText(bytes: random.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// The secret itself, for the one message that shows it to the user.
  package var revealed: String { String(decoding: bytes, as: UTF8.self) }

  /// A placeholder, never the secret.
  package var description: String { "(secret)" }

  /// Whether `text` is the secret. The time depends only on the length of `text`.
  package func matches(_ text: some StringProtocol) -> Bool {
    var difference = UInt8(text.utf8.count == bytes.count ? 0 : 1)
    for (index, byte) in text.utf8.enumerated() {
      difference |= byte ^ bytes[index % bytes.count]
    }
    return difference == 0
  }
}
