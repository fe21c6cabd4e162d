// Operators that pass values to another task keep track of the open stream they come from.

import Fixtures
import Signals
import Testing

@Suite("Open streams")
struct OpenStreamTests {
  /// An operator that hands its source's values to a consumer in another task.
  struct Handing: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (Signal<Int>) -> Signal<Int>

    init(_ name: String, _ apply: @escaping @Sendable (Signal<Int>) -> Signal<Int>) {
      testDescription = name
      self.apply = apply
    }

    static let all: [Handing] = [
      .init("timeout") { $0.timeout(.seconds(60)) },
      .init("takeUntil") { $0.takeUntil(Signal<Int>.never()) },
      .init("merge") { .merge($0, .never()) },
      .init("zip") { Signal.zip($0, .values(1...9)).map { $0.0 } },
      .init("combineLatest") { Signal.combineLatest($0, .just(1)).map { $0.0 } },
      .init("combineLatest of a list") { Signal.combineLatest([$0]).map { $0[0] } },
      .init("the latest of another") { other in
        Signal.interval(.seconds(5)).withLatest(from: other).map { $0.1 }
      },
      .init("merging flattenMap") { $0.flattenMap(.merge(limit: 2)) { .just($0) } },
      .init("latest flattenMap") { $0.flattenMap(.latest) { .just($0) } },
      .init("throttle") { $0.throttle(.milliseconds(1)) },
      .init("debounce") { $0.debounce(.milliseconds(1)) },
      .init("sample") { $0.sample(every: .seconds(5)) },
      .init("bufferWithTime") { $0.bufferWithTime(.seconds(5)).map { $0[0] } },
      .init("share") { $0.share() },
      .init("replay") { $0.replay(count: 2) },
    ]
  }

  let loop = VirtualTimeLoop()
  let stream: OpenStream
  private let connection = Recorded<Int>()

  init() { stream = OpenStream(of: connection, "device") }

  /// Sends a number every 3 s, each from the sink of the stream.
  private var numbers: Signal<Int> {
    Signal.interval(.seconds(3)).mine { [stream] send in try await stream.whileOpen(send) }
  }

  @Test("code that handles a value knows that the value's stream is open", arguments: Handing.all)
  func passed(_ operator: Handing) throws {
    let seen = Recorded<Bool>()
    let signal = `operator`.apply(numbers).on(value: { [stream] _ in
      seen.add(OpenStream.current.contains(stream))
    })
    // The last value of a `take` is sent outside: nothing follows it.
    let last = signal.take(2).on(value: { [stream] _ in
      seen.add(OpenStream.current.contains(stream))
    })
    _ = try last.collect().on(SerialScheduler(on: loop)).firstOrThrow(within: .seconds(60))
    #expect(seen.all == [true, true, true, false])
  }

  @Test("code after the end of the stream is not downstream of it", arguments: Handing.all)
  func ended(_ operator: Handing) throws {
    let seen = Recorded<Bool>()
    let signal = `operator`.apply(numbers.take(1).concat(.never())).take(1)
      .on(value: { [stream] _ in seen.add(OpenStream.current.contains(stream)) })
    _ = try signal.on(SerialScheduler(on: loop)).firstOrThrow(within: .seconds(60))
    #expect(seen.all == [false])
  }

  @Test("a loop task that begins in a sink is downstream of no stream")
  func tasks() throws {
    let seen = Recorded<Bool>()
    let signal = numbers.on(value: { [loop, stream] _ in
      _ = loop.task { seen.add(OpenStream.current.contains(stream)) }
    })
    _ = try signal.on(SerialScheduler(on: loop)).firstOrThrow(within: .seconds(60))
    drain(loop)
    #expect(seen.all == [false])
  }
}

extension Signal {
  /// Sends each value inside `surround`.
  fileprivate func mine(
    _ surround: @escaping @Sendable (_ send: () async throws -> Void) async throws -> Void
  ) -> Signal {
    Signal(home: home) { sink in
      try await run { value in try await surround { try await sink(value) } }
    }
  }
}
