// What the page of a run derives from its record: attempts, connections, what did not end.

import Bluetooth

extension RecordedRun {
  /// How long it took, or at least took until its last step.
  var lasted: Duration { took ?? max(lastEventAt, steps.map(\.endedAt).max() ?? .zero) }

  var kindOfBar: LaneBar.Kind {
    switch ending?.status {
    case .ok, .warning: .ok
    case .failed, nil: .failed
    case .cancelled: .cancelled
    }
  }

  /// All tries of the chain whose steps are kept; the last one is ``attempt``.
  var attempts: [Attempt] {
    let last = Attempt(
      number: attempt, first: earlierStepCount, failure: ending?.failure, steps: steps,
      leftOut: leftOut
    )
    return earlierAttempts + [last]
  }

  /// The steps that had begun when the record ended, at most ten; none of a run that ended.
  var unfinishedSteps: [StepUnderWay] { ending == nil ? underWay.suffix(10) : [] }

  /// A sentence about a run without an end; nil for one that ended.
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
