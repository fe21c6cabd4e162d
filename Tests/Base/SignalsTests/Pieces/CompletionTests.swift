// A completion: the single ending of a wait, which must be given.

import Testing

@testable import Signals

@Suite("A completion")
struct CompletionTests {
  let loop = VirtualTimeLoop()

  @Test("the first ending wins, and later calls learn that they lost")
  func firstWins() throws {
    let value = try loop.run { [loop] in
      try await wait(on: loop, operation: "waiting") { (done: Completion<Int>) in
        #expect(done.succeed(1))
        #expect(!done.succeed(2))
        #expect(!done.fail(Broken()))
        #expect(done.hasEnded)
      }
    }
    drain(loop)
    #expect(value == 1)
  }

  @Test("a wait whose start closure throws ends its completion with that error")
  func startThrows() throws {
    let kept = Guarded<Completion<Int>?>(nil)
    #expect(throws: Broken()) {
      try loop.run { [loop] in
        try await wait(on: loop, operation: "waiting") { (done: Completion<Int>) in
          kept.withLock { $0 = done }
          throw Broken()
        }
      }
    }
    #expect(kept.withLock { $0 }?.succeed(1) == false)
    drain(loop)
  }

  #if DEBUG
    @Test("freeing a completion without an ending stops a debug build")
    func forgotten() async {
      await #expect(processExitsWith: .failure) { _ = Completion<Int>() }
    }
  #endif
}
