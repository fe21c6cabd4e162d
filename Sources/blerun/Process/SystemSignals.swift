// The signals of the system as events of a loop.
//
// They are blocked in every thread and read from a descriptor, so that nothing is interrupted half
// way. What they mean is decided elsewhere.

import CLinux
import Glibc
import Signals

/// A signal of the system, by its number.
struct SystemSignal: Hashable, Sendable {
  let number: Int32

  static let interrupt = SystemSignal(number: SIGINT)
  static let terminate = SystemSignal(number: SIGTERM)
  static let hangUp = SystemSignal(number: SIGHUP)
  static let childEnded = SystemSignal(number: SIGCHLD)

  /// Those that ask the program to end.
  static let endings: [SystemSignal] = [.interrupt, .terminate, .hangUp]

  var name: String {
    switch self {
    case .interrupt: "SIGINT"
    case .terminate: "SIGTERM"
    case .hangUp: "SIGHUP"
    // open: signals of the system
    default: "signal \(number)"
    }
  }
}

/// A descriptor from which blocked signals are read.
final class SystemSignals: Sendable {
  private let descriptor: Int32
  private let watch = Guarded<Watch?>(nil)

  /// Blocks the signals that end the program, and ignores SIGPIPE. Call it before any thread
  /// begins: threads inherit the mask.
  static func block() {
    var mask = endingMask()
    sigaddset(&mask, SIGCHLD)
    pthread_sigmask(SIG_BLOCK, &mask, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  private static func endingMask() -> sigset_t {
    var mask = sigset_t()
    sigemptyset(&mask)
    for signal in SystemSignal.endings { sigaddset(&mask, signal.number) }
    return mask
  }

  /// Calls `receive` on `loop` with each signal that arrives.
  init(
    on loop: Loop,
    withChildren: Bool = false,
    _ receive: @escaping @Sendable (SystemSignal) -> Void
  ) {
    var mask = Self.endingMask()
    if withChildren { sigaddset(&mask, SIGCHLD) }
    let descriptor = signalfd(-1, &mask, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    self.descriptor = descriptor
    let watch = loop.watch(descriptor, for: .readable) { _ in
      var info = signalfd_siginfo()
      let size = MemoryLayout<signalfd_siginfo>.size
      while read(descriptor, &info, size) == size {
        receive(SystemSignal(number: Int32(info.ssi_signo)))
      }
    }
    self.watch.withLock { $0 = watch }
  }

  /// Stops listening.
  func close() {
    watch.withLock { $0 }?.cancel()
    Glibc.close(descriptor)
  }
}
