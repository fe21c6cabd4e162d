// Limits on work, as that work sees them.

/// The deadline that is carried down to the present work.
public enum Deadline {
  /// The earliest instant by which the present work has to end; nil when nothing limits it.
  public static var current: Instant? { Carried.current?.earliest }
}

/// A wait, or a whole signal, did not end within its limit.
public struct TimedOut: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was being waited for.
  public let operation: String
  /// The limit that passed.
  public let after: Duration?

  /// The error of a wait for `operation` that took longer than `after`.
  public init(operation: String, after: Duration?) {
    self.operation = operation
    self.after = after
  }

  /// What took too long, and how long it was allowed to take.
  public var description: String {
    guard let after else { return "\(operation) ran out of time" }
    return "\(operation) did not end within \(after)"
  }
}
