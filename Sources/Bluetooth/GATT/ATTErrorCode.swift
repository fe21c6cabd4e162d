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

  public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
  public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
  public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
  public static let invalidPDU = ATTErrorCode(rawValue: 0x04)
  public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
  public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
  public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
  public static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
  public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
  public static let attributeNotFound = ATTErrorCode(rawValue: 0x0a)
  public static let attributeNotLong = ATTErrorCode(rawValue: 0x0b)
  public static let encryptionKeyTooShort = ATTErrorCode(rawValue: 0x0c)
  public static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0d)
  public static let unlikelyError = ATTErrorCode(rawValue: 0x0e)
  public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0f)
  public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
  public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
  public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
  public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
  public static let writeRequestRejected = ATTErrorCode(rawValue: 0xfc)
  public static let cccImproperlyConfigured = ATTErrorCode(rawValue: 0xfd)
  public static let procedureAlreadyInProgress = ATTErrorCode(rawValue: 0xfe)
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

  /// The meaning of the code, in words.
  public var meaning: String {
    Self.meanings[rawValue]
      ?? ((0x80...0x9f).contains(rawValue)
        ? "an application error" : "a reserved error")
  }

  public var description: String { "0x\(hexadecimal(rawValue)) (\(meaning))" }
}
