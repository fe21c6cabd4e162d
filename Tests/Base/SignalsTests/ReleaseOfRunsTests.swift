// Ended runs hold no reference to their loop or their arguments.

import Testing

@testable import Signals

@Suite("Runs that have ended")
struct ReleaseOfRunsTests {
  private final class Token: Sendable {}

  @Test("a run that ends before its deadline releases its loop", arguments: [1, 0])
  func deadline(_ values: Int) {
    weak var released: VirtualTimeLoop?
    do {
      let loop = VirtualTimeLoop()
      released = loop
      let scheduler = SerialScheduler(on: loop)
      let signal = Signal<Int>(home: scheduler) { sink in
        for value in 0..<values { try await sink(value) }
      }
      _ = signal.firstOrDefault(7, within: .seconds(5))
    }
    #expect(released == nil)
  }

  @Test("ended observations and iterations release their receivers")
  func receivers() throws {
    let loop = VirtualTimeLoop()
    weak var observed: Token?
    weak var iterated: Token?
    do {
      let (first, second) = (Token(), Token())
      (observed, iterated) = (first, second)
      let observation = Signal.just(1).observe(on: loop) { _ in _ = first }
      try loop.run { [second] in
        for try await _ in Signal.just(1).map({ _ in second }).values {}
        for try await _ in Signal.values([1, 2]).map({ _ in second }).values { break }
      }
      withExtendedLifetime(observation) { drain(loop) }
    }
    drain(loop)
    #expect(observed == nil && iterated == nil)
  }

  @Test("an interval ends after its requested value, and releases its loop")
  func homeless() throws {
    weak var released: Loop?
    do {
      let loop = VirtualTimeLoop()
      released = loop
      let count = try loop.run {
        try await Signal.interval(.seconds(1)).take(2).collect().first().count
      }
      #expect(count == 2)
    }
    #expect(released == nil)
  }
}
