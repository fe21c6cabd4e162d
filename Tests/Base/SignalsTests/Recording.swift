// Whole histories of a signal, for comparison.

import Signals
import Testing

/// An event and its time.
struct Moment: Equatable, CustomStringConvertible {
  let at: Duration
  let what: String

  init(_ milliseconds: Int, _ what: String) {
    at = .milliseconds(milliseconds)
    self.what = what
  }

  init(at: Duration, what: String) {
    self.at = at
    self.what = what
  }

  var description: String { "\(at) \(what)" }
}

/// Runs `signal` in virtual time to its end and returns its history.
func history<Value>(
  of signal: Signal<Value>, on loop: VirtualTimeLoop, cancelAt cancellation: Duration? = nil
) throws -> [Moment] {
  let moments = Guarded<[Moment]>([])
  let observation = signal.observe(on: loop) { event in
    let what =
      switch event {
      case .value(let value): "\(value)"
      case .completed: "completed"
      case .failed(let error): "failed: \(error)"
      case .cancelled: "cancelled"
      }
    moments.withLock { $0.append(Moment(at: loop.now.sinceStart, what: what)) }
  }
  if let cancellation { loop.after(cancellation) { observation.cancel() } }
  try loop.drive { observation.isEnded }
  drain(loop)
  return moments.withLock { $0 }
}

/// Runs all remaining work, so that no task outlives the test.
func drain(_ loop: VirtualTimeLoop) {
  #expect(throws: LoopIdle.self) { try loop.drive { false } }
}

/// Sends the numbers from 1, one each `interval`.
func ticks(_ count: Int, every interval: Duration) -> Signal<Int> {
  Signal.values(1...count).flattenMap { number in Signal.just(number).delay(interval) }
}
