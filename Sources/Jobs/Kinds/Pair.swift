// `pair`: pairs, answering what that asks.

import Bluetooth

struct PairStep: StepKind {
  var rule = PairingRule()

  static let verb = StepVerb.pair
  static let documentation = "pairs, with answers to what that asks: [pairing.md](pairing.md)"
  static let common: [StepKey] = [.expectFailure, .timeout]
  static let keys: [Key<Self>] = [
    Key(
      "pair",
      \.rule,
      PairingRule.shape.orNull,
      default: PairingRule(),
      .members(PairingRule.keys.map(\.description)),
      documentation: "the answers"
    )
  ]

  var action: Step.Action { .pair(rule) }
  var doing: String { "pairing" }
  /// Longer than the 30 s that a device waits for somebody's answer.
  func limit(_ usual: Duration) -> Duration { max(usual, .seconds(45)) }
}
