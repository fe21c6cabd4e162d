// The timers of a loop, without a loop: compared with a sorted list.

import Testing

@testable import Signals

@Suite("The timer heap")
struct TimerHeapTests {
  /// A timer, and its place in the order of arming.
  private struct Bell {
    let order: UInt64
    let timer = LoopTimer(state: Guarded(Loop.State())) {}

    init(_ order: UInt64) { self.order = order }
  }

  private static func instant(_ milliseconds: Int) -> Instant {
    Instant(sinceStart: .milliseconds(milliseconds))
  }

  @Test("a timer that is not armed cannot be removed")
  func notArmed() {
    let heap = Cell(TimerHeap())
    let bell = Bell(1)
    #expect(!heap { $0.remove(bell.timer) })
    heap { $0.insert(bell.timer, at: Self.instant(1), order: 1) }
    #expect(heap { $0.remove(bell.timer) })
    #expect(!heap { $0.remove(bell.timer) })
    #expect(heap.value.earliest == nil)
  }

  @Test("removeAll disarms all timers")
  func removeAll() {
    let heap = Cell(TimerHeap())
    let bells = (0..<5).map { Bell(UInt64($0)) }
    for bell in bells { heap { $0.insert(bell.timer, at: Self.instant(3), order: bell.order) } }
    #expect(heap { $0.removeAll() }.count == 5)
    #expect(heap.value.isEmpty)
    for bell in bells { #expect(!heap { $0.remove(bell.timer) }) }
  }

  @Test("random insertions, removals and firings agree with a sorted list", arguments: 0..<20)
  func model(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed), name: "timer heap")
    let heap = Cell(TimerHeap())
    var model: [(at: Int, bell: Bell, isLate: Bool)] = []
    var firing: Int?
    for order in 0..<400 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        let bell = Bell(UInt64(order))
        let at = Int.random(in: 0..<50, using: &random)
        heap { $0.insert(bell.timer, at: Self.instant(at), order: bell.order) }
        model.append((at, bell, at < firing ?? 0))
      case 2 where !model.isEmpty:
        let (_, bell, _) = model.remove(at: Int.random(in: model.indices, using: &random))
        #expect(heap { $0.remove(bell.timer) }, "seed \(seed)")
      default:
        model.sort { ($0.at, $0.bell.order) < ($1.at, $1.bell.order) }
        let now = Int.random(in: 0..<50, using: &random)
        let index = model.firstIndex { $0.at <= now && !$0.isLate }
        let expected = index.map { model.remove(at: $0).bell.timer }
        firing = expected == nil ? nil : now
        if expected == nil { model = model.map { ($0.at, $0.bell, false) } }
        #expect(heap { $0.popDue(Self.instant(now)) } === expected, "seed \(seed)")
      }
      #expect(heap.value.count == model.count, "seed \(seed)")
      #expect(heap.value.earliest == model.map { Self.instant($0.at) }.min(), "seed \(seed)")
    }
  }
}
