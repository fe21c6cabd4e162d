// The failure that a step must end with.

public import Bluetooth
import Documents

/// What a step must fail with: `error: value-not-allowed`. Any of the names is enough.
public struct ExpectedFailure: Hashable, Sendable {
  /// A name of failures.
  public enum Name: Hashable, Sendable, CustomStringConvertible {
    /// Every failure of the operation itself.
    case any
    /// The code of a failure: `not-permitted`.
    case code(DeviceFailure.Code)
    /// A class of failures: `definite`.
    case ofClass(FailureClass)
    /// What the device answered: `value-not-allowed`, `0x80`.
    case att(ATTErrorCode)

    /// The name as it is written in a chain; nil for anything else.
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

    /// The name as it is written in a chain.
    public var description: String {
      switch self {
      case .any: "any"
      case .code(let code): code.rawValue
      case .ofClass(let known): known.rawValue
      case .att(let code): code.identifier
      }
    }

    /// What a step can fail with.
    private static let codes: [DeviceFailure.Code] = [
      .notFound, .connectFailed, .linkLost, .busy, .timedOut, .refused, .notPermitted,
      .notSupported, .notConnected, .serviceMissing, .characteristicMissing, .descriptorMissing,
      .ambiguous, .adapterMissing, .adapterOff, .invalidValue, .notPaired, .pairingFailed,
      .timingUnknown, .capabilityMissing, .socketsMissing, .commandFailed,
    ]

    /// The name as it is written in a chain.
    ///
    /// - Throws: What is wrong with any other text, and which name comes closest.
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

    /// The ATT errors whose number bluetoothd does not report, each with the code of the failure.
    ///
    /// For 0x0c and 0x0f its answer is that for 0x05, which is reported as such.
    ///
    /// - Source: BlueZ 5.66, `src/gatt-client.c` (create_gatt_dbus_error).
    package static let unreported: [ATTErrorCode: DeviceFailure.Code] = [
      .requestNotSupported: .notSupported, .insufficientAuthorization: .notPermitted,
      .encryptionKeyTooShort: .notPaired, .invalidAttributeValueLength: .invalidValue,
      .insufficientEncryption: .notPaired,
    ]

    /// All names; the numbers of the device's errors are names, too.
    static let all =
      ["any"] + codes.map(\.rawValue) + FailureClass.allCases.map(\.rawValue)
      + ATTErrorCode.named.filter { unreported[$0] == nil }.map(\.identifier)
  }

  /// The names, any of which is right.
  public let names: [Name]

  /// A failure with one of these names.
  ///
  /// ```swift
  /// var step = try Step.write("alert-level", "u8:9")
  /// step.expected = .failure(ExpectedFailure([.att(.valueNotAllowed), .code(.notPermitted)]))
  /// ```
  ///
  /// - Parameter names: At least one.
  public init(_ names: [Name]) {
    self.names = names
  }

  /// Whether a failure is one of those.
  ///
  /// - Parameter att: What the device answered, if it did.
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
  /// The name of the failure among what a step's value must be.
  static let key = "error"

  /// In the one-line form: `error = value-not-allowed`, `error in busy,link-lost`.
  public var description: String {
    let list = names.map(\.description).joined(separator: ",")
    return "\(Self.key) \(names.count == 1 ? "=" : "in") \(list)"
  }
}

/// What a step must end with.
public enum Expected: Hashable, Sendable {
  /// Success, with a value that meets all of these; none for any value.
  case values([Expectation])
  /// A failure.
  case failure(ExpectedFailure)

  /// What the value must be; empty where the step must fail.
  public var expectations: [Expectation] {
    switch self {
    case .values(let expectations): expectations
    case .failure: []
    }
  }
}
