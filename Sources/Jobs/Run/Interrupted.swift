// The end of a run by a signal of the operating system.

/// The cause with which a turn is cancelled when a signal ends the program.
public struct Interrupted: Error, Hashable, Sendable, CustomStringConvertible {
  /// SIGHUP, SIGINT, SIGQUIT or SIGTERM.
  public let signal: Int32

  /// An interruption by the signal of this number.
  public init(signal: Int32) {
    self.signal = signal
  }

  /// "interrupted by SIGINT".
  public var description: String {
    let names: [Int32: String] = [1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 15: "SIGTERM"]
    return "interrupted by \(names[signal] ?? "signal \(signal)")"
  }
}
