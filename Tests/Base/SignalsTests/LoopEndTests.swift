// The end of a loop.

import Testing

@testable import Signals

@Suite("The end of a loop")
struct LoopEndTests {
  @Test("ending a loop runs queued work, discards armed timers and frees the loop")
  func freed() {
    weak var freed: Loop?
    let ran = Guarded(false)
    do {
      let loop = VirtualTimeLoop()
      freed = loop
      loop.after(.seconds(60)) {
        Issue.record("a timer of a loop that has ended was fired at \(loop.now)")
      }
      loop.post {
        loop.post { ran.withLock { $0 = true } }
      }
      loop.end()
      #expect(loop.isShutDown)
    }
    #expect(ran.withLock { $0 })
    #expect(freed == nil)
  }

  @Test(
    "a clean-up of many steps that ending the loop triggers runs to completion, and is then freed"
  )
  func cleanUps() throws {
    weak var freed: Loop?
    let steps = Guarded(0)
    do {
      let loop = VirtualTimeLoop()
      freed = loop
      _ = loop.task {
        try? await loop.sleep(for: .seconds(60))
        try await shielded(on: loop, limit: .seconds(10)) {
          for _ in 0..<20 {
            await Task.yield()
            steps.withLock { $0 += 1 }
          }
        }
      }
      try loop.run {}
      loop.end()
    }
    #expect(steps.withLock { $0 } == 20)
    #expect(freed == nil)
  }

  @Test("the last job that ran is released, so the loop is freed")
  func lastRun() {
    weak var freed: Loop?
    do {
      let loop = VirtualTimeLoop()
      freed = loop
      loop.post {
        loop.post { #expect(loop.isShutDown) }
      }
      loop.end()
    }
    #expect(freed == nil)
  }

  @Test(
    "a drive that ends between two callbacks frees the first and leaves the second for later"
  )
  func betweenCallbacks() throws {
    final class Held: Sendable {}
    let loop = VirtualTimeLoop()
    let ran = Guarded<[Int]>([])
    weak var held: Held?
    do {
      let first = Held()
      held = first
      loop.post { withExtendedLifetime(first) { ran.withLock { $0.append(1) } } }
    }
    loop.post { ran.withLock { $0.append(2) } }
    try loop.drive { !ran.withLock { $0.isEmpty } }
    #expect(ran.withLock { $0 } == [1])
    #expect(held == nil)
    try loop.drive { ran.withLock { $0.count } == 2 }
    #expect(ran.withLock { $0 } == [1, 2])
  }

  @Test("shutting down a loop fails its pending waits with the shutdown error")
  func waiting() throws {
    let loop = VirtualTimeLoop()
    let failure = Guarded<(any Error)?>(nil)
    _ = loop.task {
      do {
        try await loop.sleep(for: .seconds(60))
      } catch {
        failure.withLock { $0 = error }
      }
    }
    try loop.run {}
    loop.end()
    #expect(failure.withLock { $0 } != nil)
    #expect(loop.now.sinceStart == .zero)
  }
}
