// Timers that fall behind must not starve the loop's other work.

import Testing

@testable import Signals

@Suite("Late timers")
struct LateTimerTests {
  /// Time that passes only where a test has it pass, and in waits.
  private final class SteeredEvents: EventSource {
    private let time = Guarded(Instant.start)
    let wallClockAtStart = Duration.zero
    let hasBackgroundThread = false
    var now: Instant { time.withLock { $0 } }

    func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }

    func waitForEvents(until earliest: Instant?, for loop: Loop) throws {
      guard let earliest else { throw LoopIdle(at: now) }
      time.withLock { $0 = max($0, earliest) }
      loop.markAwake()
    }

    func pollDescriptors(for loop: Loop) {}
    func wake() {}
    func apply(_ change: WatchTable.Change) {}
    func count(jobs: Int, for loop: Loop) {}
  }

  /// Ticks each millisecond, each of which takes three, and posts a job.
  private final class Ticker: Sendable {
    private let events: SteeredEvents
    private let loop: Loop
    let done = Guarded<[String]>([])

    init(_ events: SteeredEvents, _ loop: Loop) {
      self.events = events
      self.loop = loop
    }

    func tick(at instant: Instant) {
      loop.at(instant) { [self] in
        events.pass(.milliseconds(3))
        done.withLock { $0.append("tick") }
        loop.post { [self] in done.withLock { $0.append("job") } }
        tick(at: instant + .milliseconds(1))
      }
    }
  }

  @Test("ticks that take longer than their period delay a deadline by at most one tick")
  func deadline() throws {
    let events = SteeredEvents()
    let loop = Loop(events)
    let ticker = Ticker(events, loop)
    ticker.tick(at: .start + .milliseconds(1))
    let fired = Guarded<Duration?>(nil)
    loop.after(.milliseconds(100)) { fired.withLock { $0 = loop.now.sinceStart } }
    try loop.drive { fired.withLock { $0 } != nil }
    let at = try #require(fired.withLock { $0 })
    #expect(at <= .milliseconds(103))
    loop.end()
  }

  @Test("work posted by a late tick runs before the next tick")
  func jobs() throws {
    let events = SteeredEvents()
    let loop = Loop(events)
    let ticker = Ticker(events, loop)
    ticker.tick(at: .start + .milliseconds(1))
    try loop.drive { ticker.done.withLock { $0.count } >= 100 }
    let done = ticker.done.withLock { $0 }
    // The second tick is not late when it is armed: it is due when the first is over.
    #expect(Array(done.dropFirst(done.count - 90)) == (0..<45).flatMap { _ in ["tick", "job"] })
    loop.end()
  }
}
