// Who may be inside a gate at the same time, and in which order.

import Bluetooth
import Signals
import Testing

@testable import BlueZ

@Suite("A gate")
struct GateTests {
  private struct Visitor: Sendable {
    var isShared = true
    /// How long it waits at most.
    var patience = Duration.seconds(60)

    static let sharing = Visitor()
    static let alone = Visitor(isShared: false)
  }

  /// When each of those who arrive together is admitted, and stays a second; nil for one that leaves
  /// before.
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

  @Test("those that share are inside together")
  func together() throws {
    #expect(try admissions([.sharing, .sharing, .sharing]) == [.zero, .zero, .zero])
  }

  @Test("who does not share is inside alone, in order of arrival")
  func alone() throws {
    let visitors: [Visitor] = [.alone, .alone, .sharing, .sharing, .alone]
    let seconds = [0, 1, 2, 2, 3].map { Duration.seconds($0) }
    #expect(try admissions(visitors) == seconds)
  }

  @Test("nobody is overtaken by one that it would have to wait for")
  func order() throws {
    let seconds = [0, 1, 2].map { Duration.seconds($0) }
    #expect(try admissions([.sharing, .alone, .sharing]) == seconds)
  }

  @Test("one that leaves before it is admitted lets the next ones in")
  func left() throws {
    let leaving = Visitor(isShared: false, patience: .milliseconds(500))
    let expected: [Duration?] = [.zero, nil, .milliseconds(500)]
    #expect(try admissions([.sharing, leaving, .sharing]) == expected)
  }
}
