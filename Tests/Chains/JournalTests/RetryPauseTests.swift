// How long a journal that could not be written is left alone.

import Testing

@testable import Journal

@Suite("The pause between attempts to write")
struct RetryPauseTests {
  @Test("doubles from a second with each failure, and is half a minute at most")
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

  @Test("is over at its end, not before, and again after a success")
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
