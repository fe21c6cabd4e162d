// The events of the tests of a suite as text: one line for each operation when it ends.

import Bluetooth
import RunEvents

extension TextReport {
  /// Returns a line when a test begins or ends, and when an operation ends.
  func lines(for event: RunEvent, of test: RunEvent.Test) -> [String] {
    switch event.change {
    case .run(.started): ["test \(test.index)  \(test.id)  \(test.name)".printable]
    case .data(_, .advertisement(let device)):
      ["     \(Self.packet(device, event.wallClock))".printable]
    case .remark(.pairingDisplay(_, let display)): ["     \(display)".printable]
    case .step(.finished(let result)): Self.lines(result).map { "  \($0)" }
    case .run(.finished(let ending)):
      ["  " + Self.line(ending, event.offset, of: "operation", at: ending.step?.action)]
    case .run(.groupStarted), .run(.groupFinished), .step(.started), .data(_, .value),
      .data(_, .gap), .remark(.note):
      []
    }
  }

  /// The line of a packet, `12:34:56.123 C0:FF:EE:00:00:02 -64 0303…`, as in nRF Connect's format.
  private static func packet(_ device: Advertisement, _ time: Duration) -> String {
    let clock = Timestamp.text(time).split(separator: "T").last?.prefix(12) ?? ""
    let strength = device.rssi.map { "\($0)" } ?? "-"
    return "\(clock) \(device.address) \(strength) \(device.packetText)"
  }

  /// The last line of a suite.
  static func line(_ ending: RunGroupEnding, _ took: Duration) -> String {
    let all = ending.results.count + ending.notRun
    var parts = ["\(ending.passed) of \(counted(all, "test")) passed"]
    if ending.count(.failed) > 0 { parts.append("\(ending.count(.failed)) failed") }
    if ending.count(.cancelled) > 0 { parts.append("\(ending.count(.cancelled)) cancelled") }
    if ending.notRun > 0 { parts.append("\(ending.notRun) not run") }
    return "\(ending.status.rawValue): " + parts.joined(separator: ", ")
      + warnings(ending.warnings) + " in \(milliseconds(took)) s"
  }
}
