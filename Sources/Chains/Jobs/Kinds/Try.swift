// `try`: runs steps, then cleanup steps even if the first failed.

import Bluetooth
import Signals

/// A step that runs inner steps, then cleanup steps even if the first failed.
public struct TryStep: StepKind {
  public var steps: [Step]
  /// The cleanup steps, under `finally`.
  public var last: [Step]

  public init(_ steps: [Step], finally last: [Step]) {
    self.steps = steps
    self.last = last
  }

  init() { self.init([], finally: []) }

  static let verb = "try"
  static let synonyms = ["catch", "finally"]
  static let documentation = "runs `try`, then `finally`, whatever the outcome of `try`"
  static let common: [Key<Step>] = [.timeout]
  static let needsLink = false
  static let keys: [Key<Self>] = [
    Key("try", \.steps, .steps, line: .steps(after: nil), "the steps to run first"),
    Key("finally", \.last, .steps, line: .steps(after: "finally"), "the steps to run last"),
  ]

  var action: Step.Action { .try(self) }
  var participle: String { "trying" }
  var blocks: [StepBlock] {
    get { [StepBlock(role: .certain, steps: steps), StepBlock(role: .finally, steps: last)] }
    set { (steps, last) = (newValue[0].steps, newValue[1].steps) }
  }

  /// Runs the steps, then those of `finally`, even if the first failed.
  ///
  /// The `finally` steps are shielded: neither cancellation nor the deadline of the run interrupts
  /// them, only their own timeout. The first failure is thrown; a later failure of `finally` is
  /// attached to it. If only `finally` fails, its failure is thrown.
  func run(_ run: StepRun) async throws {
    let position = run.placed.position
    let hasFailed = Guarded(false)
    let limit = run.step.timeout ?? run.service.scheduler.cleanUpLimit
    let bracket = Signal<Void>.using(
      acquire: .just(run.chain),
      release: { chain in
        Signal { sink in
          let isCleanUp = hasFailed.withLock { $0 }
          try await chain.performAll(last, inside: position.finally, isCleanUp: isCleanUp)
          try await sink(())
        }
      },
      releaseLimit: limit
    ) { chain in
      Signal { _ in
        do {
          try await chain.performAll(steps, inside: position)
        } catch {
          hasFailed.withLock { $0 = true }
          throw error
        }
      }
    }
    do {
      try await bracket.run { _ in }
    } catch let error as FailedWithCleanUp where error.cause == nil {
      throw error.cleanUp.first?.error ?? error
    }
  }
}

extension Step {
  /// Runs steps, then cleanup steps, even after a failure, a cancellation or the deadline of the
  /// run.
  ///
  /// A failure of the first steps becomes the failure of this step.
  ///
  /// ```swift
  /// try Step.attempt {
  ///   try Step.write("alert-level", "u8:2")
  ///   Step.sleep(.seconds(2))
  /// } finally: {
  ///   try Step.write("alert-level", "u8:0")
  /// }
  /// ```
  public static func attempt(
    @StepsBuilder _ steps: () throws -> [Step], @StepsBuilder finally last: () throws -> [Step]
  ) rethrows -> Step {
    Step(.try(TryStep(try steps(), finally: try last())))
  }
}
