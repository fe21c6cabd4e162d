// The events of a suite as text: one line for each operation when it ends.

import Bluetooth
public import Jobs

extension TextReport: SuiteReport {
  /// Returns a line when a test begins or ends, and when an operation ends.
  public func lines(for event: SuiteEvent) -> [String] {
    let lines: [String] =
      switch event.change {
      case .started(let suite): suite.title.map { ["\(suite.kind.rawValue)  \($0)"] } ?? []
      case .test(let test, let index, let run): Self.lines(test, index, run)
      case .finished(let ending): [Self.line(ending, event.offset)]
      }
    return lines.map(\.printable)
  }

  private static func lines(_ test: SuiteTest, _ index: Int, _ event: RunEvent) -> [String] {
    switch event.change {
    case .runStarted: return ["test \(index)  \(test.id)  \(test.name)"]
    case .advertisement(_, let device): return ["     \(packet(device, event.wallClock))"]
    case .pairingDisplay(_, let display): return ["     \(display)"]
    case .stepFinished(let result): return lines(result).map { "  \($0)" }
    case .runFinished(let ending):
      return ["  " + line(ending, event.offset, of: "operation", at: ending.step?.action)]
    case .stepStarted, .value, .gap, .note: return []
    }
  }

  /// Returns the line of a packet, `12:34:56.123 C0:FF:EE:00:00:02 -64 0303…`, as in nRF Connect's format.
  private static func packet(_ device: Advertisement, _ time: Duration) -> String {
    let clock = Timestamp.text(time).split(separator: "T").last?.prefix(12) ?? ""
    let strength = device.rssi.map { "\($0)" } ?? "-"
    return "\(clock) \(device.address) \(strength) \(AdvertisedData.text(device))"
  }

  private static func line(_ ending: SuiteEnding, _ took: Duration) -> String {
    let all = ending.results.count + ending.notRun
    var parts = ["\(ending.passed) of \(counted(all, "test")) passed"]
    if ending.count(.failed) > 0 { parts.append("\(ending.count(.failed)) failed") }
    if ending.notRun > 0 { parts.append("\(ending.notRun) not run") }
    return "\(ending.status.rawValue): " + parts.joined(separator: ", ")
      + warnings(ending.warnings) + " in \(milliseconds(took)) s"
  }
}
