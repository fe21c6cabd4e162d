// Why a peer refused an attribute operation.

/// An error code of the Attribute Protocol; unknown codes are kept.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.4.1.1; 0xfc-0xff: Core Specification Supplement,
///   Part B.
public struct ATTErrorCode: Error, RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// 0x01: there is no such handle.
  public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
  /// 0x02: the attribute cannot be read.
  public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
  /// 0x03: the attribute cannot be written.
  public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
  /// 0x04: the request is malformed.
  public static let invalidPDU = ATTErrorCode(rawValue: 0x04)
  /// 0x05: the attribute requires authentication.
  public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
  /// 0x06: the device does not support the request.
  public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
  /// 0x07: the offset is beyond the value.
  public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
  /// 0x08: the attribute requires authorization.
  public static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
  /// 0x09: too many prepared writes.
  public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
  /// 0x0A: no attribute in the range of handles.
  public static let attributeNotFound = ATTErrorCode(rawValue: 0x0a)
  /// 0x0B: the attribute cannot be read in parts.
  public static let attributeNotLong = ATTErrorCode(rawValue: 0x0b)
  /// 0x0C: the encryption key is too short.
  public static let encryptionKeyTooShort = ATTErrorCode(rawValue: 0x0c)
  /// 0x0D: the length of the value is invalid.
  public static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0d)
  /// 0x0E: an unlikely error.
  public static let unlikelyError = ATTErrorCode(rawValue: 0x0e)
  /// 0x0F: the attribute requires encryption.
  public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0f)
  /// 0x10: the type is not a grouping attribute.
  public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
  /// 0x11: the device lacks resources.
  public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
  /// 0x12: the services have changed, and must be read again.
  public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
  /// 0x13: the value is not allowed.
  public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
  /// 0xFC: the write is rejected.
  public static let writeRequestRejected = ATTErrorCode(rawValue: 0xfc)
  /// 0xFD: notifications or indications are not enabled as the profile requires.
  public static let cccImproperlyConfigured = ATTErrorCode(rawValue: 0xfd)
  /// 0xFE: the procedure is already in progress.
  public static let procedureAlreadyInProgress = ATTErrorCode(rawValue: 0xfe)
  /// 0xFF: the value is out of the range of the profile.
  public static let outOfRange = ATTErrorCode(rawValue: 0xff)

  private static let meanings: [UInt8: String] = [
    0x01: "invalid handle", 0x02: "read not permitted", 0x03: "write not permitted",
    0x04: "invalid PDU", 0x05: "insufficient authentication", 0x06: "request not supported",
    0x07: "invalid offset", 0x08: "insufficient authorization", 0x09: "prepare queue full",
    0x0a: "attribute not found", 0x0b: "attribute not long", 0x0c: "encryption key too short",
    0x0d: "invalid attribute value length", 0x0e: "unlikely error",
    0x0f: "insufficient encryption", 0x10: "unsupported group type",
    0x11: "insufficient resources", 0x12: "database out of sync", 0x13: "value not allowed",
    0xfc: "write request rejected", 0xfd: "client characteristic configuration improper",
    0xfe: "procedure already in progress", 0xff: "out of range",
  ]

  /// The meaning of the code, in words; a code without a fixed meaning is named by its number:
  /// "application error 0x80".
  ///
  /// ```swift
  /// print(ATTErrorCode(rawValue: 0x80).meaning)  // application error 0x80
  /// ```
  public var meaning: String { Self.meanings[rawValue] ?? numbered }

  /// The text for a code without a fixed meaning.
  private var numbered: String {
    let kind = (0x80...0x9f).contains(rawValue) ? "application" : "reserved"
    return "\(kind) error 0x\(hexadecimal(rawValue))"
  }

  /// The code of a name or a number: `value-not-allowed`, `0x80`, `14`; nil for anything else.
  ///
  /// ```swift
  /// print(ATTErrorCode(written: "value-not-allowed") == .valueNotAllowed)  // true
  /// ```
  public init?(written text: String) {
    let number = text.hasPrefix("0x") ? UInt8(text.dropFirst(2), radix: 16) : UInt8(text)
    if let number {
      guard number > 0 else { return nil }
      self.init(rawValue: number)
    } else {
      guard let known = Self.named.first(where: { $0.identifier == text }) else { return nil }
      self = known
    }
  }

  /// The codes whose meaning is fixed, in order.
  public static var named: [ATTErrorCode] {
    meanings.keys.sorted().map { ATTErrorCode(rawValue: $0) }
  }

  /// The meaning with hyphens, as files and options write it: `value-not-allowed`. Codes without a
  /// fixed meaning have their number: `0x80`.
  ///
  /// ```swift
  /// print(ATTErrorCode.valueNotAllowed.identifier)  // value-not-allowed
  /// ```
  public var identifier: String {
    guard let meaning = Self.meanings[rawValue] else { return "0x\(hexadecimal(rawValue))" }
    return meaning.lowercased().split(separator: " ").joined(separator: "-")
  }

  public var description: String {
    Self.meanings[rawValue].map { "0x\(hexadecimal(rawValue)) (\($0))" } ?? numbered
  }
}
