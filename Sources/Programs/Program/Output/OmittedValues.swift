// The values that were left out because the reader was slow, as gaps.
//
// A pure value.

import Bluetooth
import Jobs
import Signals

/// Values that are missing in the output and not yet reported by a gap.
struct OmittedValues: Sendable {
  private struct Series: Sendable {
    let step: ReportedStep
    let first: RunEvent
    var last: RunEvent
    var count: Int
  }

  private var series: [Series] = []

  /// Counts a value that is not printed.
  mutating func add(_ event: RunEvent, of step: ReportedStep) {
    let index = series.firstIndex {
      $0.step == step && $0.last.device == event.device && $0.last.attempt == event.attempt
    }
    if let index {
      series[index].last = event
      series[index].count += 1
    } else {
      series.append(Series(step: step, first: event, last: event, count: 1))
    }
  }

  /// One gap for each step with omitted values, in the order of its first one.
  var gaps: [RunEvent] {
    series.map { series in
      let gap = NotificationGap(
        .output(dropped: series.count), from: Instant(sinceStart: series.first.offset),
        to: Instant(sinceStart: series.last.offset)
      )
      var event = series.last
      event.change = .data(series.step, .gap(gap))
      return event
    }
  }
}
