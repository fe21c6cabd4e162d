// Failures of a device's logic.

public import Documents

/// A logic that did not answer, or answered wrongly.
public struct LogicError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: Error, Hashable, Sendable {
    /// The program could not be started.
    case notStarted(String)
    /// The socket accepts no connections.
    case notConnected(socket: String, String)
    /// The program has ended, or the connection is closed.
    case ended(String)
    /// No complete line arrived in time.
    case late(Duration)
    /// The line is longer than ``LogicAnswer/longestLine``.
    case tooLong
    /// The line does not answer the event; nil: the answer did not arrive as a line.
    case invalidAnswer(String, received: String?)
    /// This simulation does not start programs.
    case unsupported
  }

  /// The name of the device, or its address.
  public let device: String
  /// The event of the failed request, such as `write pin`; nil: there was none yet.
  public let event: String?
  /// The reason of the failure.
  public let reason: Reason
  /// The place of the logic in the file.
  public let place: Place?

  /// Creates an error of a device's logic.
  public init(device: String, event: String?, _ reason: Reason, at place: Place? = nil) {
    self.device = device
    self.event = event
    self.reason = reason
    self.place = place
  }

  public var description: String {
    let head = (place.map { "\($0): " } ?? "") + "the logic of \(device)"
    let asked = event.map { " at '\($0)'" } ?? ""
    return switch reason {
    case .notStarted(let why): "\(head) could not be started: \(why)"
    case .notConnected(let socket, let why):
      "\(head) cannot be reached at \(socket): \(why); start what serves the socket first"
    case .ended(let how):
      "\(head) ended\(asked): \(how); it has to answer until its input ends"
    case .late(let limit):
      "\(head) did not answer\(asked) within \(limit.written): it has to answer each event with one "
        + "line, and flush it; for slow logic set a longer 'deadline'"
    case .tooLong:
      "\(head) answered\(asked) with more than \(LogicAnswer.longestLine) bytes without a newline"
    case .invalidAnswer(let problem, let line):
      "\(head) sent an invalid answer\(asked): \(problem)"
        + (line.map { "; received: \(Self.shortened($0))" } ?? "")
    case .unsupported:
      "\(head) is a program or a socket, which only blerun starts: in Swift, give the device "
        + "its logic with setLogic(_:)"
    }
  }

  private static func shortened(_ line: String) -> String {
    line.count > 200 ? line.prefix(200) + "…" : line
  }
}
