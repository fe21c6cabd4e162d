// `log`: logs a text.

struct LogStep: StepKind {
  var template = MessageTemplate(literal: "")

  static let verb = StepVerb.log
  static let documentation = "logs a text"
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key(
      "log",
      \.template,
      .template,
      .target,
      documentation: "the text, with captured values in braces"
    )
  ]

  var action: Step.Action { .log(template) }
  var doing: String { "logging" }
}
