// Every way to start a run, through each operator, in real and virtual time.

import Fixtures
import Signals
import Testing

/// A signal that reaches an operation of a device in one way or another; its first value is 7.
struct Reaching: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable (_ read: Signal<Int>) -> Signal<Int>

  init(_ name: String, _ make: @escaping @Sendable (Signal<Int>) -> Signal<Int>) {
    testDescription = name
    self.make = make
  }

  static let all: [Reaching] = making + chaining + values + timeAndFaults

  private static let making: [Reaching] = [
    .init("the operation itself") { $0 },
    .init("poll") { read in
      Signal.poll(every: .milliseconds(1)) { read }.take(3).collect().map { $0[2] }
    },
    .init("deferred") { read in .deferred { read } },
    .init("interval") { read in Signal.interval(.milliseconds(1)).flattenMap { _ in read } },
    .init("values") { read in Signal.values([1, 2]).flattenMap { _ in read } },
    .init("init") { read in Signal { sink in try await read.run(sink) } },
    .init("a subject") { read in
      .deferred {
        let subject = Subject<Int>()
        let feeding = Signal.just(1).delay(.milliseconds(1)).flattenMap { value in
          subject.send(value)
          subject.complete()
          return Signal<Int>.empty()
        }
        return Signal<Signal<Int>>.values([
          subject.signal.flattenMap { _ in read }, feeding,
        ]).flattenMap(.merge(limit: 2)) { $0 }
      }
    },
  ]

  private static let chaining: [Reaching] = [
    .init("just, flattenMap") { read in Signal.just(1).flattenMap { _ in read } },
    .init("empty, then") { read in Signal<Int>.empty().then { read } },
    .init("concat") { read in Signal<Int>.empty().concat(read) },
    .init("startWith") { read in
      Signal.just(0).flattenMap { _ in read.startWith(1) }.skip(1)
    },
    .init("using") { read in
      Signal.using(acquire: .just(1), release: { _ in read.map { _ in } }, { _ in read })
    },
    .init("a merging flattenMap") { read in
      Signal.values([1, 2, 3]).flattenMap(.merge(limit: 3)) { _ in read }
        .collect().map { $0.count == 3 ? $0[0] : 0 }
    },
    .init("a replacing flattenMap") { read in
      Signal.values([1, 2, 3]).flattenMap(.latest) { _ in read }.collect().map { $0[0] }
    },
    .init("combineLatest") { read in
      Signal.combineLatest([.just(1), .just(1).flattenMap { _ in read }]).map { $0[1] }
    },
  ]

  private static let values: [Reaching] = [
    .init("map, filter, tryMap, compactMap") { read in
      Signal.just(1).flattenMap { _ in read }.map { $0 }.filter { _ in true }
        .tryMap { $0 }.compactMap { Optional($0) }
    },
    .init("scan, distinctUntilChanged, logNext, skip, take") { read in
      Signal.values([1, 2]).flattenMap { _ in read }.scan(0) { $1 }.logNext("read") { _ in }
        .startWith(0).distinctUntilChanged().skip(1).take(1)
    },
    .init("takeThrough, takeUntil") { read in
      Signal.just(1).flattenMap { _ in read }.takeThrough { _ in true }
        .takeUntil(Signal<Int>.never())
    },
  ]

  private static let timeAndFaults: [Reaching] = [
    .init("timeout, idleTimeout") { read in
      Signal.just(1).flattenMap { _ in read }.timeout(.seconds(5)).idleTimeout(.seconds(5))
    },
    .init("delay") { read in
      Signal.just(1).delay(.milliseconds(1)).flattenMap { _ in read }.delay(.milliseconds(1))
    },
    .init("failure, catchError") { read in
      Signal<Int>.failure(Broken()).catchError { _ in read }
    },
    .init("retry") { read in
      let tries = Guarded(0)
      return Signal.deferred {
        let attempt = tries.withLock { tries in
          tries += 1
          return tries
        }
        return attempt.isMultiple(of: 2) ? read : .failure(Broken())
      }.retry(RetryPolicy(attempts: 2, backoff: .milliseconds(1)))
    },
    .init("finally") { read in
      Signal.just(1).flattenMap { _ in read }.finally { try await read.run { _ in } }
    },
    .init("an operation in an async closure") { read in
      Signal { sink in
        async let value = read.first()
        try await sink(try await value)
      }
    },
  ]
}

@Suite("Ways out")
struct WaysOutTests {
  /// A device that reads 7 and records whether each read is in a turn.
  struct Device: Sendable {
    let scheduler: SerialScheduler
    let reads = Recorded<String>()

    var read: Signal<Int> {
      Signal.operation(of: scheduler, "reading") { [scheduler, reads] sink in
        let isInTurn = Turn.current?.scheduler === scheduler
        try await scheduler.loop.sleep(for: .milliseconds(1))
        reads.add(isInTurn ? "in a turn" : "outside a turn")
        try await sink(7)
      }
    }

    /// Expects at least one read, each in a turn, and the turn released.
    func check(_ reaching: Reaching, takesTurn: Bool = true) {
      #expect(!reads.all.isEmpty)
      if takesTurn { #expect(!reads.all.contains("outside a turn")) }
      #expect((try? scheduler.waitUntilIdle(within: .seconds(60))) != nil)
      #expect(scheduler.isIdle)
    }
  }

  private func real() -> Device {
    Device(scheduler: SerialScheduler(on: EventLoop(), name: "devices"))
  }

