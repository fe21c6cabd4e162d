// The values that were not printed because nobody read, as gaps.
//
// A pure value.

import Bluetooth
import Jobs
import Signals

/// Values that are missing in the output, until a gap reports them.
struct OmittedValues: Sendable {
  private struct Series: Sendable {
    let step: ReportedStep
    let first: RunEvent
    var last: RunEvent
    var count: Int
  }

  private var series: [Series] = []

  /// A value is not printed.
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

  /// The gap of each step whose values were omitted, in the order of the first ones.
  var gaps: [RunEvent] {
    series.map { series in
      let gap = NotificationGap(
        .output(dropped: series.count), from: Instant(sinceStart: series.first.offset),
        to: Instant(sinceStart: series.last.offset)
      )
      var event = series.last
      event.change = .gap(series.step, gap)
      return event
    }
  }
}
