// A shared run belongs to the turn that started it.

import Fixtures
import Signals
import Testing

@Suite("Shared runs and turns")
struct ShareTurnTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  /// Ticks every second, with a clean-up that takes half a second.
  private func source() -> Signal<Int> {
    Signal.deferred { [loop, notes] in
      notes.add("\(loop.now.sinceStart / .milliseconds(1)) source begins")
      return ticks(9, every: .seconds(1)).finally {
        try await loop.sleep(for: .milliseconds(500))
        notes.add("\(loop.now.sinceStart / .milliseconds(1)) source ends")
      }
    }
  }

  private func observe(_ name: String, _ shared: Signal<Int>, at milliseconds: Int) {
    loop.after(.milliseconds(milliseconds)) { [loop, notes] in
      shared.observe(on: loop) { event in
        notes.add("\(loop.now.sinceStart / .milliseconds(1)) \(name) \(event)")
      }
    }
  }

  private func turn(
    _ name: String, _ shared: Signal<Int>, at milliseconds: Int, of scheduler: SerialScheduler
  ) {
    loop.after(.milliseconds(milliseconds)) { [loop, notes] in
      _ = loop.task {
        try await scheduler.turn {
          try await shared.take(2).run { value in
            notes.add("\(loop.now.sinceStart / .milliseconds(1)) \(name) \(value)")
          }
        }
      }
    }
  }

  @Test("A shared run belongs to the turn that began it")
  func elsewhere() {
    let scheduler = SerialScheduler(on: loop, name: "lamps")
    let shared = source().share()
    turn("A", shared, at: 0, of: scheduler)
    observe("B", shared, at: 500)
    turn("C", shared, at: 600, of: scheduler)
    drain(loop)
    let ended = TurnEnded(operation: "a shared run", scheduler: "lamps")
    #expect(
      notes.all == [
        "0.0 source begins", "1000.0 A 1", "1000.0 B value(1)", "2000.0 A 2", "2000.0 B value(2)",
        "2500.0 source ends", "2500.0 B failed(\(ended))",
        // The next turn begins behind the clean-up, with a run of its own.
        "2500.0 source begins", "3500.0 C 1", "4500.0 C 2", "5000.0 source ends",
      ]
    )
    #expect(scheduler.isIdle)
  }

  @Test("a run that started outside a turn continues when an observer's turn ends")
  func joined() {
    let scheduler = SerialScheduler(on: loop)
    let shared = source().share()
    observe("A", shared.take(4), at: 0)
    turn("B", shared, at: 500, of: scheduler)
    drain(loop)
    #expect(
      notes.all == [
        "0.0 source begins", "1000.0 A value(1)", "1000.0 B 1", "2000.0 A value(2)", "2000.0 B 2",
        "3000.0 A value(3)", "4000.0 A value(4)", "4500.0 source ends", "4500.0 A completed",
      ]
    )
  }

  @Test("values of a completed replay remain available to later turns")
  func replayed() throws {
    let scheduler = SerialScheduler(on: loop)
    let shared = ticks(2, every: .seconds(1)).replayLast()
    let all = try loop.run {
      let first = try await scheduler.turn { try await shared.collect().first() }
      let second = try await scheduler.turn { try await shared.collect().first() }
      return [first, second]
    }
    #expect(all == [[1, 2], [2]])
  }
}
