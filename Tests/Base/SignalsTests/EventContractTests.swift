// The laws of the event contract, one test each, named as on the page.

import Fixtures
import Signals
import Testing

@Suite("Event contract")
struct EventContractTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  func noting(_ name: String) -> Signal<String> {
    Signal { [notes] sink in
      notes.add("begin \(name)")
      try await sink(name)
      notes.add("end \(name)")
    }
  }

  @Test("Lazy")
  func lazy() {
    _ = noting("a").map { $0 }.flattenMap { .just($0) }
    #expect(notes.all.isEmpty)
  }

  @Test("Anew")
  func anew() throws {
    let signal = noting("a")
    _ = try history(of: signal, on: loop)
    _ = try history(of: signal, on: loop)
    #expect(notes.all == ["begin a", "end a", "begin a", "end a"])
  }

  @Test("One ending")
  func oneEnding() throws {
    let endings = try [
      history(of: noting("a"), on: loop),
      history(of: Signal<Int>.failure(Broken()), on: loop),
      history(of: Signal<Int>.never(), on: loop, cancelAt: .seconds(1)),
    ].map {
      $0.filter { ["completed", "cancelled"].contains($0.what) || $0.what.hasPrefix("failed") }
    }
    #expect(endings.map(\.count) == [1, 1, 1])
  }

  @Test("In turn")
  func inTurn() throws {
    let inside = Guarded(0)
    let most = Guarded(0)
    let signal = Signal.values(1...20).flattenMap(.merge(limit: 5)) { number in
      Signal.values([number, number]).delay(.milliseconds(number % 3))
    }.flattenMap { value in
      Signal<Int> { [loop] sink in
        let now = inside.withLock { depth in
          depth += 1
          return depth
        }
        most.withLock { $0 = max($0, now) }
        try await loop.sleep(for: .milliseconds(1))
        inside.withLock { $0 -= 1 }
        try await sink(value)
      }
    }
    #expect(try history(of: signal, on: loop).count == 41)
    #expect(most.withLock { $0 } == 1)
  }

  @Test("Nothing after the end")
  func nothingAfter() throws {
    let stubborn = Signal<Int> { sink in
      try await sink(1)
      try? await sink(2)
      try? await sink(3)
      throw Broken()
    }
    let moments = try history(of: stubborn.take(2), on: loop)
    #expect(moments.map(\.what).prefix(2) == ["1", "2"])
    #expect(moments.filter { $0.what == "3" }.isEmpty)
  }

  @Test("The consumer's error is the consumer's")
  func consumersError() async throws {
    let caught = notes
    let signal = Signal.values([1, 2, 3])
      .catchError { _ in
        caught.add("caught")
        return .just(9)
      }
      .retry(RetryPolicy(attempts: 5))
    let values = try loop.run {
      var seen: [Int] = []
      do {
        try await signal.run { value in
          seen.append(value)
          if value == 2 { throw Broken() }
        }
      } catch is Broken {}
      return seen
    }
    drain(loop)
    #expect(values == [1, 2])
    #expect(notes.all.isEmpty)
  }

  @Test("Stopping cleans up first")
  func stopping() throws {
    let source = Signal.values([1, 2]).finally { [loop, notes] in
      try await loop.sleep(for: .seconds(1))
      notes.add("clean")
    }
    let moments = try history(of: source.take(1), on: loop)
    #expect(moments == [Moment(0, "1"), Moment(1000, "completed")])
    #expect(notes.all == ["clean"])
  }

  @Test("Failure cancels the rest")
  func failureCancels() throws {
    let chain = noting("a").flattenMap { _ in Signal<String>.failure(Broken()) }
      .flattenMap { [self] _ in noting("never") }
    _ = try history(of: chain, on: loop)
    #expect(notes.all == ["begin a"])
    let sideBySide = Signal.values([1, 2]).flattenMap(.merge(limit: 2)) { [notes] number in
      number == 1
        ? Signal<Int>.never().finally { notes.add("cleaned") }
        : Signal<Int>.just(0).delay(.seconds(1)).tryMap { _ in throw Broken() }
    }
    #expect(try history(of: sideBySide, on: loop) == [Moment(1000, "failed: Broken()")])
    #expect(notes.all == ["begin a", "cleaned"])
  }

  @Test("The bracket holds", arguments: ["value", "failure", "deadline", "cancellation"])
  func bracket(ending: String) throws {
    let use: Signal<Int> =
      switch ending {
      case "value": .just(1)
      case "failure": .failure(Broken())
      default: .never()
      }
    let bracketed = Signal.using(
      acquire: noting("resource"),
      release: { [loop, notes] name in
        Signal { sink in
          try await loop.sleep(for: .seconds(2))
          notes.add("released \(name)")
          try await sink(())
        }
      },
      { _ in use }
    )
    switch ending {
    case "deadline":
      let outcome = bracketed.on(SerialScheduler(on: loop)).firstOrDefault(0, within: .seconds(1))
      #expect(outcome.error is TimedOut)
    case "cancellation":
      _ = try history(of: bracketed, on: loop, cancelAt: .seconds(1))
    default:
      _ = try history(of: bracketed, on: loop)
    }
    #expect(notes.all.last == "released resource")
  }

  @Test("The first cause is reported")
  func firstCause() throws {
    let both = Signal<Int>.failure(Broken()).finally { throw OtherBroken() }
    let onlyCleanUp = Signal.just(1).finally { throw OtherBroken() }
    let first = try history(of: both, on: loop).map(\.what)
    #expect(first.count == 1)
    #expect(first.first?.hasPrefix("failed: Broken() (and releasing") == true)
    let second = try history(of: onlyCleanUp, on: loop).map(\.what)
    #expect(second.first == "1")
    #expect(second.last?.hasPrefix("failed: releasing") == true)
  }

  @Test("Cancelling is prompt")
  func prompt() throws {
    let moments = try history(
      of: Signal.just(1).delay(.seconds(3600)), on: loop, cancelAt: .milliseconds(1)
    )
    #expect(moments == [Moment(1, "cancelled")])
  }

  @Test(
    "Deadlines name the wait",
    arguments: [
      OpenStreamTests.Handing("itself") { $0 },
      .init("timeout") { $0.timeout(.seconds(60)) },
      .init("takeUntil") { $0.takeUntil(Signal<Int>.never()) },
      .init("merge") { .merge($0, .never()) },
      .init("zip") { Signal.zip(.just(1), $0).map { $0.1 } },
      .init("merging flattenMap") { $0.flattenMap(.merge(limit: 2)) { .just($0) } },
      .init("the latest of another") { $0.withLatest(from: .just(1)).map { $0.0 } },
      .init("throttle") { $0.throttle(.seconds(1)) },
      .init("delay") { $0.delay(.seconds(1)) },
    ]
  )
  func deadlines(around: OpenStreamTests.Handing) {
    let scheduler = SerialScheduler(on: loop)
    let reading = Signal<Int>(home: scheduler) { [loop] _ in
      let _: Int = try await wait(on: loop, operation: "reading battery-level") { _ in }
    }
    let outcome = around.apply(reading).on(scheduler).firstOrDefault(0, within: .seconds(5))
    let expected = TimedOut(
      operation: "reading battery-level", after: .seconds(5), limitOf: "firstOrDefault"
    )
    #expect(outcome.error as? TimedOut == expected)
  }

  @Test("A limit counts the producer's time")
  func limitCountsProducer() throws {
    let signal = Signal.just(1).timeout(.seconds(1)).flattenMap {
      Signal.just($0).delay(.seconds(60))
    }
    #expect(
      try history(of: signal, on: loop) == [Moment(60_000, "1"), Moment(60_000, "completed")])
  }

  @Test("Time is the loop's")
  func loopTime() throws {
    _ = try history(of: Signal.just(1).delay(.seconds(86_400 * 365)), on: loop)
    #expect(loop.now == .start + .seconds(86_400 * 365))
  }

  @Test("Empty is not success")
  func emptyIsNotSuccess() {
    #expect(!Signal<Int>.empty().firstOrDefault(1, within: .seconds(1)).success)
  }
}

struct OtherBroken: Error, Equatable {}
