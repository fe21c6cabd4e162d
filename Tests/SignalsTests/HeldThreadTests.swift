// The warning of a debug build about work that blocks a thread instead of awaiting.

import Glibc
import Testing

@testable import Signals

#if DEBUG
  @Suite("Held threads")
  struct HeldThreadTests {
    private func at(_ milliseconds: Int) -> Instant { .start + .milliseconds(milliseconds) }

    /// A thread held from 0 to `end`.
    private func held(until end: Int) -> HeldThreads {
      var threads = HeldThreads()
      threads.begin(TurnName("a callback of the loop"), at: at(0))
      threads.note(TurnName("neighbour"), after: "sleeping")
      threads.end(at: at(end))
      return threads
    }

    @Test("only what held the thread across the deadline, and for long, is to blame")
    func blame() {
      let long = held(until: 300)
      #expect(long.blocking(at: at(50), now: at(310))?.description == "'neighbour' after sleeping")
      #expect(long.blocking(at: at(301), now: at(310)) == nil)
      #expect(held(until: 99).blocking(at: at(50), now: at(310)) == nil)
      var present = HeldThreads()
      present.begin(TurnName("a task on the loop"), at: at(0))
      #expect(present.blocking(at: at(50), now: at(150))?.description == "'a task on the loop'")
      #expect(present.blocking(at: at(50), now: at(60)) == nil)
    }

    @Test("the warning names the call, how late it was, and who blocked for how long")
    func text() throws {
      let threads = held(until: 300)
      let found = try #require(threads.blocking(at: at(50), now: at(310)))
      let call = "firstOrDefault at App/main.swift:7"
      #expect(
        LateReturn.warning(
          of: call,
          .milliseconds(50),
          late: .milliseconds(260),
          by: found,
          now: at(310)
        )
          == "warning: firstOrDefault at App/main.swift:7, within 50 ms, returned 260 ms after its "
          + "deadline: 'neighbour' after sleeping blocked the thread for 300 ms. Code on a loop has "
          + "to await; what blocks needs a thread of its own"
      )
    }

    /// The deadline of the calls below, in real time: long enough for what blocks to have begun before
    /// it on a busy machine.
    private static let limit = Duration.seconds(5)

    /// Holds the thread until after the deadline of a call that has begun.
    private static func blockPastLimit() { _ = poll(nil, 0, 5_500) }

    private func warnings(_ standardError: [UInt8]) -> [Substring] {
      String(decoding: standardError, as: UTF8.self).split(separator: "\n").filter {
        $0.hasPrefix("warning: ")
      }
    }

    @Test("a closure on the loop that blocks is named by its turn and what it waited for")
    func closure() async throws {
      let ended = try await #require(
        processExitsWith: .success,
        observing: [\.standardErrorContent]
      ) {
        let loop = EventLoop()
        let lamp = SerialScheduler(on: loop, name: "lamp")
        // Begun by the call, whose thread therefore drives the loop.
        let busy = Signal<Int>(home: SerialScheduler(on: loop)) { _ in
          _ = loop.task {
            try await lamp.turn(named: "the lamp") {
              try await loop.sleep(for: .milliseconds(1))
              Self.blockPastLimit()
            }
          }
          try await loop.sleep(for: .seconds(3600))
        }
        _ = busy.firstOrDefault(0, within: Self.limit)
      }
      let warnings = warnings(ended.standardErrorContent)
      #expect(warnings.count == 1)
      #expect(warnings.first?.contains("'the lamp' after sleeping for 0.001 seconds") == true)
    }

    @Test("a call that is late because its own work awaits warns of nothing")
    func awaiting() async throws {
      let ended = try await #require(
        processExitsWith: .success,
        observing: [\.standardErrorContent]
      ) {
        let never = Signal<Int>.never().on(SerialScheduler(on: EventLoop()))
        _ = never.firstOrDefault(0, within: .milliseconds(20))
      }
      #expect(warnings(ended.standardErrorContent).isEmpty)
    }
  }
#endif
