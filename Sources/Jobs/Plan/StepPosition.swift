// Where a step stands in its chain.

/// The place of a step: `3`; `4.2` inside step 4; `4[7].2` in its seventh repetition.
public struct StepPosition: Hashable, Sendable, CustomStringConvertible {
  /// What leads from a chain, or from a step, to what lies in it.
  fileprivate enum Part: Hashable {
    /// A step, counted from 1.
    case step(Int)
    /// A repetition of the step, counted from 1.
    case repetition(Int)
    /// What a `try` does last.
    case finally
  }

  /// What a chain does by itself.
  private enum Implied: String {
    case connect, disconnect
  }

  private let implied: Implied?
  private let parts: [Part]

  private init(_ implied: Implied) { (self.implied, parts) = (implied, []) }

  private init(_ parts: [Part]) { (implied, self.parts) = (nil, parts) }

  /// The step with a number, counted from 1, at the top of a chain.
  public init(_ number: Int) { self.init([.step(number)]) }

  /// The connecting that a chain does before its first step.
  public static let impliedConnect = StepPosition(.connect)
  /// The disconnecting that every chain ends with.
  public static let impliedDisconnect = StepPosition(.disconnect)

  public var description: String {
    if let implied { return implied.rawValue }
    var text = ""
    for part in parts {
      switch part {
      case .step(let number): text += text.isEmpty ? "\(number)" : ".\(number)"
      case .repetition(let turn): text += "[\(turn)]"
      case .finally: text += ".finally"
      }
    }
    return text
  }

  /// Whether the chain does it without saying so.
  public var isImplied: Bool { implied != nil }

  /// Whether no step stands before this one, and no repetition.
  var isFirst: Bool {
    parts.allSatisfy { part in
      switch part {
      case .step(let number), .repetition(let number): number == 1
      case .finally: false
      }
    }
  }

  /// Whether it is a turn of a step that is repeated.
  var isTurn: Bool { parts.contains { $0.isRepetition } }

  /// The place as it is written: that of all turns.
  var written: StepPosition {
    implied == nil ? StepPosition(parts.filter { !$0.isRepetition }) : self
  }

  /// The step with a number inside the one that stands here.
  public func inner(_ number: Int) -> StepPosition { StepPosition(parts + [.step(number)]) }

  /// The place of what is done in the end of the `try` that stands here: `4.finally`.
  public var finally: StepPosition { StepPosition(parts + [.finally]) }

  /// The step that stands here, the `turn`th time it is repeated.
  public func repetition(_ turn: Int) -> StepPosition { StepPosition(parts + [.repetition(turn)]) }

  /// Steps with their places, at the top or inside `outer`.
  public static func place(_ steps: [Step], inside outer: StepPosition? = nil) -> [PlacedStep] {
    steps.enumerated().map { index, step in
      PlacedStep(outer?.inner(index + 1) ?? StepPosition(index + 1), step)
    }
  }
}

extension StepPosition.Part {
  fileprivate var isRepetition: Bool { if case .repetition = self { true } else { false } }
}
