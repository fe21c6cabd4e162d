// When the device of a run was connected, for its page.

import Bluetooth

extension RecordedRun {
  /// When the device was connected, as far as the steps show it.
  ///
  /// A connection begins with the end of a step that made or found it. It ends with the step that
  /// disconnects, with a failure that reports its loss, or with the run; a gap in the values
  /// interrupts it.
  var connected: [ClosedRange<Duration>] {
    var (periods, begun) = ([ClosedRange<Duration>](), Duration?.none)
    func ends(at time: Duration) {
      if let start = begun, start <= time { periods.append(start...time) }
      begun = nil
    }
    let lost = values.series.flatMap(\.gaps).filter(\.isOfLink).sorted { $0.from < $1.from }
    var gaps = lost[...]
    for step in earlierAttempts.flatMap(\.steps) + steps {
      while let gap = gaps.first, gap.to <= step.endedAt {
        gaps = gaps.dropFirst()
        guard begun != nil else { continue }
        ends(at: gap.from)
        begun = gap.to
      }
      if case .linked? = step.outcome, step.isWell {
        begun = begun ?? step.endedAt
      } else if step.reported.operation == "disconnect" {
        ends(at: step.endedAt)
      } else if step.failure?.code == .linkLost {
        ends(at: step.endedAt)
      }
    }
    ends(at: lasted)
    return periods
  }
}
