// Unix signals, received by a thread of their own from the start of the program.
//
// They are blocked in all other threads: no system call is interrupted, and a signal is received while those
// threads wait. The listener decides about its effect.

import Glibc
import Signals

/// A Unix signal, by its number.
package struct SystemSignal: Hashable, Sendable {
  package let number: Int32

  static let interrupt = SystemSignal(number: SIGINT)
  static let terminate = SystemSignal(number: SIGTERM)
  static let hangUp = SystemSignal(number: SIGHUP)
  /// Ctrl-\ at the terminal.
  static let quit = SystemSignal(number: SIGQUIT)
  static let childEnded = SystemSignal(number: SIGCHLD)

  /// The signals that ask the program to end.
  static let endings: [SystemSignal] = [.interrupt, .terminate, .hangUp, .quit]

  /// The signals that a terminal sends to the whole process group, for keys.
  static let keys: [SystemSignal] = [.interrupt, .quit]

  var name: String {
    switch self {
    case .interrupt: "SIGINT"
    case .terminate: "SIGTERM"
    case .hangUp: "SIGHUP"
    case .quit: "SIGQUIT"
    // open: signals of the system
    default: "signal \(number)"
    }
  }
}

/// A listener for signals, until ``close()``. A process has one at a time.
final class SystemSignals: Sendable {
  private struct Listener: Sendable {
    let signals: SystemSignals
    let receive: @Sendable (SystemSignal) -> Void
  }

  private struct State {
    var listener: Listener?
    /// A listener has been registered: a signal no longer ends the process at once.
    var isEnding = false
    /// The first signal that asked the program to end.
    var arrived: SystemSignal?
    var requests = EndingRequests()
  }

  private static let state = Guarded(State())

  /// The signals for failed writes: once ignored, the write returns an error instead.
  static let ignored = [SIGPIPE, SIGXFSZ]

  /// Blocks the signals, ignores those for failed writes, and starts the thread. Must be called before any other
  /// thread starts, because threads inherit the mask.
  static func start() {
    var mask = mask()
    pthread_sigmask(SIG_BLOCK, &mask, nil)
    ignoreFailingWrites()
    // Inherited as ignored, SIGCHLD would discard the exit status of children.
    signal(SIGCHLD, SIG_DFL)
    let number = startThread("signals") { run() }
    if number != 0 { endProcess("no thread is left for the signals of the system: see ulimit -u") }
  }

  /// Ignores the signals for failed writes.
  static func ignoreFailingWrites() {
    for number in ignored { signal(number, SIG_IGN) }
  }

  /// Restores the default dispositions and the mask, before exec.
  static func stop() {
    for number in ignored { signal(number, SIG_DFL) }
    var mask = mask()
    pthread_sigmask(SIG_UNBLOCK, &mask, nil)
  }

  private static func mask() -> sigset_t {
    var mask = sigset_t()
    sigemptyset(&mask)
    for signal in SystemSignal.endings + [.childEnded] { sigaddset(&mask, signal.number) }
    return mask
  }

  private static func run() -> Never {
    var mask = mask()
    while true {
      var number: Int32 = 0
      guard sigwait(&mask, &number) == 0 else { continue }
      received(SystemSignal(number: number), at: EventLoop.time(CLOCK_MONOTONIC))
    }
  }

  /// The first signal that asked the program to end; nil without one.
  static var arrived: SystemSignal? { state.withLock { $0.arrived } }

  /// Handles a signal, on the thread of the signals.
  ///
  /// Repetitions of a request are ignored. Before the first listener was registered, a signal ends the process at
  /// once. After the last one was closed, the first signal only sets ``arrived``, and a second one from a key of
  /// the terminal ends the process at once.
  private static func received(_ signal: SystemSignal, at now: Duration) {
    let isEnding = SystemSignal.endings.contains(signal)
    let (listener, endsProcess) = state.withLock { state -> (Listener?, Bool) in
      if isEnding, !state.requests.isNew(signal, at: now) { return (nil, false) }
      let isSecond = state.arrived != nil
      if isEnding, state.arrived == nil { state.arrived = signal }
      let endsProcess =
        isEnding && (!state.isEnding || (isSecond && SystemSignal.keys.contains(signal)))
      return (state.listener, endsProcess)
    }
    if let listener { return listener.receive(signal) }
    if endsProcess { exitAtOnce(with: signal) }
  }

  /// Ends the process at once, without waiting for other threads.
  static func exitAtOnce(with signal: SystemSignal) -> Never {
    StandardStreams.ofProcess.finish(patience: .milliseconds(100))
    _exit(128 + signal.number)
  }

  // MARK: Listening

  /// Calls `receive` on the thread of the signals for each signal. Replaces the previous listener.
  init(_ receive: @escaping @Sendable (SystemSignal) -> Void) {
    Self.state.withLock { state in
      state.listener = Listener(signals: self, receive: receive)
      state.isEnding = true
    }
  }

  /// Stops listening.
  func close() {
    Self.state.withLock { if $0.listener?.signals === self { $0.listener = nil } }
  }
}

/// Tells a new request to end from a repetition of the last one. A pure value.
///
/// GNU timeout, for example, signals its child and then the whole process group.
struct EndingRequests: Sendable {
  /// The time within which the same signal is a repetition.
  static let repeated = Duration.seconds(1)

  private var last: [SystemSignal: Duration] = [:]

  /// Whether a signal is a new request.
  ///
  /// - Parameter now: The time on a clock that only advances.
  mutating func isNew(_ signal: SystemSignal, at now: Duration) -> Bool {
    if let before = last[signal], now - before < Self.repeated { return false }
    last[signal] = now
    return true
  }
}
