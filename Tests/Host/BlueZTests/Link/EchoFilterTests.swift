// Notified values and the echoes of reads.

import Signals
import Testing

@testable import BlueZ

@Suite("Echo filter")
struct EchoFilterTests {
  let now = VirtualTimeLoop().now

  @Test("without a pending read every value is passed on at once")
  func passes() {
    var filter = EchoFilter()
    #expect(filter.arrived([1], at: now) == .deliver(held(1, [1])))
    #expect(filter.arrived([1], at: now) == .deliver(held(2, [1])))
  }

  @Test("the value of a read is filtered out once")
  func dropsEcho() {
    var filter = EchoFilter()
    filter.readBegan()
    #expect(filter.arrived([7], at: now) == .hold(number: 1))
    #expect(filter.arrived([7], at: now) == .hold(number: 2))
    #expect(filter.arrived([8], at: now) == .hold(number: 3))
    #expect(filter.readEnded(with: [7]).map(\.value) == [[7], [8]])
  }

  @Test("a failed read filters out no value")
  func failedRead() {
    var filter = EchoFilter()
    filter.readBegan()
    _ = filter.arrived([7], at: now)
    #expect(filter.readEnded(with: nil).map(\.value) == [[7]])
  }

  @Test("two joined reads have one echo")
  func joinedReads() {
    var filter = EchoFilter()
    filter.readBegan()
    filter.readBegan()
    _ = filter.arrived([7], at: now)
    #expect(filter.readEnded(with: [7]).isEmpty)
    #expect(filter.readEnded(with: [7]).isEmpty)
    #expect(filter.arrived([7], at: now) == .deliver(held(2, [7])))
  }

  @Test("a value is held for a limited time")
  func releases() {
    var filter = EchoFilter()
    filter.readBegan()
    _ = filter.arrived([1], at: now)
    _ = filter.arrived([2], at: now)
    _ = filter.arrived([3], at: now)
    #expect(filter.release(through: 2).map(\.value) == [[1], [2]])
    #expect(filter.release(through: 2).isEmpty)
    #expect(filter.readEnded(with: [3]).isEmpty)
  }

  private func held(_ number: UInt64, _ value: [UInt8]) -> EchoFilter.Held {
    EchoFilter.Held(number: number, value: value, at: now)
  }
}
