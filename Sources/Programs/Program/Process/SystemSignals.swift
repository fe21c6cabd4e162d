// The signals of the system, received by a thread of their own from the first instruction on.
//
// They are blocked in every other thread, so that nothing is interrupted half way, and are received
// whatever the other threads wait for. What they mean is decided elsewhere.

import Glibc
import Signals

/// A signal of the system, by its number.
package struct SystemSignal: Hashable, Sendable {
  package let number: Int32

  static let interrupt = SystemSignal(number: SIGINT)
  static let terminate = SystemSignal(number: SIGTERM)
  static let hangUp = SystemSignal(number: SIGHUP)
  /// Ctrl-\ at a terminal.
  static let quit = SystemSignal(number: SIGQUIT)
  static let childEnded = SystemSignal(number: SIGCHLD)

  /// Those that ask the program to end.
  static let endings: [SystemSignal] = [.interrupt, .terminate, .hangUp, .quit]

  /// Those that a terminal sends to the whole group of processes, for keys.
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

/// Somebody who receives signals, until ``close()``.
final class SystemSignals: Sendable {
  private struct Listener: Sendable {
    let signals: SystemSignals
    let receive: @Sendable (SystemSignal) -> Void
  }

  private struct State {
    var listener: Listener?
    /// Somebody has listened: what was begun is being ended.
    var isEnding = false
    /// The first signal that asked the program to end.
    var arrived: SystemSignal?
    var requests = EndingRequests()
  }

  private static let state = Guarded(State())

  /// Signals for writes that fail: the write returns an error instead.
  static let ignored = [SIGPIPE, SIGXFSZ]

  /// Blocks the signals, ignores those for writes that fail, and starts the thread. Call it before
  /// any other thread begins: threads inherit the mask.
  static func start() {
    var mask = mask()
    pthread_sigmask(SIG_BLOCK, &mask, nil)
    ignoreFailingWrites()
    // Ignored by whoever started this program, it would take away how a child has ended.
    signal(SIGCHLD, SIG_DFL)
    let number = startThread("signals") { run() }
    if number != 0 { endProcess("no thread is left for the signals of the system: see ulimit -u") }
  }

  /// Ignores the signals for writes that fail.
  static func ignoreFailingWrites() {
    for number in ignored { signal(number, SIG_IGN) }
  }

  /// Gives the signals back, for a program that replaces this one.
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

  /// The first signal that asked the program to end; nil before.
  static var arrived: SystemSignal? { state.withLock { $0.arrived } }

  /// Decides, on the thread of the signals. A signal that nobody listens to ends the program at once:
  /// nothing is begun that would have to be ended. When nobody listens any more, the first is for
  /// those that still wait, and a second one from the keys of a terminal leaves at once. What repeats a
  /// request is not received at all.
  private static func received(_ signal: SystemSignal, at now: Duration) {
    let isEnding = SystemSignal.endings.contains(signal)
    let (listener, leaves) = state.withLock { state -> (Listener?, Bool) in
      if isEnding, !state.requests.isNew(signal, at: now) { return (nil, false) }
      let isSecond = state.arrived != nil
      if isEnding, state.arrived == nil { state.arrived = signal }
      let leaves = isEnding && (!state.isEnding || (isSecond && SystemSignal.keys.contains(signal)))
      return (state.listener, leaves)
    }
    if let listener { return listener.receive(signal) }
    if leaves { leave(with: signal) }
  }

  /// Ends the program now, whatever the other threads do.
  static func leave(with signal: SystemSignal) -> Never {
    StandardStreams.ofProcess.finish(patience: .milliseconds(100))
    _exit(128 + signal.number)
  }

  // MARK: Listening

  /// Calls `receive`, on the thread of the signals, with each signal that arrives. It replaces who
  /// listened before.
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

/// Which signals ask the program to end once more, and which belong to a request that was made already:
/// GNU timeout signals its child and then the whole group of processes. A pure value.
struct EndingRequests: Sendable {
  /// For how long the same signal is the same request.
  static let repeated = Duration.seconds(1)

  private var last: [SystemSignal: Duration] = [:]

  /// Whether a signal that asks the program to end is a request of its own.
  ///
  /// - Parameter now: The time on a clock that only advances.
  mutating func isNew(_ signal: SystemSignal, at now: Duration) -> Bool {
    if let before = last[signal], now - before < Self.repeated { return false }
    last[signal] = now
    return true
  }
}
