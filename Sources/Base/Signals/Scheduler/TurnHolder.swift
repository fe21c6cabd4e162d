// Identifies the owner of a turn, for the timeout errors of waiting turns.

/// The holder of a turn that another run waits for.
public struct TurnHolder: Hashable, Sendable, CustomStringConvertible {
  /// The name of the scheduler.
  public let scheduler: String
  /// The label of the turn, or the call that asked for it and its place in the source.
  public let turn: String
  /// The time since it got the turn.
  public let held: Duration

  /// A turn of `scheduler` that began `held` ago.
  public init(scheduler: String, turn: String, held: Duration) {
    self.scheduler = scheduler
    self.turn = turn
    self.held = held
  }

  /// The holder, and for how long it has held the turn.
  public var description: String { "'\(turn)' has had the turn of '\(scheduler)' for \(held)" }
}

/// The name of a turn: its label, or the call that requested it with its place in the source.
@usableFromInline
struct TurnName: Sendable, CustomStringConvertible {
  private let text: String
  private let file: StaticString?
  private let line: UInt

  /// The name of a turn with a label, or one without a call in the source.
  init(_ label: String) {
    text = label
    file = nil
    line = 0
  }

  /// The name of the turn that `call` requests.
  @usableFromInline
  init(_ call: String, _ file: StaticString, _ line: UInt) {
    text = call
    self.file = file
    self.line = line
  }

  /// The label if there is one, otherwise the call.
  init(_ label: String?, orElse call: String, _ file: StaticString, _ line: UInt) {
    self = label.map { TurnName($0) } ?? TurnName(call, file, line)
  }

  /// `withConnection of Thermo-1`, `firstOrDefault at Thermometer/main.swift:12`.
  @usableFromInline var description: String { file.map { "\(text) at \($0):\(line)" } ?? text }
}
