// Runs the steps about pairing and bonds.

import Bluetooth
import Signals

extension ChainRun {
  func pair(
    _ rule: PairingRule,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let answers = try answers(rule, placed)
    outcome = .paired(try await limited(runner.service.pair(answers), placed))
  }

  func unpair(_ placed: PlacedStep) async throws {
    let unpairing = runner.service.unpair().map { [self] in linked(false) }
    try await limited(unpairing, placed)
  }

  /// `chain`, with a registered agent if the plan has pairing answers.
  ///
  /// The agent is registered before the connection is made: a pairing that a protected value starts
  /// uses the capability at that time.
  func answering<Value: Sendable>(_ chain: Signal<Value>) -> Signal<Value> {
    guard let rule = runner.plan.pairing else { return chain }
    return Signal { [self] sink in
      let answers = try answers(rule, nil)
      try await runner.service.answering(answers) { chain }.run(sink)
    }
  }

  private func answers(_ rule: PairingRule, _ placed: PlacedStep?) throws -> PairingAnswers {
    do {
      return try rule.answers(ask: runner.ask) { [self] display in
        emit(.pairingDisplay(placed?.reported, display))
      }
    } catch {
      throw RunFailure(
        code: .secretMissing,
        class: .definite,
        what: "pairing",
        why: "\(error)",
        hint: "set the variable, or name the file that the passkey is in"
      )
    }
  }
}
