// Questions of a pairing to a person, and texts to show.

/// Something that a person has to read during pairing.
public enum PairingDisplay: Hashable, Sendable, CustomStringConvertible {
  /// A passkey to be typed on the device: 0 to 999999.
  case passkey(UInt32)
  /// A PIN to be typed on the device.
  case pin(String)

  /// The digits in the form that the device expects: a passkey has six.
  public var digits: String {
    switch self {
    case .passkey(let number): PairingQuestion.sixDigits(number)
    case .pin(let text): text
    }
  }

  public var description: String { "type \(digits) on the device" }
}

/// Something that a person has to answer during pairing.
public enum PairingQuestion: Hashable, Sendable, CustomStringConvertible {
  /// Is this the number that the device shows?
  case comparison(UInt32)
  /// The passkey that the device displays, or that is printed on it.
  case passkey
  /// The PIN of the device, 1 to 16 octets.
  case pin
  /// May the device be paired without authentication? Asked for pairings that the device started.
  case justWorks

  public var description: String {
    switch self {
    case .comparison(let number): "does the device show \(Self.sixDigits(number))?"
    case .passkey: "which passkey does the device show?"
    case .pin: "which PIN does the device have?"
    case .justWorks: "may the device be paired without a passkey?"
    }
  }

  /// A passkey in its usual form: six digits.
  ///
  /// ```swift
  /// print(PairingQuestion.sixDigits(4711))  // 004711
  /// ```
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part H §2.3.5.3.
  public static func sixDigits(_ number: UInt32) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }
}

/// The answer of a person.
public enum PairingReply: Hashable, Sendable {
  /// Accepts.
  case yes
  /// Rejects.
  case no
  /// A passkey or a PIN.
  case secret(Secret)
}
