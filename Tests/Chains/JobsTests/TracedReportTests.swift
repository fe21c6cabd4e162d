// The packets of a trace that belong to a failure.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("A traced run")
struct TracedReportTests {
  /// A trace in which one packet passes at each mark and at each look.
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
  }

  private let bench = RunBench()

  private func events(_ line: String) throws -> [RunEvent] {
    let plan = try Plan.parse(line: line)
    let recorded = Guarded<[RunEvent]>([])
    let traced = TracedReport(Packets()) { event in
      recorded.withLock { $0.append(event) }
    }
    let runner = ChainRunner(
      plan: plan, service: bench.device, identity: RunIdentity(seed: 0, plan: plan),
      report: traced.receive
    )
    _ = runner.ending().map { Optional($0) }.firstOrDefault(nil, within: .seconds(100))
    return recorded.withLock { $0 }
  }

  @Test("the failed step and the run that it ended name its packets and no others")
  func failed() throws {
    bench.device.answer("write alert-level", .failure(DeviceFailure.scripted(.linkLost, .passing)))
    let events = try events("read battery-level; write alert-level u8:1")
    let failures = events.compactMap { event -> RunFailure? in
      switch event.change {
      case .step(.finished(let result)): result.failure
      case .run(.finished(let ending)): ending.failure
      default: nil
      }
    }
    // The connect began at packet 1, the read at 2, the write at 3; its end saw the fourth.
    #expect(failures.map { $0.trace?.packets } == [4...4, 4...4])
    let text = events.flatMap { TextReport().lines(for: $0) }
    #expect(
      text.contains(
        "   trace  packets 4 to 4 of run.btsnoop, "
          + "1970-01-01T00:00:04.000000Z to 1970-01-01T00:00:04.000000Z"
      )
    )
    let json = events.flatMap { JSONLinesReport().lines(for: $0) }
    let member =
      #""trace":{"file":"run.btsnoop","first":4,"last":4,"#
      + #""from":"1970-01-01T00:00:04.000000Z","to":"1970-01-01T00:00:04.000000Z"}}"#
    #expect(json.count { $0.contains(member) } == 2)
  }

  @Test("a successful run is reported as if it were not traced")
  func well() throws {
    let traced = try events("read battery-level; sleep 1s")
    let lines = traced.flatMap { JSONLinesReport().lines(for: $0) }
    #expect(!lines.contains { $0.contains("trace") })
    // The run's two, a value, and two for each of connect, read, sleep, disconnect.
    #expect(traced.count == 11)
  }
}
