// Operators on values and endings that need no time, by their histories.

import Fixtures
import Signals
import Testing

@Suite("Values and endings")
struct PassingValuesTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  func events<Value>(_ signal: Signal<Value>) throws -> [String] {
    try history(of: signal, on: loop).map(\.what)
  }

  let failing = Signal.values([1, 2, 3]).concat(.failure(Broken()))

  @Test("takeLast sends the last values on completion, and nothing on failure")
  func takeLast() throws {
    #expect(try events(Signal.values(1...5).takeLast(2)) == ["4", "5", "completed"])
    #expect(try events(Signal.just(1).takeLast(2)) == ["1", "completed"])
    #expect(try events(Signal.just(1).takeLast(0)) == ["completed"])
    #expect(try events(failing.takeLast(2)) == ["failed: Broken()"])
  }

  @Test("takeWhile stops before the first value that fails the test, takeThrough stops after it")
  func takeWhile() throws {
    let numbers = Signal.values([1, 2, 3, 1]).finally { [notes] in notes.add("clean") }
    #expect(try events(numbers.takeWhile { $0 < 3 }) == ["1", "2", "completed"])
    #expect(try events(numbers.takeThrough { $0 == 3 }) == ["1", "2", "3", "completed"])
    #expect(try events(numbers.takeWhile { $0 < 9 }) == ["1", "2", "3", "1", "completed"])
    #expect(try events(failing.takeWhile { $0 < 9 }) == ["1", "2", "3", "failed: Broken()"])
    #expect(notes.all.count == 3)
  }

  @Test("a consumer that throws receives no further array")
  func bufferCountConsumer() throws {
    let seen = Recorded<[Int]>()
    #expect(throws: OtherBroken.self) {
      try loop.run {
        try await Signal.values(1...5).bufferCount(2).run { values in
          seen.add(values)
          throw OtherBroken()
        }
      }
    }
    #expect(seen.all == [[1, 2]])
  }

  @Test("mapError changes a failure of the source, but not a consumer's error or a cancellation")
  func mapError() throws {
    #expect(
      try events(failing.mapError { _ in OtherBroken() })
        == ["1", "2", "3", "failed: OtherBroken()"]
    )
    let inside = Signal.values([1]).mapError { _ in OtherBroken() }
      .flattenMap { _ in Signal<Int>.failure(Broken()) }
    #expect(try events(inside) == ["failed: Broken()"])
    let cancelled = Signal<Int>.never().mapError { _ in OtherBroken() }
    #expect(
      try history(of: cancelled, on: loop, cancelAt: .seconds(1)).map(\.what) == ["cancelled"]
    )
  }

  func noting(_ signal: Signal<Int>) -> Signal<Int> {
    signal.on(
      value: { [notes] in notes.add("value \($0)") },
      failure: { [notes] in notes.add("failure \($0)") },
      completed: { [notes] in notes.add("completed") }
    )
  }

  @Test("on is called before each event is passed on")
  func on() throws {
    _ = try events(noting(.just(1)).map { [notes] in notes.add("then \($0)") })
    #expect(notes.all == ["value 1", "then 1", "completed"])
    notes.removeAll()
    #expect(try events(noting(failing)) == ["1", "2", "3", "failed: Broken()"])
    #expect(notes.all == ["value 1", "value 2", "value 3", "failure Broken()"])
  }

  @Test("on does not see the end of a run that its consumer stops, fails or cancels")
  func onStopped() throws {
    #expect(try events(noting(.values([1, 2])).take(1)) == ["1", "completed"])
    _ = try events(noting(.just(1)).flattenMap { _ in Signal<Int>.failure(Broken()) })
    _ = try history(of: noting(.never()), on: loop, cancelAt: .seconds(1))
    #expect(notes.all == ["value 1", "value 1"])
  }
}
