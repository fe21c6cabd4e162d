// The times at which a link with a speed carries values.

import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("The pace of a link")
struct LinkPaceTests {
  @Test(
    "as many packets fit into an interval as the PHY has time for, at most those of the device",
    arguments: [
      (15_000, PHY.oneMegabit, nil, 6), (15_000, .twoMegabit, nil, 10),
      (15_000, .coded, nil, 1), (7_500, .oneMegabit, nil, 3), (30_000, .twoMegabit, 4, 4),
      (7_500, .oneMegabit, 100, 3),
    ] as [(Int, PHY, Int?, Int)]
  )
  func capacity(microseconds: Int, phy: PHY, packets: Int?, expected: Int) {
    let speed = LinkSpeed(interval: .microseconds(microseconds), phy: phy, packets: packets)
    #expect(speed.capacity == expected)
  }

  /// The times in ms at which values are on air that all are sent at one time.
  private func times(_ lengths: [Int], sentAt now: Int, after pace: inout LinkPace) -> [Int] {
    lengths.map { length in
      let time = pace.send(length, at: .start + .milliseconds(now))
      return Int((time - .start) / .milliseconds(1))
    }
  }

  @Test("values wait for the next connection event, and full events for the one after")
  func events() {
    var pace = LinkPace(LinkSpeed(interval: .milliseconds(10), packets: 2), at: .start)
    #expect(times([1, 1, 1, 1, 1], sentAt: 0, after: &pace) == [0, 0, 10, 10, 20])
    #expect(times([1], sentAt: 12, after: &pace) == [20])
    #expect(times([1], sentAt: 12, after: &pace) == [30])
    #expect(times([1], sentAt: 95, after: &pace) == [100])
    #expect(times([1, 1], sentAt: 100, after: &pace) == [100, 110])
  }

  @Test(
    "another interval begins with the packets that wait, or else with the next connection event")
  func changed() {
    var pace = LinkPace(LinkSpeed(interval: .milliseconds(10), packets: 2), at: .start)
    #expect(times([1, 1, 1], sentAt: 0, after: &pace) == [0, 0, 10])
    pace.change(.milliseconds(25), at: .start)
    #expect(times([1, 1], sentAt: 0, after: &pace) == [10, 35])
    #expect(times([1], sentAt: 95, after: &pace) == [110])
    pace.change(.milliseconds(10), at: .start + .milliseconds(112))
    #expect(times([1, 1, 1], sentAt: 112, after: &pace) == [135, 135, 145])
  }

  @Test("another PHY begins with the packets that wait, and a full connection event stays full")
  func changedPHY() {
    var pace = LinkPace(LinkSpeed(interval: .milliseconds(15)), at: .start)
    // 6 packets fit into an event; on 2m 10, of which the one that waits has 2.
    #expect(times([1, 1, 1, 1, 1, 1, 1], sentAt: 0, after: &pace) == [0, 0, 0, 0, 0, 0, 15])
    pace.change(PHY.twoMegabit, at: .start)
    let nine = [Int](repeating: 1, count: 9)
    #expect(times(nine, sentAt: 0, after: &pace) == [15, 15, 15, 15, 15, 15, 15, 15, 30])
    pace.change(PHY.coded, at: .start + .milliseconds(100))
    #expect(times([1, 1], sentAt: 100, after: &pace) == [105, 120])
    pace.change(PHY.twoMegabit, at: .start + .milliseconds(105))
    #expect(times([1], sentAt: 105, after: &pace) == [135])
  }

  @Test("a long value takes several packets, and is there with its last one")
  func long() {
    var pace = LinkPace(LinkSpeed(interval: .milliseconds(10), packets: 2), at: .start)
    // 244 bytes fit into one packet with 7 bytes of headers, 245 need two.
    #expect(times([244, 245, 244], sentAt: 1, after: &pace) == [10, 20, 20])
    #expect(times([514], sentAt: 31, after: &pace) == [50])
  }

  @Test("a device whose buffers are full has room again when packets have been sent")
  func buffers() {
    var pace = LinkPace(LinkSpeed(interval: .milliseconds(10), packets: 2), at: .start)
    let (first, second) = (Instant.start + .milliseconds(1), Instant.start + .milliseconds(11))
    for _ in 0..<LinkPace.mostWaiting {
      #expect(!pace.isFull(at: first))
      _ = pace.send(20, at: first)
    }
    #expect(pace.isFull(at: first))
    #expect(!pace.isFull(at: second))
    #expect(!pace.isFull(at: .start + .seconds(10)))
  }
}
