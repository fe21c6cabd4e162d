// Observers of a shared run in different tasks take part in one turn, which ends with the last.

import Fixtures
import Signals
import Testing

@Suite("Shared runs between tasks")
struct SharedTurnTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()
  let scheduler: SerialScheduler

  init() { scheduler = SerialScheduler(on: loop, name: "lamps") }

  private func note(_ what: String) {
    notes.add("\(loop.now.sinceStart / .milliseconds(1)) \(what)")
  }

  /// Connects, then ticks every second; to unsubscribe takes half a second. The turn disconnects.
  private var values: Signal<Int> {
    Signal<Void>.operation(of: scheduler, "connecting") { [self] sink in
      note("connect")
      _ = Turn.current?.registerRelease(of: "the link") { [self] in note("disconnect") }
      try await sink(())
    }.flattenMap { [self] in
      ticks(9, every: .seconds(1)).finally { [self] in
        try await loop.sleep(for: .milliseconds(500))
        note("unsubscribe")
      }
    }
  }

  private var read: Signal<Int> {
    .operation(of: scheduler, "reading") { [loop] sink in
      try await loop.sleep(for: .milliseconds(1))
      try await sink(7)
    }
  }

  /// The values as they reach a shared signal with a home, through an operator, and without a home.
  private func shared(_ way: String) -> Signal<Int> {
    switch way {
    case "home": values.share()
    case "operator": values.share().map { $0 }.filter { _ in true }
    case "replay": values.replay(count: 1)
    default: Signal.just(0).flattenMap { [self] _ in values }.share()
    }
  }

  @Test(
    "an observer in another task joins the run under way, and the last one ends the connection",
    arguments: ["home", "operator", "replay", "no home"]
  )
  func joins(way: String) throws {
    let shared = shared(way)
    try loop.run { [self] in
      let first = loop.task { [self] in
        for try await value in shared.values {
          note("A \(value)")
          if value == 2 { break }
        }
      }
      try await loop.sleep(for: .milliseconds(500))
      #expect(try await shared.take(3).collect().first(within: .seconds(60)) == [1, 2, 3])
      note("B returned")
      try await first.value
    }
    #expect(scheduler.isIdle)
    drain(loop)
    #expect(
      notes.all == [
        "0.0 connect", "1000.0 A 1", "2000.0 A 2", "3500.0 unsubscribe", "3500.0 disconnect",
        "3500.0 B returned",
      ]
    )
  }

  @Test("every one of many tasks gets the values of one run", arguments: ["home", "no home"])
  func many(way: String) throws {
    let shared = shared(way)
    let all = try loop.run { [loop] in
      let tasks = (1...20).map { number in
        loop.task { try await shared.take(1 + number % 5).collect().first() }
      }
      var all: [[Int]] = []
      for task in tasks { all.append(try await task.value) }
      return all
    }
    #expect(all == (1...20).map { Array(1...(1 + $0 % 5)) })
    #expect(scheduler.isIdle)
    #expect(notes.all == ["0.0 connect", "5500.0 unsubscribe", "5500.0 disconnect"])
  }

  @Test(
    "operations for each value belong to the turn of the shared run",
    arguments: ["home", "no home"]
  )
  func operations(way: String) throws {
    let shared = shared(way)
    let all = try loop.run { [self] in
      let tasks = (0..<2).map { _ in
        loop.task { [self] in
          try await shared.take(2).flattenMap { [self] _ in read }.collect().first(
            within: .seconds(60)
          )
        }
      }
      return [try await tasks[0].value, try await tasks[1].value]
    }
    #expect(all == [[7, 7], [7, 7]])
    #expect(notes.all == ["0.0 connect", "2501.0 unsubscribe", "2501.0 disconnect"])
  }

  @Test("an observer that comes again in the same run does not wait for itself")
  func again() throws {
    let shared = shared("home")
    let twice = shared.take(1).concat(shared.take(1)).collect()
    #expect(try twice.firstOrThrow(within: .seconds(60)) == [1, 1])
    #expect(scheduler.isIdle)
    #expect(notes.all.filter { $0.hasSuffix("unsubscribe") }.count == 2)
  }

  @Test("an observer whose turn the waiting shared run needs gets a run of its own")
  func alone() throws {
    let shared = shared("home")
    let all = try loop.run { [self] in
      let inTurn = loop.task { [self] in
        try await scheduler.turn { [self] in
          try await loop.sleep(for: .seconds(1))
          return try await shared.take(2).collect().first()
        }
      }
      try await loop.sleep(for: .milliseconds(500))
      let waiting = loop.task { try await shared.take(2).collect().first(within: .seconds(60)) }
      return [try await inTurn.value, try await waiting.value]
    }
    #expect(all == [[1, 2], [1, 2]])
    #expect(notes.all.filter { $0.hasSuffix(" connect") }.count == 2)
  }

  @Test("a deadline of an observer that waits for the shared run's turn names the holder")
  func holder() throws {
    let shared = shared("home")
    let error = try loop.run { [self] in
      let update = loop.task { [self] in
        try await scheduler.turn(named: "update") { [loop] in
          try await loop.sleep(for: .seconds(60))
        }
      }
      try await loop.sleep(for: .seconds(1))
      let result = await loop.task { try await shared.first(within: .seconds(5)) }.result
      try await update.value
      if case .failure(let error) = result { return error as? TimedOut } else { return nil }
    }
    #expect(error?.holder?.turn == "update")
    #expect(notes.all.isEmpty)
  }
}
