// A command that runs in the place of this program for a while.

import Signals

extension ChildProcess {
  /// Runs a command to its end. It prints to the same places as this program, whose output is written
  /// before it begins, and gets the signals that this program gets.
  ///
  /// - Parameter environment: What is set on top of this program's environment.
  /// - Returns: The exit status: the command's own, or 128 + n when signal n ended it.
  static func run(
    _ command: [String],
    environment: [(name: String, value: String)] = [],
    on loop: EventLoop
  ) throws -> Int32 {
    let status = Guarded<Int32?>(nil)
    let running = Guarded<ChildProcess?>(nil)
    let look: @Sendable () -> Void = {
      guard let child = running.withLock({ $0 }), status.withLock({ $0 == nil }) else { return }
      if let exit = child.exitIfEnded() { status.withLock { $0 = exit.shellStatus } }
    }
    let signals = SystemSignals { signal in
      switch signal {
      case .childEnded: loop.post(look)
      // What a terminal sends for its keys reaches the command by itself.
      case let signal where SystemSignal.keys.contains(signal): break
      // open: signals of the system
      default: running.withLock { $0 }?.send(signal.number)
      }
    }
    defer { signals.close() }
    StandardStreams.ofProcess.finish(patience: StandardOutput.patienceAfterSignal)
    // A signal reaches the command, or comes before it begins.
    let early = try running.withLock { running throws(ChildProcess.Failure) in
      let early = SystemSignals.arrived
      if early == nil { running = try ChildProcess(command, environment: environment) }
      return early
    }
    if let early { return 128 + early.number }
    // It may have ended before anybody looked.
    loop.post(look)
    try loop.drive { status.withLock { $0 != nil } }
    return status.withLock { $0 } ?? 125
  }
}
