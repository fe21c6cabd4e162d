// The queue of a subscriber: kept values, dropped values and loss marks.

import Bluetooth
import Signals
import Testing

@testable import BlueZ

@Suite("Subscriber queues")
struct NotificationQueueTests {
  private func notification(_ number: UInt8) -> NotifiedValue {
    NotifiedValue(value: [number], at: Instant(sinceStart: .seconds(Int(number))))
  }

  private func put(_ number: UInt8, _ queue: inout NotificationQueue) -> Bool {
    queue.put(notification(number))
  }

  private func taken(_ queue: NotificationQueue) -> [String] {
    var queue = queue
    var result: [String] = []
    while let entry = queue.popFirst() {
      switch entry {
      case .value(let value): result.append("\(value.value[0])")
      case .dropped(let count, let from, let to):
        result.append(
          "-\(count) (\(from.sinceStart.components.seconds)…\(to.sinceStart.components.seconds))"
        )
      case .interrupted: result.append("interrupted")
      }
    }
    return result
  }

  @Test("a full queue refuses a value if its rule is to fail")
  func error() {
    var queue = NotificationQueue(bound: 2, rule: .error)
    #expect(put(1, &queue))
    #expect(put(2, &queue))
    #expect(!put(3, &queue))
    #expect(taken(queue) == ["1", "2"])
  }

  @Test("a full queue drops the oldest values, and marks where, how many and when")
  func oldest() {
    var queue = NotificationQueue(bound: 3, rule: .dropOldest)
    for number in 1...7 { #expect(put(UInt8(number), &queue)) }
    #expect(queue.count == 3)
    #expect(taken(queue) == ["-4 (1…4)", "5", "6", "7"])
  }

  @Test("a full queue drops the newest values, and marks where, how many and when")
  func newest() {
    var queue = NotificationQueue(bound: 3, rule: .dropNewest)
    for number in 1...7 { #expect(put(UInt8(number), &queue)) }
    _ = queue.popFirst()
    #expect(put(8, &queue))
    #expect(taken(queue) == ["2", "3", "-4 (4…7)", "8"])
  }

  @Test("the mark of a loss stays in its place while values around it are dropped")
  func lossAmongDropped() {
    var queue = NotificationQueue(bound: 2, rule: .dropOldest)
    #expect(put(1, &queue))
    queue.interrupted(from: .start, to: .start)
    for number in 2...5 { #expect(put(UInt8(number), &queue)) }
    #expect(taken(queue) == ["-1 (1…1)", "interrupted", "-2 (2…3)", "4", "5"])
  }

  @Test(
    "a queue never exceeds its bound, however many values pass through it", arguments: [1, 7, 1500])
  func longRun(bound: Int) {
    var queue = NotificationQueue(bound: bound, rule: .dropOldest)
    var taken = 0
    var dropped = 0
    for round in 0..<10_000 {
      _ = queue.put(notification(UInt8(round % 200)))
      #expect(queue.count <= bound)
      guard round.isMultiple(of: 3) else { continue }
      switch queue.popFirst() {
      case .value?: taken += 1
      case .dropped(let count, _, _)?: dropped += count
      case .interrupted?, nil: Issue.record("nothing was lost, and something was there")
      }
    }
    while let entry = queue.popFirst() {
      if case .dropped(let count, _, _) = entry { dropped += count } else { taken += 1 }
    }
    #expect(taken + dropped == 10_000)
  }
}
