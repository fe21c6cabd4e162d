// The part of a trace that a failure names.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("A traced run")
struct TracedReportTests {
  /// A trace in which a packet passes at every mark and every look at it.
  private final class Packets: RunTrace {
    private let count = Guarded(0)

    func mark() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }

    func slice(since mark: Int) -> TraceSlice? {
      let last = self.mark()
      let times = Duration.seconds(mark + 1) ... .seconds(last)
      return TraceSlice(file: "run.btsnoop", packets: mark + 1...last, times: times)
    }

    func packets(since mark: Int) -> TracedPackets? {
      let packets = (mark + 1...self.mark()).map { number in
        TracePacket(number: number, time: .seconds(number), text: "packet")
      }
      return TracedPackets(file: "run.btsnoop", packets: packets, leftOut: 0)
    }
  }

  private let bench = RunBench()

  private func events(_ line: String, recordsPackets: Bool = false) throws -> [RunEvent] {
    let plan = try Plan.parse(line: line)
    let recorded = Guarded<[RunEvent]>([])
    let traced = TracedReport(Packets(), recordsPackets: recordsPackets) { event in
      recorded.withLock { $0.append(event) }
    }
    let runner = ChainRunner(
      plan: plan,
      service: bench.device,
      identity: RunIdentity(seed: 0, plan: plan),
      report: traced.receive
    )
    _ = runner.ending().map { Optional($0) }.firstOrDefault(nil, within: .seconds(100))
    return recorded.withLock { $0 }
  }

  @Test("the step that failed, and the run that ended with it, name its packets and no others")
  func failed() throws {
    bench.device.answer("write alert-level", .failure(DeviceFailure.scripted(.linkLost, .passing)))
    let events = try events("read battery-level; write alert-level u8:1")
    let failures = events.compactMap { event -> RunFailure? in
      switch event.change {
      case .stepFinished(let result): result.failure
      case .runFinished(let ending): ending.failure
      default: nil
      }
    }
    // The run began at packet 1, connecting at 2, reading at 3, writing at 4; its end saw the fifth.
    #expect(failures.map { $0.trace?.packets } == [5...5, 5...5])
    let text = events.flatMap { TextReport().lines(for: $0) }
    #expect(
      text.contains(
        "   trace  packets 5 to 5 of run.btsnoop, "
          + "1970-01-01T00:00:05.000000Z to 1970-01-01T00:00:05.000000Z"
      )
    )
    let json = events.flatMap { JSONLinesReport().lines(for: $0) }
    let member =
      #""trace":{"file":"run.btsnoop","first":5,"last":5,"#
      + #""from":"1970-01-01T00:00:05.000000Z","to":"1970-01-01T00:00:05.000000Z"}}"#
    #expect(json.count { $0.contains(member) } == 2)
  }

  @Test("the end of a run has its packets, for its page; no line has them")
  func packets() throws {
    let events = try events("read battery-level")
    let ending = try #require(
      events.compactMap { event -> RunEnding? in
        if case .runFinished(let ending) = event.change { ending } else { nil }
      }.last
    )
    // One at the start of the run, three at those of its steps, and one when it ends.
    #expect(ending.packets?.packets.map(\.number) == [2, 3, 4, 5])
    let lines = events.flatMap { JSONLinesReport().lines(for: $0) }
    #expect(!lines.contains { $0.contains("packet") })
  }

  @Test("packets that are recorded are events, each once, before the event that follows them")
  func recorded() throws {
    let events = try events("read battery-level", recordsPackets: true)
    let story = events.map { event in
      if case .remark(.packet(let recorded)) = event.change {
        "\(recorded.packet.number)"
      } else {
        String("\(event.change)".prefix { $0 != "(" })
      }
    }
    #expect(story.first == "runStarted" && story.last == "runFinished")
    let numbers = story.compactMap { Int($0) }
    #expect(numbers == Array(2...numbers.count + 1), "\(story)")
    #expect(numbers.count > 4)
    let lines = events.flatMap { JSONLinesReport().lines(for: $0) }
    #expect(
      lines.contains {
        $0.contains(#""event":"hci-packet","time":"1970-01-01T00:00:02.000000Z""#)
          && $0.contains(#""file":"run.btsnoop","number":2,"text":"packet"}"#)
      }
    )
  }

  @Test("a run that succeeds is reported as without a trace")
  func well() throws {
    let traced = try events("read battery-level; sleep 1s")
    let lines = traced.flatMap { JSONLinesReport().lines(for: $0) }
    #expect(!lines.contains { $0.contains("trace") })
    // The run's two, a value, and two for each of connect, read, sleep, disconnect.
    #expect(traced.count == 11)
  }
}
