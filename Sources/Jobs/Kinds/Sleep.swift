// `sleep`: waits.

struct SleepStep: StepKind {
  var duration = Duration.zero

  static let verb = StepVerb.sleep
  static let documentation = "waits"
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key("sleep", \.duration, .pause("500ms"), .target, documentation: "how long")
  ]

  var action: Step.Action { .sleep(duration) }
  var doing: String { "sleeping" }
}
