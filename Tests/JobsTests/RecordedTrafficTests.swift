// Messages of BlueZ: as events of a run, and before a failure.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("Messages of BlueZ in a run")
struct RecordedTrafficTests {
  /// Messages of two devices and of none; `dev_a` is the device of the bench.
  private final class Traffic: BlueZTraffic {
    let messages = Guarded<[BlueZMessage]>([])

    func latest(about device: String, since time: Duration) -> [BlueZMessage] {
      messages.withLock { $0 }.filter { $0.time >= time && concerns($0, device) }
    }

    func concerns(_ message: BlueZMessage, _ device: String) -> Bool {
      message.object.map { !$0.contains("dev_b") } ?? true
    }
  }

  private let loop = VirtualTimeLoop()
  private let traffic = Traffic()
  private let reported = Guarded<[RunEvent]>([])

  private func recorder(limit: Int) -> RecordedTraffic {
    RecordedTraffic(traffic, limit: limit, on: loop) { [reported] event in
      reported.withLock { $0.append(event) }
    }
  }

  private func event(_ change: RunEvent.Change, at second: Int = 0) -> RunEvent {
    RunEvent(
      run: RunIdentity(seed: 0, text: "read"),
      device: "a",
      attempt: 2,
      offset: .seconds(second),
      wallClock: .seconds(100 + second),
      change: change
    )
  }

  private var start: RunEvent { event(.runStarted(RunStart(chain: nil, steps: 1, seed: 0))) }

  private var end: RunEvent {
    event(.runFinished(RunEnding(status: .ok, failure: nil, step: nil, done: 0)), at: 9)
  }

  private func message(_ second: Int, of object: String? = "/dev_a") -> BlueZMessage {
    BlueZMessage(.call, at: .seconds(100 + second), number: second, object: object, member: "Do")
  }

  private var story: [String] {
    reported.withLock { $0 }.map { event in
      switch event.change {
      case .remark(.message(let message)): "\(message.text) at \(event.offset) try \(event.attempt)"
      case .remark(.packet(let recorded)): "packet \(recorded.packet.number)"
      case .remark(.recordingStopped(_, let leftOut)): "stopped, \(leftOut) left out"
      case .runStarted: "start"
      case .runFinished: "end"
      default: "?"
      }
    }
  }

  @Test("messages are events in their order, with their own times; those of others are not")
  func order() throws {
    let recorder = recorder(limit: 10_000)
    recorder.receive(message(1))
    recorder.receive(start)
    recorder.receive(message(2))
    recorder.receive(message(3, of: "/dev_b"))
    recorder.receive(message(4, of: nil))
    recorder.receive(end)
    recorder.receive(message(5))
    try loop.run {}
    #expect(
      story == [
        "start", "call 2 /dev_a Do() at 2.0 seconds try 2", "call 4 / Do() at 4.0 seconds try 2",
        "end",
      ]
    )
  }

  @Test("messages are reported by the loop, also while nothing else happens")
  func alone() async throws {
    let recorder = recorder(limit: 10_000)
    recorder.receive(start)
    recorder.receive(message(2))
    #expect(story == ["start"])
    try loop.run { try await loop.sleep(for: .seconds(1)) }
    #expect(story.count == 2)
  }

  @Test("at the limit recording reports that it stops, and in the end how many it left out")
  func limit() {
    let recorder = recorder(limit: 250)
    recorder.receive(start)
    for second in 1...5 { recorder.receive(message(second)) }
    recorder.receive(end)
    #expect(
      story == [
        "start", "call 1 /dev_a Do() at 1.0 seconds try 2",
        "call 2 /dev_a Do() at 2.0 seconds try 2", "stopped, 0 left out", "stopped, 3 left out",
        "end",
      ]
    )
  }

  @Test("packets count towards the same limit")
  func packets() {
    let recorder = recorder(limit: 250)
    recorder.receive(start)
    for number in 1...3 {
      let packet = TracePacket(number: number, time: .seconds(101), text: "> event")
      recorder.receive(event(.remark(.packet(RecordedPacket(packet, file: "f"))), at: 1))
    }
    recorder.receive(message(2))
    recorder.receive(end)
    let (stops, count) = ("stopped, 0 left out", "stopped, 2 left out")
    #expect(story == ["start", "packet 1", "packet 2", stops, count, "end"])
  }

  @Test("more messages than wait for the loop are counted")
  func bounded() {
    let recorder = recorder(limit: 1 << 30)
    recorder.receive(start)
    for second in 0..<10_004 { recorder.receive(message(second)) }
    recorder.receive(end)
    #expect(story.count == 10_003)
    #expect(story.suffix(2) == ["stopped, 4 left out", "end"])
  }

  // MARK: Failures

  private func failures(after messages: [BlueZMessage], ending place: Bool) -> [RunFailure] {
    traffic.messages.withLock { $0 = messages }
    let traced = TracedReport(nil, traffic) { [reported] event in
      reported.withLock { $0.append(event) }
    }
    let step = PlacedStep(.impliedConnect, Step(.connect)).reported
    let failure = RunFailure(code: .timedOut, class: .passing, what: "a", why: "b")
    traced.receive(start)
    traced.receive(event(.stepStarted(step), at: 8))
    let result = StepResult(step, status: .failed, outcome: nil, failure: failure, took: .zero)
    traced.receive(event(.stepFinished(result), at: 9))
    let ending = RunEnding(status: .failed, failure: failure, step: place ? step : nil, done: 0)
    traced.receive(event(.runFinished(ending), at: 9))
    return reported.withLock { $0 }.compactMap { event in
      switch event.change {
      case .stepFinished(let result): result.failure
      case .runFinished(let ending): ending.failure
      default: nil
      }
    }
  }

  @Test("a failed step has the messages of the last seconds, the end of its run none")
  func failure() {
    let failures = failures(
      after: [message(3), message(4), message(7, of: "/dev_b"), message(9)],
      ending: true
    )
    #expect(failures.map { $0.messages.map(\.number) } == [[4, 9], []])
  }

  @Test("a failure between steps has the messages of the last seconds")
  func between() {
    let failures = failures(after: [message(3), message(9)], ending: false)
    #expect(failures.last?.messages.map(\.number) == [9])
  }

  @Test("a failure has so many messages at most, with short arguments")
  func bounds() throws {
    let long = BlueZMessage(
      .signal,
      at: .seconds(109),
      member: "PropertiesChanged",
      arguments: "(\(String(repeating: "é", count: 1_000)))"
    )
    let failure = try #require(
      failures(after: Array(repeating: long, count: 100), ending: true).first
    )
    #expect(failure.messages.count == TracedReport.messageLimit)
    #expect(failure.messages.allSatisfy { $0.arguments.count == TracedReport.argumentLimit + 1 })
    let json = failure.json.text
    #expect(json.contains(#""messages":[{"time":"1970-01-01T00:01:49.000000Z","kind":"signal""#))
    #expect(!TextReport.reasons(failure).joined().contains("PropertiesChanged"))
  }
}
