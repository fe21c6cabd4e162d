// The order of turns: a pure state machine, compared with a list.

import Testing

@testable import Signals

@Suite("The turn queue")
struct TurnQueueTests {
  @Test("first come, first served")
  func order() {
    let queue = Cell(TurnQueue())
    #expect(queue { $0.request(1) } == .begin)
    #expect(queue { $0.request(2) } == .wait)
    #expect(queue { $0.request(3) } == .wait)
    #expect(queue { $0.ended(1) } == 2)
    #expect(queue { $0.ended(2) } == 3)
    #expect(queue { $0.ended(3) } == nil)
    #expect(queue.value.running == nil)
  }

  @Test("only a request that waits can be withdrawn")
  func withdraw() {
    let queue = Cell(TurnQueue())
    _ = queue { $0.request(1) }
    _ = queue { $0.request(2) }
    _ = queue { $0.request(3) }
    #expect(!queue { $0.withdraw(1) })
    #expect(queue { $0.withdraw(2) })
    #expect(!queue { $0.withdraw(2) })
    #expect(queue { $0.ended(1) } == 3)
  }

  @Test("a closed queue refuses new requests and keeps those that wait")
  func closed() {
    let queue = Cell(TurnQueue())
    _ = queue { $0.request(1) }
    _ = queue { $0.request(2) }
    queue { $0.refuseFurther() }
    #expect(queue { $0.request(3) } == .refused)
    #expect(queue { $0.ended(1) } == 2)
    #expect(queue { $0.ended(2) } == nil)
    #expect(queue { $0.request(4) } == .refused)
  }

  @Test("requests, withdrawals and endings at random agree with a list", arguments: 0..<20)
  func model(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed), name: "turn queue")
    let queue = Cell(TurnQueue())
    var model: [UInt64] = []
    for id in UInt64(1)...400 {
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        #expect(queue { $0.request(id) } == (model.isEmpty ? .begin : .wait), "seed \(seed)")
        model.append(id)
      case 1 where !model.isEmpty:
        let index = Int.random(in: model.indices, using: &random)
        #expect(queue { $0.withdraw(model[index]) } == (index > 0), "seed \(seed)")
        if index > 0 { model.remove(at: index) }
      default:
        guard !model.isEmpty else { continue }
        let ended = model.removeFirst()
        #expect(queue { $0.ended(ended) } == model.first, "seed \(seed)")
      }
      #expect(queue.value.running == model.first, "seed \(seed)")
      #expect(queue.value.waiting == Array(model.dropFirst()), "seed \(seed)")
    }
  }
}
