// The failure that a step must end with, for chains that test error handling.

public import Bluetooth
import Documents
import RunEvents

/// The failures with which a step passes: `error: value-not-allowed`. One matching name is enough.
public struct ExpectedFailure: Hashable, Sendable {
  /// A name that matches failures.
  public enum Name: Hashable, Sendable, CustomStringConvertible {
    /// Every failure of the operation itself.
    case any
    /// The code of a failure: `not-permitted`.
    case code(DeviceFailure.Code)
    /// A class of failures: `definite`.
    case ofClass(FailureClass)
    /// An ATT error from the device: `value-not-allowed`, `0x80`.
    case att(ATTErrorCode)

    /// Parses a name as written in a chain; nil for anything else.
    public init?(_ text: String) {
      if text == Self.any.description {
        self = .any
      } else if let code = Self.codes.first(where: { $0.rawValue == text }) {
        self = .code(code)
      } else if let known = FailureClass(rawValue: text) {
        self = .ofClass(known)
      } else if let code = ATTErrorCode(written: text) {
        self = .att(code)
      } else {
        return nil
      }
    }

    /// The name as written in a chain.
    public var description: String {
      switch self {
      case .any: "any"
      case .code(let code): code.rawValue
      case .ofClass(let known): known.rawValue
      case .att(let code): code.identifier
      }
    }

    /// The codes with which a step can fail.
    private static let codes: [DeviceFailure.Code] = [
      .notFound, .connectFailed, .linkLost, .busy, .timedOut, .refused, .notPermitted,
      .notSupported, .notConnected, .serviceMissing, .characteristicMissing, .descriptorMissing,
      .ambiguous, .adapterMissing, .adapterOff, .invalidValue, .notPaired, .pairingFailed,
      .timingUnknown, .capabilityMissing, .socketsMissing, .commandFailed, .firmwareFailed,
    ]

    /// Parses a name as written in a chain.
    ///
    /// - Throws: `Problem` for an unknown name, with the nearest known one, and for an ATT error
    ///   that bluetoothd does not report.
    static func read(_ text: String, shown: String) throws(Problem) -> Self {
      guard let name = Self(text) else { throw .unknown(found: shown, text, among: all) }
      if case .att(let code) = name, let instead = unreported[code] {
        throw Problem(
          "no failure has the ATT error \(code): bluetoothd does not report its number",
          expected: instead.rawValue
        )
      }
      return name
    }

    /// The ATT errors whose number bluetoothd does not report, with the code of the resulting
    /// failure.
    ///
    /// 0x0c and 0x0f become the D-Bus error of 0x05, so they are reported as 0x05.
    ///
    /// - Source: BlueZ 5.66, `src/gatt-client.c` (create_gatt_dbus_error).
    package static let unreported: [ATTErrorCode: DeviceFailure.Code] = [
      .requestNotSupported: .notSupported, .insufficientAuthorization: .notPermitted,
      .encryptionKeyTooShort: .notPaired, .invalidAttributeValueLength: .invalidValue,
      .insufficientEncryption: .notPaired,
    ]

    /// All names except the numbers of ATT errors, which are valid, too.
    static let all =
      ["any"] + codes.map(\.rawValue) + FailureClass.allCases.map(\.rawValue)
      + ATTErrorCode.named.filter { unreported[$0] == nil }.map(\.identifier)
  }

  /// The names; a failure must match one of them.
  public let names: [Name]

  /// Creates an expected failure.
  ///
  /// ```swift
  /// var step = try Step.write("alert-level", "u8:9")
  /// step.expected = .failure(ExpectedFailure([.att(.valueNotAllowed), .code(.notPermitted)]))
  /// ```
  ///
  /// - Parameter names: At least one name.
  public init(_ names: [Name]) {
    self.names = names
  }

  /// Whether a failure matches one of the names.
  ///
  /// - Parameter att: The ATT error from the device, if there was one.
  func includes(_ failure: RunFailure, att: ATTErrorCode?) -> Bool {
    names.contains { name in
      switch name {
      case .any: true
      case .code(let code): failure.code == code
      case .ofClass(let known): failure.class == known
      case .att(let code): att == code
      }
    }
  }
}

extension ExpectedFailure: CustomStringConvertible {
  /// The key of an expected failure under `expect`.
  static let key = "error"

  /// The one-line form: `error = value-not-allowed`, `error in busy,link-lost`.
  public var description: String {
    let list = names.map(\.description).joined(separator: ",")
    return "\(Self.key) \(names.count == 1 ? "=" : "in") \(list)"
  }
}

/// The required result of a step.
public enum Expected: Hashable, Sendable {
  /// Success, with a value that meets all expectations; an empty list accepts any value.
  case values([Expectation])
  /// Failure, with one of the expected errors.
  case failure(ExpectedFailure)

  /// The conditions on the value; empty if the step must fail.
  public var expectations: [Expectation] {
    switch self {
    case .values(let expectations): expectations
    case .failure: []
    }
  }
}
