// `trust`: has the device trusted, or no more.

struct TrustStep: StepKind {
  var isTrusted = true

  static let verb = StepVerb.trust
  static let documentation = "marks the device as trusted, or not: [pairing.md](pairing.md)"
  static let common: [StepKey] = [.expectFailure, .timeout]
  static let keys: [Key<Self>] = [
    Key(
      "trust",
      \.isTrusted,
      Shape.truth.orNull,
      default: true,
      .bare(["yes", "no", "true", "false"], what: "yes or no"),
      documentation: "whether it is trusted"
    )
  ]

  var action: Step.Action { .trust(isTrusted) }
  var doing: String { isTrusted ? "trusting" : "ending the trust" }
}
