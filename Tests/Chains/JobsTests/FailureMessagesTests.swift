// The messages of BlueZ before a failure.

import Bluetooth
import Documents
import Signals
import Testing

@testable import Jobs

@Suite("BlueZ messages before a failure")
struct FailureMessagesTests {
  /// Messages of two devices and of none; `dev_a` is the device of the bench.
  private final class Traffic: BlueZTraffic {
    let messages = Guarded<[BlueZMessage]>([])

    func latest(about device: String, since time: Duration) -> [BlueZMessage] {
      messages.withLock { $0 }.filter {
        $0.time >= time && $0.object?.contains("dev_b") != true
      }
    }
  }

  private let traffic = Traffic()
  private let reported = Guarded<[RunEvent]>([])

  private func event(_ change: RunEvent.Change, at second: Int = 0) -> RunEvent {
    RunEvent(
      run: RunIdentity(seed: 0, text: "read"), device: "a", attempt: 2, offset: .seconds(second),
      wallClock: .seconds(100 + second), change: change
    )
  }

  private func message(_ second: Int, of object: String? = "/dev_a") -> BlueZMessage {
    BlueZMessage(.call, at: .seconds(100 + second), number: second, object: object, member: "Do")
  }

  private func failures(after messages: [BlueZMessage], ending place: Bool) -> [RunFailure] {
    traffic.messages.withLock { $0 = messages }
    let traced = TracedReport(nil, traffic) { [reported] event in
      reported.withLock { $0.append(event) }
    }
    let step = PlacedStep(.impliedConnect, Step(.connect)).reported
    let failure = RunFailure(code: .timedOut, class: .passing, what: "a", why: "b")
    traced.receive(event(.run(.started(RunStart(chain: nil, steps: 1, seed: 0)))))
    traced.receive(event(.step(.started(step)), at: 8))
    let result = StepResult(step, status: .failed, outcome: nil, failure: failure, took: .zero)
    traced.receive(event(.step(.finished(result)), at: 9))
    let ending = RunEnding(status: .failed, failure: failure, step: place ? step : nil, done: 0)
    traced.receive(event(.run(.finished(ending)), at: 9))
    return reported.withLock { $0 }.compactMap { event in
      switch event.change {
      case .step(.finished(let result)): result.failure
      case .run(.finished(let ending)): ending.failure
      default: nil
      }
    }
  }

  @Test("a failed step carries the messages of the last seconds; the failed run carries none")
  func failure() {
    let failures = failures(
      after: [message(3), message(4), message(7, of: "/dev_b"), message(9)], ending: true
    )
    #expect(failures.map { $0.messages.map(\.number) } == [[4, 9], []])
  }

  @Test("a failure between steps carries the messages of the last seconds")
  func between() {
    let failures = failures(after: [message(3), message(9)], ending: false)
    #expect(failures.last?.messages.map(\.number) == [9])
  }

  @Test("the messages of a failure are limited in number, and their arguments are shortened")
  func bounds() throws {
    let long = BlueZMessage(
      .signal, at: .seconds(109), member: "PropertiesChanged",
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
