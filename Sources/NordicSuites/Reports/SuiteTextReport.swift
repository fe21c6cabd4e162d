// Events of suites for people: a line an operation, as it ends.

import Bluetooth
import Jobs

/// One line for each test as it begins and ends, and for each operation as it ends.
public struct SuiteTextReport: SuiteReport {
  public init() {}

  public func lines(for event: SuiteEvent) -> [String] {
    let lines: [String] =
      switch event.change {
      case .suiteStarted(let suite, _): suite.title.map { ["\(suite.kind.rawValue)  \($0)"] } ?? []
      case .testStarted(let test, let index): [Self.head(test, index)]
      case .operationStarted: []
      case .heard(_, let device): ["     \(Self.packet(device, event.wallClock))"]
      case .pairingDisplay(_, let display): ["     \(display)"]
      case .operationFinished(let result): Self.lines(result)
      case .testFinished(let result): Self.lines(result)
      case .suiteFinished(let ending): [Self.line(ending, event.offset)]
      }
    return lines.map { TextReport.visible($0) }
  }

  private static func head(_ test: SuiteTest, _ index: Int) -> String {
    let run = test.run.map { ", \($0)" } ?? ""
    return "test \(index)  \(test.id)  \(test.title)\(run)"
  }

  /// `12:34:56.123 C0:FF:EE:00:00:02 -64 0303…`: what the format promises for each packet.
  static func packet(_ device: Advertisement, _ time: Duration) -> String {
    let clock = Timestamp.text(time).split(separator: "T").last?.prefix(12) ?? ""
    let strength = device.rssi.map { "\($0)" } ?? "-"
    return "\(clock) \(device.address) \(strength) \(AdvertisedData.text(device))"
  }

  private static func lines(_ result: OperationResult) -> [String] {
    let operation = result.placed.operation
    let isExpected = result.failure != nil && [.ok, .warning].contains(result.status)
    let outcome = result.outcome.map { TextReport.text($0) }
    var words = [
      "\(result.placed.number)", operation.title == operation.name ? "" : operation.title,
    ]
    words.append(operation.doing)
    switch result.status {
    case .ok: words.append(isExpected ? "failed, as expected" : outcome ?? "ok")
    case .warning: words.append(outcome.map { "warning (\($0))" } ?? "warning")
    case .failed, .cancelled:
      words.append(result.status.rawValue + (outcome.map { " (\($0))" } ?? ""))
    }
    let head = "  " + words.filter { !$0.isEmpty }.joined(separator: "  ")
    let notes = result.notes.map { "     note   \($0)" }
    guard let failure = result.failure, result.status != .warning else { return [head] + notes }
    let reasons = isExpected ? ["   why    \(failure.why)"] : TextReport.reasons(failure)
    return [head] + reasons.map { "  \($0)" } + notes
  }

  private static func lines(_ result: TestResult) -> [String] {
    let time = "\(TextReport.milliseconds(result.took)) s"
    let count = "\(counted(result.done, "operation")) in \(time)"
    guard let failure = result.failure else {
      return ["  \(result.status.rawValue): \(count)\(warnings(result.warnings))"]
    }
    let place = result.failedAt.map { " at \($0.operation.doing)" } ?? ""
    let head =
      "  \(result.status.rawValue)\(place) after \(count): \(failure.code.rawValue)"
      + warnings(result.warnings)
    // An operation has said why; a clean-up and what ended the run have not.
    return result.failedAt == nil ? ["\(head): \(failure)"] : [head]
  }

  private static func line(_ ending: SuiteEnding, _ took: Duration) -> String {
    let all = ending.results.count
    let good = ending.count(.ok) + ending.count(.warning)
    var parts = ["\(good) of \(counted(all + ending.notRun, "test")) passed"]
    if ending.count(.failed) > 0 { parts.append("\(ending.count(.failed)) failed") }
    if ending.notRun > 0 { parts.append("\(ending.notRun) not run") }
    return "\(ending.status.rawValue): " + parts.joined(separator: ", ")
      + warnings(ending.warnings) + " in \(TextReport.milliseconds(took)) s"
  }

  private static func warnings(_ count: Int) -> String {
    count == 0 ? "" : ", \(counted(count, "warning"))"
  }
}
