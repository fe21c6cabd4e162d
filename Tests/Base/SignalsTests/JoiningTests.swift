// merge, zip, combineLatest of different types and withLatest, by their histories in virtual time.

import Fixtures
import Testing

@testable import Signals

@Suite("Joined signals")
struct JoiningTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  func history<Value>(_ signal: Signal<Value>, cancelAt limit: Duration? = nil) throws -> [Moment] {
    try SignalsTests.history(of: signal, on: loop, cancelAt: limit)
  }

  /// "a", "b", "c" …, one each `milliseconds`.
  func letters(_ count: Int, every milliseconds: Int) -> Signal<String> {
    ticks(count, every: .milliseconds(milliseconds)).map { String(UnicodeScalar(UInt8(96 + $0))) }
  }

  /// A signal that does not end, and records its clean-up.
  func endless<Value: Sendable>(_ type: Value.Type) -> Signal<Value> {
    Signal<Value>.never().finally { [notes] in notes.add("cleaned") }
  }

  @Test("merge sends values as they arrive, and completes with its last source")
  func merge() throws {
    let merged = Signal.merge(letters(3, every: 1000), letters(2, every: 1500).map { "x" + $0 })
    #expect(
      try history(merged) == [
        Moment(1000, "a"), Moment(1500, "xa"), Moment(2000, "b"), Moment(3000, "xb"),
        Moment(3000, "c"), Moment(3000, "completed"),
      ]
    )
    #expect(try history(Signal<Int>.merge([])).map(\.what) == ["completed"])
  }

  @Test("a slow consumer of a merge slows down every source")
  func mergeBackPressure() throws {
    let merged = Signal.merge(.values([1, 2]), .values([10, 20]))
      .flattenMap { Signal.just($0).delay(.seconds(1)) }
    #expect(
      try history(merged) == [
        Moment(1000, "1"), Moment(2000, "10"), Moment(3000, "2"), Moment(4000, "20"),
        Moment(4000, "completed"),
      ]
    )
  }

  @Test("zip pairs by position, and completes when no further pair is possible")
  func zip() throws {
    let zipped = Signal.zip(ticks(2, every: .seconds(1)), letters(5, every: 1500))
    #expect(
      try history(zipped)
        == [Moment(1500, "(1, \"a\")"), Moment(3000, "(2, \"b\")"), Moment(3000, "completed")]
    )
    let four = Signal.zip(
      .values([1, 2]),
      letters(2, every: 10),
      ticks(2, every: .milliseconds(20)),
      .just(2.5)
    )
    #expect(try history(four).map(\.what) == ["(1, \"a\", 1, 2.5)", "completed"])
  }

  @Test("zip requests no further value from a source whose value is waiting")
  func zipBackPressure() throws {
    let eager = Signal.values([1, 2, 3]).on(value: { [notes] in notes.add("sent \($0)") })
    let zipped = Signal.zip(eager, letters(2, every: 1000))
    _ = try history(zipped.on(value: { [notes] in notes.add("pair \($0.0)") }))
    #expect(notes.all == ["sent 1", "pair 1", "sent 2", "pair 2", "sent 3"])
  }

  @Test("zip with an empty signal completes at once and stops the other sources")
  func zipEmpty() throws {
    let zipped = Signal.zip(endless(Int.self), Signal<String>.empty())
    #expect(try history(zipped) == [Moment(0, "completed")])
    #expect(notes.all == ["cleaned"])
  }

  @Test("combineLatest of different types waits for a value from each, then sends at each value")
  func combine() throws {
    let combined = Signal.combineLatest(
      ticks(3, every: .seconds(1)),
      letters(2, every: 1600),
      .just(true)
    )
    #expect(
      try history(combined) == [
        Moment(1600, "(1, \"a\", true)"), Moment(2000, "(2, \"a\", true)"),
        Moment(3000, "(3, \"a\", true)"), Moment(3200, "(3, \"b\", true)"),
        Moment(3200, "completed"),
      ]
    )
  }

  @Test("combineLatest with an empty signal sends nothing, and completes with the other sources")
  func combineEmpty() throws {
    let combined = Signal.combineLatest(ticks(2, every: .seconds(1)), Signal<String>.empty())
    #expect(try history(combined) == [Moment(2000, "completed")])
  }

  @Test("withLatest drops values until the other signal has one, and completes with its source")
  func withLatest() throws {
    let joined = ticks(4, every: .seconds(1)).withLatest(
      from: letters(2, every: 1500).concat(endless(String.self))
    )
    #expect(
      try history(joined) == [
        Moment(2000, "(2, \"a\")"), Moment(3000, "(3, \"b\")"), Moment(4000, "(4, \"b\")"),
        Moment(4000, "completed"),
      ]
    )
    #expect(notes.all == ["cleaned"])
  }

  @Test("withLatest uses the other signal's newest value even if its consumer is slow")
  func withLatestSlow() throws {
    let joined = Signal.values([1, 2]).delay(.milliseconds(100))
      .withLatest(from: ticks(50, every: .milliseconds(100)))
      .flattenMap { .just($0).delay(.milliseconds(1050)) }
    #expect(try history(joined).map(\.what).first == "(1, 1)")
    #expect(try history(joined).map(\.what).dropFirst().first == "(2, 11)")
  }

  @Test("withLatest keeps using the last value of the other signal after it completes")
  func withLatestCompleted() throws {
    let joined = ticks(2, every: .seconds(1)).withLatest(from: .just("x"))
    #expect(try history(joined).map(\.what) == ["(1, \"x\")", "(2, \"x\")", "completed"])
  }

  @Test(
    "a failure of one joined signal cleans up the others and fails the joined signal",
    arguments: 0..<4)
  func failure(which: Int) throws {
    let failing = Signal<String>.failure(Broken()).delay(.seconds(1))
      .concat(.empty())
    let broken = letters(1, every: 1000).then { failing }
    let other = endless(Int.self)
    let all: [Signal<Void>] = [
      .merge(other.map { _ in }, broken.map { _ in }),
      Signal.zip(other, broken).map { _ in },
      Signal.combineLatest(broken, other).map { _ in },
      other.withLatest(from: broken).map { _ in },
    ]
    #expect(try history(all[which]) == [Moment(1000, "failed: Broken()")])
    #expect(notes.all == ["cleaned"])
  }

  @Test("cancelling a joined signal cleans up all its sources", arguments: 0..<4)
  func cancelled(which: Int) throws {
    let (one, other) = (endless(Int.self), endless(String.self))
    let all: [Signal<Void>] = [
      .merge(one.map { _ in }, other.map { _ in }),
      Signal.zip(one, other).map { _ in },
      Signal.combineLatest(one, other).map { _ in },
      one.withLatest(from: other).map { _ in },
    ]
    #expect(try history(all[which], cancelAt: .seconds(1)) == [Moment(1000, "cancelled")])
    #expect(notes.all == ["cleaned", "cleaned"])
  }

  @Test("a joined signal takes the turn of its first source that has a home")
  func home() {
    let scheduler = SerialScheduler(on: loop)
    let homeless = Signal.just("x")
    let atHome = Signal.just(1).on(scheduler)
    #expect(Signal.zip(homeless, atHome).home === scheduler)
    #expect(Signal.combineLatest(homeless, atHome).home === scheduler)
    #expect(Signal.merge(.just(2), atHome).home === scheduler)
    #expect(homeless.withLatest(from: atHome).home === scheduler)
    let outcome = Signal.zip(homeless, atHome).firstOrDefault(("", 0), within: .seconds(1))
    #expect(outcome.value == ("x", 1))
  }
}
