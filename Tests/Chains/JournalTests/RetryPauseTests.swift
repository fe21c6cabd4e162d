// The pause before the next write to a journal that could not be written.

import Testing

@testable import Journal

@Suite("The pause between attempts to write")
struct RetryPauseTests {
  @Test("the pause doubles from one second with each failure, up to 30 s")
  func growth() {
    var pause = RetryPause()
    var time = Duration.seconds(100)
    var waits: [Duration?] = []
    for _ in 0..<8 {
      pause.failed(at: time)
      waits.append(pause.wait(at: time))
      time += pause.wait(at: time) ?? .zero
    }
    #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
  }

  @Test("the pause ends at its time, not before, and a success resets it")
  func end() {
    var pause = RetryPause()
    #expect(pause.isOver(at: .zero) && pause.wait(at: .zero) == nil)
    pause.failed(at: .seconds(5))
    #expect(!pause.isOver(at: .seconds(6) - .nanoseconds(1)))
    #expect(pause.isOver(at: .seconds(6)))
    #expect(pause.wait(at: .seconds(9)) == .zero)
    pause.failed(at: .seconds(6))
    pause.succeeded()
    #expect(pause.isOver(at: .seconds(6)) && pause.wait(at: .seconds(6)) == nil)
    pause.failed(at: .seconds(6))
    #expect(pause.wait(at: .seconds(6)) == .seconds(1))
  }
}
