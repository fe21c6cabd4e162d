// `unpair`: forgets the device and its bond.

import Bluetooth
import Signals

struct UnpairStep: StepKind {
  static let verb = "unpair"
  static let synonyms = ["unbond", "forget", "remove"]
  static let documentation = "forgets the device and its bond"
  static let common: [Key<Step>] = [.expectFailure, .timeout]
  static let precedesLink = true
  static let endsLink = true
  static let keys: [Key<Self>] = []

  var action: Step.Action { .unpair }
  var participle: String { "unpairing" }
  var privilege: String? { "removes the bond" }

  func run(_ run: StepRun) async throws {
    let unpairing = run.service.unpair().map { run.chain.linked(false) }
    try await run.limited(unpairing)
  }
}

extension Step {
  /// Forgets the device and its bond.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   Step.unpair
  ///   Step.pair(PairingRule(secret: SecretReference(.environment("PASSKEY"))))
  /// }
  /// ```
  public static var unpair: Step { Step(.unpair) }
}
