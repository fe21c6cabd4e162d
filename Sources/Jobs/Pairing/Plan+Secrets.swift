// Reads the secrets of a plan, before anything happens.

import Bluetooth
public import Documents

extension Plan {
  /// The plan with all its secrets read, so that a missing one is reported before the run begins.
  ///
  /// ```swift
  /// let ready = try Plan(file: "lock.yaml").withSecrets()
  /// let report = try await ready.run(on: device)
  /// ```
  ///
  /// - Throws: `Problem` about the first that cannot be read.
  public func withSecrets() throws(Problem) -> Plan {
    var plan = self
    plan.pairing = try Self.resolved(pairing)
    plan.steps = try Self.resolved(steps)
    return plan
  }

  /// The positions of passkeys in the chain file itself; "pairing" for that of the complete chain.
  ///
  /// ```swift
  /// for place in plan.writtenSecrets { print("\(place) has a passkey that others can read") }
  /// ```
  public var writtenSecrets: [String] {
    var places = pairing?.secret?.source == .written ? ["pairing"] : []
    func add(_ steps: [PlacedStep]) {
      for placed in steps {
        if case .pair(let pair) = placed.step.action, pair.rule.secret?.source == .written {
          places.append("step \(placed.position)")
        }
        add(placed.inner)
      }
    }
    add(StepPosition.place(steps))
    return places
  }

  private static func resolved(_ rule: PairingRule?) throws(Problem) -> PairingRule? {
    guard var rule, let secret = rule.secret else { return rule }
    rule.secret = try secret.resolved()
    return rule
  }

  private static func resolved(_ steps: [Step]) throws(Problem) -> [Step] {
    var result: [Step] = []
    for var step in steps {
      if case .pair(let pair) = step.action {
        step.action = .pair(PairStep(try resolved(pair.rule) ?? pair.rule))
      }
      result.append(try step.mappingInner(resolved))
    }
    return result
  }
}
