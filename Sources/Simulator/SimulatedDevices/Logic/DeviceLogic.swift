// Logic beside a device file: a program in any language, or a function in Swift.
//
// How a program or a socket is reached is not here: whoever runs the simulation opens them.

public import Documents

/// Decides for a device what its file does not describe.
///
/// It is asked before the device decides, and the world waits for the answer: in virtual time, no
/// time passes meanwhile, so that a run repeats.
public struct DeviceLogic: Sendable {
  /// Answers one event.
  public typealias Ask =
    @Sendable (LogicEvent) throws(LogicError.Reason) -> LogicAnswer
  /// Sends a line, and returns the line that answers it, both without newline.
  public typealias Exchange = @Sendable (String) throws(LogicError.Reason) -> String
  /// Reaches the logic that a device file names; the text is the name of the device.
  public typealias Open =
    @Sendable (LogicDefinition, String) throws(LogicError.Reason) -> DeviceLogic

  let ask: Ask
  let close: @Sendable () -> Void

  /// Logic as a function.
  ///
  /// ```swift
  /// let lock = try world.device("Door-1")
  /// try lock.setLogic(
  ///   DeviceLogic { event in
  ///     guard case .write(let attribute, let value, _) = event.kind else { return LogicAnswer() }
  ///     if attribute.characteristic != "2a56" || value == [0x2a] { return LogicAnswer() }
  ///     return LogicAnswer(error: .valueNotAllowed)
  ///   })
  /// ```
  public init(_ ask: @escaping Ask) {
    self.ask = ask
    close = {}
  }

  /// Logic in any language, which is asked and answers in lines of JSON.
  ///
  /// - Parameters:
  ///   - exchange: One line out, one line in. It blocks until the answer, or its own deadline.
  ///   - close: Ends the logic.
  public init(exchange: @escaping Exchange, close: @escaping @Sendable () -> Void = {}) {
    ask = { event throws(LogicError.Reason) in
      try LogicAnswer(parsing: try exchange(event.line), to: event)
    }
    self.close = close
  }
}

/// The logic that a device file names.
public struct LogicDefinition: Hashable, Sendable {
  /// What answers.
  public enum Source: Hashable, Sendable {
    /// A program with its arguments, started in a folder.
    case program([String], folder: String)
    /// A Unix stream socket that somebody else serves.
    case socket(String)
  }

  /// How long each answer is waited for unless the file says otherwise.
  public static let usualDeadline = Duration.seconds(5)

  /// What answers.
  public var source: Source
  /// How long each answer is waited for, in real time.
  public var deadline: Duration
  /// Where the file names it.
  public var place: Place?

  /// Logic of a device.
  public init(_ source: Source, deadline: Duration = usualDeadline, at place: Place? = nil) {
    self.source = source
    self.deadline = deadline
    self.place = place
  }
}
