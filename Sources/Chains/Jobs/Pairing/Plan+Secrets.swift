// Loads the secrets of a plan before it runs.

import Bluetooth
public import Documents
import RunEvents

extension Plan {
  /// Returns the plan with all its secrets loaded, so that a missing one is reported before the
  /// run.
  ///
  /// ```swift
  /// let ready = try Plan(file: "lock.yaml").withSecrets()
  /// let report = try await ready.run(on: device)
  /// ```
  ///
  /// - Throws: `Problem` for the first secret that cannot be read.
  public func withSecrets() throws(Problem) -> Plan {
    var plan = self
    try plan.pairing?.readSecret()
    plan.steps = try steps.map { step throws(Problem) in
      try step.changed { step throws(Problem) in
        guard case .pair(var pair) = step.action else { return }
        try pair.rule.readSecret()
        step.action = .pair(pair)
      }
    }
    return plan
  }

  /// The positions of passkeys written in the chain file; "pairing" for that of the entire chain.
  ///
  /// ```swift
  /// for place in plan.writtenSecrets { print("\(place) has a passkey that others can read") }
  /// ```
  public var writtenSecrets: [String] {
    let own = pairing?.secret?.source == .written ? ["pairing"] : []
    return own
      + StepPosition.place(steps).flatMap(\.all).compactMap { placed in
        guard case .pair(let pair) = placed.step.action, pair.rule.secret?.source == .written
        else { return nil }
        return "step \(placed.position)"
      }
  }
}

extension PairingRule {
  fileprivate mutating func readSecret() throws(Problem) { secret = try secret?.resolved() }
}
