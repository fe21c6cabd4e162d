// Cancelled waits: waits of a turn's own task, which the turn ends itself, and waits of its
// child tasks, which the runtime ends.

import Fixtures
import Signals
import Testing

@Suite("Cancelled waits")
struct CancelledWaitTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  struct Cause: Error, Equatable {}

  /// Runs `body` in a turn; returns what it threw, and checks that no time passed.
  private func error(_ body: @escaping @Sendable (Loop) async throws -> Void) -> (any Error)? {
    let scheduler = SerialScheduler(on: loop)
    let chain = Signal<Void>(home: scheduler) { [loop] sink in
      try await body(loop)
      try await sink(())
    }
    let outcome = chain.firstOrDefault((), within: .seconds(100))
    #expect(loop.now == .start)
    #expect(scheduler.isIdle)
    return outcome.error
  }

  @Test("a turn that is cancelled as a wait begins ends the wait with the cancellation cause")
  func duringStart() {
    let error = error { loop in
      try await wait(on: loop, operation: "waiting") { (_: Completion<Void>) in
        Turn.current?.cancel(Cause())
      }
    }
    #expect(error is Cause)
  }

  @Test("a turn that is cancelled from the loop ends the wait of its task")
  func duringWait() {
    let error = error { loop in
      try await wait(on: loop, operation: "waiting") { (_: Completion<Void>) in
        let turn = Turn.current
        loop.post { turn?.cancel(Cause()) }
      }
    }
    #expect(error is Cause)
  }

  @Test("every wait in a cancelled turn fails before it begins")
  func afterwards() {
    let error = error { [notes] loop in
      Turn.current?.cancel(Cause())
      for _ in 1...3 {
        do {
          try await wait(on: loop, operation: "waiting") { (_: Completion<Void>) in
            notes.add("begun")
          }
        } catch {
          notes.add("ended")
        }
      }
      try Task.checkCancellation()
    }
    #expect(error is Cause)
    #expect(notes.all == ["ended", "ended", "ended"])
  }

  @Test("cancelling a child task alone ends its wait, and the turn continues")
  func childAlone() {
    let error = error { [notes] loop in
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          do {
            try await wait(on: loop, operation: "waiting") { (_: Completion<Void>) in }
          } catch {
            notes.add("\(type(of: error))")
          }
        }
        loop.post { notes.add("waiting") }
        while notes.all.isEmpty { await Task.yield() }
        group.cancelAll()
      }
      try await wait(on: loop, operation: "going on") { $0.succeed(()) }
    }
    #expect(error == nil)
    #expect(notes.all == ["waiting", "CancellationError"])
  }

  @Test("cancelling a turn ends the waits of its child tasks")
  func childOfCancelled() {
    let error = error { [notes] loop in
      async let child: Void = wait(on: loop, operation: "waiting") { (_: Completion<Void>) in
        notes.add("child")
      }
      let turn = Turn.current
      loop.post { turn?.cancel(Cause()) }
      try await child
    }
    #expect(error is Cause)
    #expect(notes.all == ["child"])
  }
}
