// A passkey or PIN that is used and never printed.

/// A text that is readable only where it is needed.
///
/// Descriptions, dumps and mirrors of it, and of values that contain it, show that there is a
/// secret, not its text. It cannot be encoded.
public struct Secret: Hashable, Sendable {
  /// Replaces a secret in every output.
  public static let mask = "(secret)"

  private let text: String

  /// A secret; it is never printed.
  ///
  /// ```swift
  /// let secret = Secret("123456")
  /// print(secret)  // the digits are not shown
  /// ```
  public init(_ text: String) {
    self.text = text
  }

  /// The secret itself, for sending it on.
  public var revealed: String { text }

  /// The secret as a passkey, 0 to 999999; nil when it is not one to six digits.
  ///
  /// ```swift
  /// print(Secret("000123").passkey == 123)  // true
  /// ```
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part H §2.3.5.3.
  public var passkey: UInt32? {
    guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return UInt32(text)
  }

  /// Whether it is a valid PIN: 1 to 16 octets.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 2, Part H §3.2.3.
  public var isPIN: Bool { (1...16).contains(text.utf8.count) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { Self.mask }
  public var debugDescription: String { Self.mask }
  public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
