// The position of a step in its chain.

/// The position of a step: `3`; `4.2` inside step 4; `4[7].2` in the seventh repetition of step 4.
public struct StepPosition: Hashable, Sendable, CustomStringConvertible {
  fileprivate enum Part: Hashable {
    /// A step, counted from 1.
    case step(Int)
    /// A repetition of the step, counted from 1.
    case repetition(Int)
    /// The `finally` of a `try`.
    case finally
    /// The `else` of a `when`.
    case otherwise
  }

  /// A step that the chain does not contain but runs.
  private enum Implied: String {
    case connect, disconnect
  }

  private let implied: Implied?
  private let parts: [Part]

  private init(_ implied: Implied) { (self.implied, parts) = (implied, []) }

  private init(_ parts: [Part]) { (implied, self.parts) = (nil, parts) }

  /// Creates the position of a top-level step, counted from 1.
  public init(_ number: Int) { self.init([.step(number)]) }

  /// The implicit connect before the first step.
  public static let impliedConnect = StepPosition(.connect)
  /// The implicit disconnect at the end of every chain.
  public static let impliedDisconnect = StepPosition(.disconnect)

  /// Parses the form of ``description``; nil for any other text.
  package init?(_ text: String) {
    if let implied = Implied(rawValue: text) {
      self.init(implied)
      return
    }
    var parts: [Part] = []
    for level in text.split(separator: ".", omittingEmptySubsequences: false) {
      let pieces = level.split(separator: "[", omittingEmptySubsequences: false)
      switch pieces[0] {
      case "finally": parts.append(.finally)
      case "else": parts.append(.otherwise)
      default:
        guard let number = Int(pieces[0]) else { return nil }
        parts.append(.step(number))
      }
      for piece in pieces.dropFirst() {
        guard piece.last == "]", let turn = Int(piece.dropLast()) else { return nil }
        parts.append(.repetition(turn))
      }
    }
    self.init(parts)
  }

  public var description: String {
    if let implied { return implied.rawValue }
    var text = ""
    for part in parts {
      switch part {
      case .step(let number): text += text.isEmpty ? "\(number)" : ".\(number)"
      case .repetition(let turn): text += "[\(turn)]"
      case .finally: text += ".finally"
      case .otherwise: text += ".else"
      }
    }
    return text
  }

  /// Whether the step is the implicit connect or disconnect.
  public var isImplied: Bool { implied != nil }

  /// Whether this is the first step, and in the first repetition if it is in a `repeat`.
  package var isFirst: Bool {
    parts.allSatisfy { part in
      switch part {
      case .step(let number), .repetition(let number): number == 1
      case .finally, .otherwise: false
      }
    }
  }

  /// The number of enclosing steps.
  package var depth: Int { max(0, parts.count { if case .step = $0 { true } else { false } } - 1) }

  /// Whether the step runs even after a failure: inside a `finally`, or as the implicit disconnect.
  package var isCleanUp: Bool {
    implied == .disconnect || parts.contains { if case .finally = $0 { true } else { false } }
  }

  package var isTurn: Bool { parts.contains { $0.isRepetition } }

  package func isInside(_ outer: StepPosition) -> Bool {
    parts.count > outer.parts.count && parts.starts(with: outer.parts)
  }

  /// The position without repetitions, as in the chain file.
  package var written: StepPosition {
    implied == nil ? StepPosition(parts.filter { !$0.isRepetition }) : self
  }

  /// The position of an inner step, counted from 1.
  public func inner(_ number: Int) -> StepPosition { StepPosition(parts + [.step(number)]) }

  /// The position of the `finally` of this `try`: `4.finally`.
  public var finally: StepPosition { StepPosition(parts + [.finally]) }

  /// The position of the `else` of this `when`: `4.else`.
  public var otherwise: StepPosition { StepPosition(parts + [.otherwise]) }

  /// The position of repetition `turn` of this step, counted from 1.
  public func repetition(_ turn: Int) -> StepPosition { StepPosition(parts + [.repetition(turn)]) }
}

extension StepPosition.Part {
  fileprivate var isRepetition: Bool { if case .repetition = self { true } else { false } }
}
