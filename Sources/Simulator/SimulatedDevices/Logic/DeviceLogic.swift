// Logic in addition to a device file: a program in any language, or a function in Swift.
//
// Starting programs and opening sockets is up to the player of the simulation.

public import Documents

/// Decides what the file of a device does not describe.
///
/// It is asked before the device decides, and the simulation waits for the answer. Virtual time
/// stands still meanwhile, so runs are reproducible.
public struct DeviceLogic: Sendable {
  /// Answers one event.
  public typealias Ask =
    @Sendable (LogicEvent) throws(LogicError.Reason) -> LogicAnswer
  /// Sends a line, and returns the answer line, both without a newline.
  public typealias Exchange = @Sendable (String) throws(LogicError.Reason) -> String
  /// Opens the logic that a device file names; the text is the name of the device.
  public typealias Open =
    @Sendable (LogicDefinition, String) throws(LogicError.Reason) -> DeviceLogic

  let ask: Ask
  let close: @Sendable () -> Void

  /// Creates logic from a function.
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

  /// Creates logic that exchanges lines of JSON.
  ///
  /// - Parameters:
  ///   - exchange: Sends a line and returns the answer. It blocks until the answer arrives, or its
  /// own deadline passes.
  ///   - close: Ends the logic.
  public init(exchange: @escaping Exchange, close: @escaping @Sendable () -> Void = {}) {
    ask = { event throws(LogicError.Reason) in
      try LogicAnswer(parsing: try exchange(event.line), to: event)
    }
    self.close = close
  }
}

/// The logic in a device file.
public struct LogicDefinition: Hashable, Sendable {
  /// The source of the logic.
  public enum Source: Hashable, Sendable {
    /// A program with its arguments, started in a folder.
    case program([String], folder: String)
    /// A Unix stream socket served by another process.
    case socket(String)
  }

  /// The default limit for each answer.
  public static let defaultDeadline = Duration.seconds(5)

  public var source: Source
  /// The limit for each answer, in real time.
  public var deadline: Duration
  /// The place in the file, for errors.
  public var place: Place?

  /// Creates the logic of a device.
  public init(_ source: Source, deadline: Duration = defaultDeadline, at place: Place? = nil) {
    self.source = source
    self.deadline = deadline
    self.place = place
  }
}
