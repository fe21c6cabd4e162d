// Shared and exclusive admission to a gate, and its order.

import Bluetooth
import Signals
import Testing

@testable import BlueZ

@Suite("Gate")
struct GateTests {
  private struct Visitor: Sendable {
    var isShared = true
    /// The longest time it waits for admission.
    var patience = Duration.seconds(60)

    static let sharing = Visitor()
    static let alone = Visitor(isShared: false)
  }

  /// The admission times of visitors that arrive together and stay a second; nil for a visitor that
  /// times out first.
  private func admissions(_ visitors: [Visitor]) throws -> [Duration?] {
    let (loop, gate) = (VirtualTimeLoop(), Gate())
    let admitted = Guarded([Duration?](repeating: nil, count: visitors.count))
    defer { loop.end() }
    return try loop.run {
      let start = loop.now
      let tasks = visitors.enumerated().map { number, visitor in
        loop.task {
          try await gate.pass(
            on: loop, operation: "waiting", isShared: visitor.isShared, limit: visitor.patience
          ) {
            admitted.withLock { $0[number] = loop.now - start }
            try await loop.sleep(for: .seconds(1))
          }
        }
      }
      for task in tasks { _ = await task.result }
      return admitted.withLock { $0 }
    }
  }

  @Test("shared visitors are admitted together")
  func together() throws {
    #expect(try admissions([.sharing, .sharing, .sharing]) == [.zero, .zero, .zero])
  }

  @Test("exclusive visitors are admitted alone, in order of arrival")
  func alone() throws {
    let visitors: [Visitor] = [.alone, .alone, .sharing, .sharing, .alone]
    let seconds = [0, 1, 2, 2, 3].map { Duration.seconds($0) }
    #expect(try admissions(visitors) == seconds)
  }

  @Test("a later shared visitor does not overtake a waiting exclusive one")
  func order() throws {
    let seconds = [0, 1, 2].map { Duration.seconds($0) }
    #expect(try admissions([.sharing, .alone, .sharing]) == seconds)
  }

  @Test("a waiting visitor that times out lets the next visitors in")
  func left() throws {
    let leaving = Visitor(isShared: false, patience: .milliseconds(500))
    let expected: [Duration?] = [.zero, nil, .milliseconds(500)]
    #expect(try admissions([.sharing, leaving, .sharing]) == expected)
  }
}
