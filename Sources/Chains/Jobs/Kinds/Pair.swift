// `pair`: pairs, with the answers to bluetoothd's pairing requests.

import Bluetooth

/// A step that pairs with the device.
public struct PairStep: StepKind {
  /// The answers to pairing requests.
  public var rule: PairingRule

  public init(_ rule: PairingRule) { self.rule = rule }

  init() { self.init(PairingRule()) }

  static let verb = "pair"
  static let synonyms = ["bond"]
  static let documentation = "pairs, with answers to what that asks: [pairing.md](pairing.md)"
  static let common: [Key<Step>] = [.expectFailure, .timeout]
  static let keys: [Key<Self>] = [
    Key(
      "pair", \.rule, PairingRule.shape.asMapping.orNull, default: PairingRule(),
      line: .members(PairingRule.keys.map(\.description)), "the answers"
    )
  ]

  var action: Step.Action { .pair(self) }
  var participle: String { "pairing" }
  var privilege: String? { "pairs" }

  func participle(with device: String) -> String { "\(participle) with \(device)" }

  /// 45 s, because the device itself waits 30 s for the user to answer.
  package static let defaultTimeout = Duration.seconds(45)

  func limit(_ usual: Duration) -> Duration { max(usual, Self.defaultTimeout) }

  func run(_ run: StepRun) async throws {
    let answers = try run.chain.answers(rule, run.placed)
    run.outcome = .paired(try await run.limited(run.service.pair(answers)))
  }
}

extension Step {
  /// Pairs with the answers of `rule`.
  ///
  /// The default rule accepts Just Works and asks the user everything else.
  ///
  /// ```swift
  /// Step.pair(PairingRule(secret: SecretReference(.environment("PASSKEY")))).within(.seconds(60))
  /// ```
  public static func pair(_ rule: PairingRule = PairingRule()) -> Step {
    Step(.pair(PairStep(rule)))
  }
}
