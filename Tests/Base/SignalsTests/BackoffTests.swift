// The pauses between attempts, with the numbers of those who repeat something.

import Signals
import Testing

@Suite("Backoff")
struct BackoffTests {
  typealias Pauses = (backoff: Backoff, milliseconds: [Int])

  @Test(
    "pauses double up to the limit, and begin again after progress",
    arguments: [
      (
        Backoff(first: .milliseconds(250), longest: .seconds(5)),
        [250, 500, 1000, 2000, 4000, 5000]
      ),
      (
        Backoff(first: .milliseconds(250), longest: .seconds(5), beginsAtOnce: true),
        [0, 250, 500, 1000, 2000, 4000, 5000]
      ),
      (Backoff(first: .seconds(1), longest: .seconds(30)), [1000, 2000, 4000, 8000, 16000, 30000]),
      (Backoff(first: .seconds(9), longest: .seconds(3)), [3000, 3000]),
      (Backoff(first: .zero, longest: .seconds(3)), [0, 0]),
    ] as [Pauses]
  )
  func pauses(expected: Pauses) {
    var backoff = expected.backoff
    for _ in 1...2 {
      #expect(!backoff.hasBegun)
      let pauses = expected.milliseconds.map { _ in backoff.next() }
      #expect(pauses == expected.milliseconds.map { .milliseconds($0) })
      #expect(backoff.hasBegun && backoff.next() == pauses.last)
      backoff.progress()
    }
  }

  @Test("the pause after any number of failures is bounded, and found at once")
  func bounded() {
    let policy = RetryPolicy(attempts: .max, backoff: .milliseconds(1))
    #expect(policy.wait(before: 2) == .milliseconds(1))
    #expect(policy.wait(before: .max) == .seconds(30))
    #expect(RetryPolicy(attempts: .max).wait(before: .max) == .zero)
  }
}
