// Where a step stands in its chain.

/// The place of a step: `3`; `4.2` inside step 4; `4[7].2` in its seventh repetition.
public struct StepPosition: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  private init(description: String) {
    self.description = description
  }

  /// The step with a number, counted from 1, at the top of a chain.
  public init(_ number: Int) {
    description = "\(number)"
  }

  /// The connecting that a chain does before its first step.
  public static let impliedConnect = StepPosition(description: "connect")
  /// The disconnecting that every chain ends with.
  public static let impliedDisconnect = StepPosition(description: "disconnect")

  /// Whether no step stands before this one, and no repetition.
  var isFirst: Bool {
    !description.contains("f") && description.split { !$0.isNumber }.allSatisfy { $0 == "1" }
  }

  /// Whether it is a turn of a step that is repeated.
  var isTurn: Bool { description.contains("[") }

  /// The place as it is written: that of all turns.
  var written: StepPosition {
    let parts = description.split(separator: "[").enumerated().map { index, part in
      index == 0 ? part : part.drop { $0 != "]" }.dropFirst()
    }
    return StepPosition(description: parts.joined())
  }

  /// The step with a number inside the one that stands here.
  public func inner(_ number: Int) -> StepPosition {
    StepPosition(description: "\(description).\(number)")
  }

  /// The place of what is done in the end of the `try` that stands here: `4.finally`.
  public var finally: StepPosition { StepPosition(description: "\(description).finally") }

  /// The step that stands here, the `turn`th time it is repeated.
  public func repetition(_ turn: Int) -> StepPosition {
    StepPosition(description: "\(description)[\(turn)]")
  }

  /// Steps with their places, at the top or inside `outer`.
  public static func place(_ steps: [Step], inside outer: StepPosition? = nil) -> [PlacedStep] {
    steps.enumerated().map { index, step in
      PlacedStep(outer?.inner(index + 1) ?? StepPosition(index + 1), step)
    }
  }
}
