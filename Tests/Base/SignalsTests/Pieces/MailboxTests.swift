// A bounded queue to one task: order, bound, endings, and a taker that is cancelled.

import Fixtures
import Testing

@testable import Signals

@Suite("A mailbox")
struct MailboxTests {
  let loop = VirtualTimeLoop()

  /// Takes until the mailbox ends; returns the values, then the ending.
  private func contents(of mailbox: Mailbox<Int>) throws -> [String] {
    let taken = try loop.run { [loop] in
      var taken: [String] = []
      do {
        while let value = try await mailbox.next(on: loop) { taken.append("\(value)") }
        taken.append("finished")
      } catch {
        taken.append("\(error)")
      }
      return taken
    }
    drain(loop)
    return taken
  }

  @Test("values are taken in the order they were sent, followed by the ending")
  func order() throws {
    let mailbox = Mailbox<Int>(bound: 5_000)
    for value in 1...3_000 { mailbox.send(value) }
    mailbox.finish()
    mailbox.send(9_999)
    #expect(try contents(of: mailbox) == (1...3_000).map { "\($0)" } + ["finished"])
  }

  @Test("a failure follows the values sent before it; a second ending is ignored")
  func failure() throws {
    let mailbox = Mailbox<Int>(bound: 5)
    mailbox.send(1)
    mailbox.finish(.failure(Broken()))
    mailbox.finish()
    #expect(try contents(of: mailbox) == ["1", "Broken()"])
  }

  @Test("exceeding the bound ends the mailbox, and its values can still be taken")
  func bound() throws {
    let mailbox = Mailbox<Int>(bound: 2)
    for value in 1...4 { mailbox.send(value) }
    #expect(try contents(of: mailbox) == ["1", "2", "\(BufferOverflow(bound: 2))"])
  }

  @Test("a value handed to a waiting taker does not count towards the bound")
  func waiting() throws {
    let mailbox = Mailbox<Int>(bound: 1)
    for second in 1...3 { loop.after(.seconds(second)) { mailbox.send(second) } }
    loop.after(.seconds(4)) { mailbox.finish() }
    #expect(try contents(of: mailbox) == ["1", "2", "3", "finished"])
    #expect(loop.now == .start + .seconds(4))
  }

  @Test("a value sent after its taker was cancelled waits for the next taker")
  func cancelledTaker() throws {
    let mailbox = Mailbox<Int>(bound: 2)
    let first = loop.task { [loop] in try await mailbox.next(on: loop) }
    loop.after(.seconds(1)) {
      first.cancel()
      mailbox.send(1)
      mailbox.send(2)
      mailbox.finish()
    }
    try loop.run { [loop] in
      try await loop.sleep(for: .seconds(2))
      await #expect(throws: CancellationError.self) { try await first.value }
    }
    #expect(try contents(of: mailbox) == ["1", "2", "finished"])
  }
}
