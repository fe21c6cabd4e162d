// `trust`: sets or clears the Trusted property of the device.

import Bluetooth

/// A step that marks the device as trusted by this host, or removes the mark.
public struct TrustStep: StepKind {
  public var isTrusted: Bool

  public init(_ isTrusted: Bool) { self.isTrusted = isTrusted }

  init() { self.init(true) }

  static let verb = "trust"
  static let documentation = "marks the device as trusted, or not: [pairing.md](pairing.md)"
  static let common: [Key<Step>] = [.expectFailure, .timeout]
  static let keys: [Key<Self>] = [
    Key(
      "trust", \.isTrusted, Shape.truth.orNull, default: true,
      line: .bare(["yes", "no", "true", "false"], what: "yes or no"), "whether it is trusted"
    )
  ]

  var action: Step.Action { .trust(self) }
  var participle: String { isTrusted ? "trusting" : "ending the trust" }
  var privilege: String? { "changes what the device is trusted with" }

  func run(_ run: StepRun) async throws {
    try await run.limited(run.service.trust(isTrusted))
  }
}

extension Step {
  /// Marks the device as trusted, or removes the mark.
  ///
  /// Sets the Trusted property of bluetoothd, which accepts incoming connections from trusted
  /// devices.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   Step.pair()
  ///   Step.trust()
  /// }
  /// ```
  ///
  /// - Source: BlueZ 5.66, `doc/device-api.txt` (Trusted).
  public static func trust(_ isTrusted: Bool = true) -> Step { Step(.trust(TrustStep(isTrusted))) }
}
