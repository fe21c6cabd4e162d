// `log`: logs a text with captured values.

public import Documents

/// A step that logs a text.
public struct LogStep: StepKind {
  /// The text; captured values are substituted when the step runs.
  public var template: MessageTemplate

  public init(_ template: MessageTemplate) { self.template = template }

  init() { self.init(MessageTemplate(literal: "")) }

  static let verb = "log"
  static let synonyms = ["print", "echo", "message"]
  static let documentation = "logs a text"
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key("log", \.template, .template, line: .target, "the text, with captured values in braces")
  ]

  var action: Step.Action { .log(self) }
  var participle: String { "logging" }

  func run(_ run: StepRun) { run.outcome = .logged(template.filled(run.chain.value)) }
}

extension Step {
  /// Logs a text, with captured values in braces.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.read("battery-level").captured(as: "battery")
  ///   try Step.log("charge it: {battery.percent} percent")
  /// }
  /// ```
  ///
  /// - Throws: `Problem` for an unclosed brace.
  public static func log(
    _ text: String, file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      guard let template = MessageTemplate(text) else {
        throw Problem("'\(text)' is not \(MessageTemplate.shape)")
      }
      return Step(.log(LogStep(template)))
    }
  }
}
