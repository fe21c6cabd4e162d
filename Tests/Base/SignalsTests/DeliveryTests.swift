// Values that leave the loop and values that come from elsewhere.

import Fixtures
import Glibc
import Signals
import Testing

// One at a time: a test that waits for another thread may block one of the few that there are.
@Suite("Delivery", .serialized)
struct DeliveryTests {
  actor Model {
    private(set) var values: [Int] = []

    func append(_ value: Int) throws {
      if value < 0 { throw Broken() }
      values.append(value)
    }
  }

  let loop = VirtualTimeLoop()

  @Test("deliver calls an actor with each value, in order, and passes the value on")
  func toActor() async throws {
    let model = Model()
    let signal = Signal.values(1...100).deliver(on: model) { model, value in
      model.preconditionIsolated()
      try model.append(value)
    }
    let passed = try await EventLoop().task { try await signal.collect().first() }.value
    #expect(passed == Array(1...100))
    #expect(await model.values == passed)
  }

  @Test("an error that the actor throws is the consumer's error")
  func actorThrows() async throws {
    let model = Model()
    let signal = Signal.values([1, -1, 2]).catchError { _ in .just(0) }
      .deliver(on: model) { model, value in try model.append(value) }
    await #expect(throws: Broken.self) {
      try await EventLoop().task { try await signal.collect().first() }.value
    }
    #expect(await model.values == [1])
  }

  @Test("deliver runs downstream operators on an executor, and time remains the loop's")
  func toExecutor() async throws {
    let loop = EventLoop()
    let onLoop = Recorded<Bool>()
    let signal = Signal.just(1)
      .map { value in
        onLoop.add((try? loop.drive { true }) == nil)
        return value
      }
      .deliver(on: globalConcurrentExecutor)
      .map { value in
        onLoop.add((try? EventLoop().drive { true }) == nil)
        return value
      }
      .flattenMap { _ in Signal.just(Instant.start).map { _ in (try? Loop.current) === loop } }
    #expect(try await loop.task { try await signal.first() }.value)
    #expect(onLoop.all == [true, false])
  }

  @Test("a virtual loop waits for an executor and does not report itself idle")
  func virtualExecutor() throws {
    let signal = Signal.values([1, 2]).deliver(on: globalConcurrentExecutor).map { $0 * 2 }
    #expect(try history(of: signal, on: loop).map(\.what) == ["2", "4", "completed"])
  }

  @Test("virtual time stops while an executor works, and advances for downstream waits")
  func virtualDeadline() throws {
    let scheduler = SerialScheduler(on: loop)
    let slow: @Sendable (Int) -> Int = { value in
      for _ in 0..<200 { sched_yield() }
      return value * 2
    }
    let signal = Signal.values([1, 2, 3]).deliver(on: globalConcurrentExecutor).map(slow)
      .flattenMap { value in Signal.just(value).delay(.seconds(1)) }
      .collect().on(scheduler)
    #expect(try signal.firstOrThrow(within: .seconds(8)) == [2, 4, 6])
    #expect(loop.now == .start + .seconds(3))
  }

  @Test(
    "an operation downstream of an executor runs on its loop, in a turn, in a run and in a task"
  )
  func operationsStay() async throws {
    let loop = EventLoop()
    let scheduler = SerialScheduler(on: loop)
    let onLoop = Recorded<Bool>()
    let operation = Signal<Int>.operation(of: scheduler, "working") { sink in
      onLoop.add((try? loop.drive { true }) == nil)
      try await sink(1)
    }
    let run = Signal.values([1, 2]).deliver(on: globalConcurrentExecutor)
      .flattenMap { _ in operation }
      .map { value in
        onLoop.add((try? EventLoop().drive { true }) != nil)
        return value
      }
      .collect()
    #expect(try await run.on(scheduler).first(within: .seconds(60)) == [1, 1])
    #expect(try await run.first(within: .seconds(60)) == [1, 1])
    let alone = loop.task {
      var count = 0
      try await run.run { count += $0.count }
      return count
    }
    #expect(try await alone.value == 2)
    #expect(onLoop.all == Array(repeating: true, count: 12))
  }

  @Test("a signal made from an asynchronous sequence sends its values, and fails with its error")
  func sequence() throws {
    let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
    loop.after(.seconds(1)) { continuation.yield(1) }
    loop.after(.seconds(2)) { continuation.yield(2) }
    loop.after(.seconds(3)) { continuation.finish(throwing: Broken()) }
    #expect(
      try history(of: .values(stream), on: loop)
        == [Moment(1000, "1"), Moment(2000, "2"), Moment(3000, "failed: Broken()")]
    )
  }

  @Test("a sequence is not iterated before the run, nor while a value is being handled")
  func lazySequence() throws {
    let asked = Recorded<Int>()
    let numbers = Numbers { asked.add($0) }
    let signal = Signal.values(numbers).flattenMap { number in
      Signal.just(number).delay(.seconds(1)).map { value in
        asked.add(-value)
        return value
      }
    }
    #expect(asked.all.isEmpty)
    #expect(
      try history(of: signal.take(2), on: loop)
        == [Moment(1000, "1"), Moment(2000, "2"), Moment(2000, "completed")]
    )
    #expect(asked.all == [1, -1, 2, -2])
    _ = try history(of: signal.take(1), on: loop)
    #expect(asked.all == [1, -1, 2, -2, 1, -1])
  }

  @Test("cancelling the run cancels the iteration and does not complete it")
  func cancelledSequence() throws {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let ended = Recorded<String>()
    continuation.onTermination = { ended.add("\($0)") }
    continuation.yield(1)
    #expect(
      try history(of: .values(stream), on: loop, cancelAt: .seconds(1))
        == [Moment(0, "1"), Moment(1000, "cancelled")]
    )
    #expect(ended.all == ["cancelled"])
  }
}

/// 1, 2, 3 …, from the start for each iterator.
private struct Numbers: AsyncSequence, Sendable {
  let asked: @Sendable (Int) -> Void

  struct AsyncIterator: AsyncIteratorProtocol {
    let asked: @Sendable (Int) -> Void
    var number = 0

    mutating func next() async -> Int? {
      number += 1
      asked(number)
      return number
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(asked: asked) }
}
