// `sleep`: waits for a fixed time.

import Signals

/// A step that waits for a fixed time.
public struct SleepStep: StepKind {
  public var duration: Duration

  public init(_ duration: Duration) { self.duration = duration }

  init() { self.init(.zero) }

  static let verb = "sleep"
  static let synonyms = ["wait", "delay", "pause"]
  static let documentation = "waits"
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key("sleep", \.duration, .pause("500ms"), line: .target, "how long")
  ]

  var action: Step.Action { .sleep(self) }
  var participle: String { "sleeping" }

  func run(_ run: StepRun) async throws {
    run.awaits(limit: duration)
    try await run.loop.sleep(for: duration)
  }
}

extension Step {
  /// Waits for a fixed time.
  ///
  /// ```swift
  /// let chain = try Plan {
  ///   try Step.write("alert-level", "u8:1")
  ///   Step.sleep(.milliseconds(500))
  ///   try Step.write("alert-level", "u8:0")
  /// }
  /// ```
  public static func sleep(_ duration: Duration) -> Step { Step(.sleep(SleepStep(duration))) }
}