  // MARK: Real time

  @Test("firstOrDefault returns its value or failure in real time", arguments: Reaching.all)
  func blocking(_ reaching: Reaching) {
    let device = real()
    let outcome = reaching.make(device.read).firstOrDefault(0, within: .seconds(60))
    #expect(outcome.value == 7, "\(String(describing: outcome.error))")
    device.check(reaching)
  }

  @Test("first and first(within:) return the value or throw in real time", arguments: Reaching.all)
  func first(_ reaching: Reaching) async throws {
    let device = real()
    let signal = reaching.make(device.read)
    #expect(try await signal.first() == 7)
    #expect(try await signal.first(within: .seconds(60)) == 7)
    device.check(reaching)
  }

  @Test("values iterates and ends in real time", arguments: Reaching.all)
  func values(_ reaching: Reaching) async throws {
    let device = real()
    for try await value in reaching.make(device.read).take(1).values { #expect(value == 7) }
    device.check(reaching)
  }

  @Test("observe delivers values and its ending in real time", arguments: Reaching.all)
  func observe(_ reaching: Reaching) async throws {
    let device = real()
    let signal = reaching.make(device.read)
    let events = Mailbox<Int>(bound: 10)
    signal.take(1).observe { event in
      switch event {
      case .value(let value): events.send(value)
      case .completed, .cancelled: events.finish()
      case .failed(let error): events.finish(.failure(error))
      }
    }
    let loop = EventLoop()
    #expect(try await events.next(on: loop) == 7)
    #expect(try await events.next(on: loop) == nil)
    device.check(reaching, takesTurn: signal.home == nil)
  }

  // MARK: Virtual time

  private func virtual() -> (VirtualTimeLoop, Device) {
    let loop = VirtualTimeLoop()
    return (loop, Device(scheduler: SerialScheduler(on: loop, name: "devices")))
  }

  @Test(
    "in virtual time, firstOrDefault without a home is refused, and the suggested remedy works",
    arguments: Reaching.all
  )
  func blockingVirtual(_ reaching: Reaching) {
    let (loop, device) = virtual()
    let signal = reaching.make(device.read)
    if signal.home == nil {
      let refused = signal.firstOrDefault(0, within: .seconds(20))
      // With a release that is refused as well, where there is one.
      let cause = (refused.error as? FailedWithCleanUp)?.cause ?? refused.error
      #expect(cause is LoopNotDriven, "\(String(describing: refused.error))")
      #expect("\(refused.error as Any)".contains(".on(scheduler)"))
      #expect(device.reads.all.isEmpty)
      #expect(loop.now == .start)
    }
    let outcome = signal.on(device.scheduler).firstOrDefault(0, within: .seconds(20))
    #expect(outcome.value == 7, "\(String(describing: outcome.error))")
    device.check(reaching)
    drain(loop)
  }

  @Test("first and first(within:) work in virtual time", arguments: Reaching.all)
  func firstVirtual(_ reaching: Reaching) throws {
    let (loop, device) = virtual()
    let signal = reaching.make(device.read)
    #expect(try loop.run { try await signal.first() } == 7)
    #expect(try loop.run { try await signal.first(within: .seconds(20)) } == 7)
    device.check(reaching)
    drain(loop)
  }

  @Test("values works in virtual time", arguments: Reaching.all)
  func valuesVirtual(_ reaching: Reaching) throws {
    let (loop, device) = virtual()
    let signal = reaching.make(device.read).take(1)
    let values = try loop.run {
      var values: [Int] = []
      for try await value in signal.values { values.append(value) }
      return values
    }
    #expect(values == [7])
    device.check(reaching)
    drain(loop)
  }

  @Test("observe works in virtual time", arguments: Reaching.all)
  func observeVirtual(_ reaching: Reaching) throws {
    let (loop, device) = virtual()
    let signal = reaching.make(device.read)
    #expect(try history(of: signal.take(1), on: loop).map(\.what) == ["7", "completed"])
    device.check(reaching, takesTurn: signal.home == nil)
  }

  @Test("an async call on a virtual loop that no thread drives fails at once")
  func undriven() async {
    let (_, device) = virtual()
    await #expect(throws: LoopNotDriven.self) { try await device.read.first() }
    await #expect(throws: LoopNotDriven.self) { for try await _ in device.read.values {} }
    await #expect(throws: LoopNotDriven.self) { try await device.scheduler.turn {} }
  }

  // MARK: Without a default

  @Test("the calls without a default value throw or return a Result")
  func withoutDefault() throws {
    let device = real()
    let chain = Signal.just(1).flattenMap { _ in
      let read = device.read
      return read.map { ($0, [$0]) }
    }
    #expect(try chain.firstOrThrow(within: .seconds(20)).1 == [7])
    #expect(throws: Broken()) {
      try Signal<Int>.failure(Broken()).firstOrThrow(within: .seconds(1))
    }
    #expect(throws: NoValue.self) { try Signal<Int>.empty().firstOrThrow(within: .seconds(1)) }
    #expect(try device.read.firstResult(within: .seconds(20)).get() == 7)
    try Signal<Int>.empty().waitUntilCompleted(within: .seconds(1))
    try device.read.waitUntilCompleted(within: .seconds(20))
    #expect(throws: Broken()) {
      try device.read.flattenMap { _ in Signal<Int>.failure(Broken()) }
        .waitUntilCompleted(within: .seconds(20))
    }
  }
}
