// A subscriber whose values arrive faster than it takes them.

import Bluetooth
import Signals
import Testing

@testable import BlueZ

@Suite("Subscriber mailboxes")
struct NotificationMailboxTests {
  /// Counts the rounds of a loop.
  private final class Rounds: Sendable {
    private let loop: Loop
    private let counted = Guarded<Int?>(0)

    init(of loop: Loop) {
      self.loop = loop
      count()
    }

    private func count() {
      loop.post { [self] in
        let goesOn = counted.withLock { counted in
          counted? += 1
          return counted != nil
        }
        if goesOn { count() }
      }
    }

    /// Ends the count.
    func end() -> Int {
      counted.withLock { counted in
        defer { counted = nil }
        return counted ?? 0
      }
    }
  }

  private func value(_ number: Int) -> NotifiedValue {
    let octets = [UInt8(number >> 8), UInt8(number & 255)]
    return NotifiedValue(value: octets, at: .start + .milliseconds(number))
  }

  @Test("waiting values are taken in order, and the loop runs after every 64 of them")
  func together() throws {
    let loop = VirtualTimeLoop()
    let mailbox = NotificationMailbox(SubscriptionOptions(buffer: 1_000, overflow: .dropOldest))
    for number in 0..<1_005 { mailbox.send(value(number)) }
    let rounds = Rounds(of: loop)
    let (taken, counted) = try loop.run {
      var taken: [NotificationQueue.Entry] = []
      while taken.count < 1_001 {
        let next = try await mailbox.next(on: loop, operation: "waiting")
        if case .entry(let entry) = next { taken.append(entry) }
      }
      return (taken, rounds.end())
    }
    let dropped = NotificationQueue.Entry.dropped(5, from: .start, to: .start + .milliseconds(4))
    #expect(taken == [dropped] + (5..<1_005).map { .value(value($0)) })
    // One round ends the wait, and one resumes the task.
    #expect((1_001 / 65...2 * (1_001 / 65) + 5).contains(counted))
  }

  @Test("a cancelled subscriber receives none of the waiting values")
  func cancelled() throws {
    let loop = VirtualTimeLoop()
    let mailbox = NotificationMailbox(SubscriptionOptions())
    for number in 0..<10 { mailbox.send(value(number)) }
    let taken = Guarded(0)
    try loop.run {
      let task = loop.task {
        while true {
          _ = try await mailbox.next(on: loop, operation: "waiting")
          let count = taken.withLock { count in
            count += 1
            return count
          }
          if count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(taken.withLock { $0 } == 3)
    loop.end()
  }
}
