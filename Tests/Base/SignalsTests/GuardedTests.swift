// Values that Guarded can protect.

import Testing

@testable import Signals

@Suite("Guarded")
struct GuardedTests {
  private struct Holder { var call: (@Sendable () -> Void)? }

  @Test("a type is recognised as a closure only if the closure is not inside a named type")
  func closures() {
    let wrapped: [Any.Type] = [
      (() -> Void).self, (@Sendable (Int) async throws -> Void)?.self, (() -> Void)??.self,
      (isOver: Bool, call: (() -> Void)?).self,
    ]
    #expect(wrapped.allSatisfy { isRewrappedClosure("\($0)") })
    let kept: [Any.Type] = [
      Holder.self, Holder?.self, Result<() -> Void, any Error>?.self, [() -> Void].self,
      (Int, String)?.self, Void.self,
    ]
    #expect(!kept.contains { isRewrappedClosure("\($0)") })
  }

  @Test("a closure stored in a struct is called directly, however often it was copied out")
  func handedOut() {
    let calls = Guarded(0)
    let holder = Guarded(Holder(call: { calls.withLock { $0 += 1 } }))
    for _ in 0..<100_000 { _ = holder.withLock { $0.call } }
    holder.withLock { $0.call }?()
    #expect(calls.withLock { $0 } == 1)
  }
}
