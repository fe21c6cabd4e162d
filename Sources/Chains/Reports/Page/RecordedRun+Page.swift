// Facts that the page derives from the record of a run: attempts, connections, unfinished steps.

import Bluetooth
import RunEvents

extension RecordedRun {
  /// The duration; for a run without an end, until its last event or step.
  var lasted: Duration { took ?? max(lastEventAt, steps.map(\.endedAt).max() ?? .zero) }

  var kindOfBar: LaneBar.Kind {
    switch ending?.status {
    case .ok, .warning: .ok
    case .failed, nil: .failed
    case .cancelled: .cancelled
    }
  }

  /// All recorded attempts of the chain, the last of which is ``attempt``.
  var attempts: [Attempt] {
    let last = Attempt(
      number: attempt, first: earlierStepCount, failure: ending?.failure, steps: steps,
      leftOut: leftOut
    )
    return earlierAttempts + [last]
  }

  /// The steps that were running when the record ended, at most ten; empty for a finished run.
  var unfinishedSteps: [StepUnderWay] { ending == nil ? underWay.suffix(10) : [] }

  /// A sentence about a run without an end; nil for a finished run.
  var whyUnfinished: String? {
    guard ending == nil else { return nil }
    let place = underWay.last.map { " in \($0.step.place): \($0.step.title)" } ?? ""
    return
      "The record of this run ends after \(TextReport.milliseconds(lasted)) s\(place). The run "
      + "was under way, or its process was ended."
  }

  /// Notes, gaps in the values and reconnects, in the order of their times.
  var marks: [RunMark] {
    let again = connected.dropFirst().map(\.lowerBound).map {
      RunMark(kind: .again, from: $0, to: $0, text: "connected again")
    }
    let noted = notes.map {
      RunMark(kind: .note, from: $0.at, to: $0.at, text: "note: \($0.text)")
    }
    return (again + noted + values.series.flatMap(\.gaps)).sorted { $0.from < $1.from }
  }

  /// The periods in which the device was connected, as far as the steps show it.
  ///
  /// A connection begins at the end of a step that made or found it. It ends with the step that
  /// disconnects, with a failure that reports a dropped connection, or with the run; a gap in the
  /// values interrupts it.
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
      if case .linked? = step.outcome, step.succeeded {
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
