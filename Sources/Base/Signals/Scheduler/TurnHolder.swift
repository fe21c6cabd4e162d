// Who has a turn, for whoever waits for it in vain.

/// Who has the turn that another run waits for.
public struct TurnHolder: Hashable, Sendable, CustomStringConvertible {
  /// The name of the scheduler.
  public let scheduler: String
  /// The label of the turn, or the call that asked for it and its place in the source.
  public let turn: String
  /// How long it has had the turn.
  public let held: Duration

  /// A turn of `scheduler` that began `held` ago.
  public init(scheduler: String, turn: String, held: Duration) {
    self.scheduler = scheduler
    self.turn = turn
    self.held = held
  }

  /// Who has it, and for how long.
  public var description: String { "'\(turn)' has had the turn of '\(scheduler)' for \(held)" }
}

/// What a turn is called: its label, or the call that asked for it and the place of that in the source.
@usableFromInline
struct TurnName: Sendable, CustomStringConvertible {
  private let text: String
  private let file: StaticString?
  private let line: UInt

  /// The name of a turn that has a label, or that nobody wrote a call for.
  init(_ label: String) {
    text = label
    file = nil
    line = 0
  }

  /// The name of the turn that `call` asks for.
  @usableFromInline
  init(_ call: String, _ file: StaticString, _ line: UInt) {
    text = call
    self.file = file
    self.line = line
  }

  /// The label if there is one, else the call.
  init(_ label: String?, orElse call: String, _ file: StaticString, _ line: UInt) {
    self = label.map { TurnName($0) } ?? TurnName(call, file, line)
  }

  /// `withConnection of Thermo-1`, `firstOrDefault at Thermometer/main.swift:12`.
  @usableFromInline var description: String { file.map { "\(text) at \($0):\(line)" } ?? text }
}
