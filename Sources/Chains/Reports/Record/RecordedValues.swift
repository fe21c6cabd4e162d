// The values of a run, for a report that shows them.
//
// Memory is bounded: the last values of each series are kept unchanged, and all of them as an
// envelope.

import Bluetooth
import RunEvents
import Signals

/// The values that the steps of a run received.
struct RecordedValues: Equatable, Sendable {
  /// The maximum number of series; values of further ones are only counted.
  static let seriesLimit = 32

  /// The series, in the order of their first values.
  private(set) var series: [Series] = []
  /// The number of values in further series.
  private(set) var omittedCount = 0

  /// Adds a value that a step received.
  mutating func add(_ value: StepValue, of step: ReportedStep, at time: Duration) {
    guard let index = index(of: step) else {
      omittedCount += 1
      return
    }
    let isStream = step.isStream || step.operation == ReportedStep.strength
    series[index].add(value, isStream: isStream, at: time)
  }

  /// Adds a gap.
  ///
  /// - Parameter time: The end of the gap.
  mutating func add(_ gap: NotificationGap, of step: ReportedStep, at time: Duration) {
    guard let index = index(of: step) else { return }
    series[index].add(gap, at: time)
  }

  /// The index of the series of a step, which may be new; nil above the maximum.
  private mutating func index(of step: ReportedStep) -> Int? {
    let title = step.attribute ?? step.action
    if let index = series.firstIndex(where: { $0.title == title }) { return index }
    guard series.count < Self.seriesLimit else { return nil }
    series.append(Series(title: title))
    return series.count - 1
  }
}

extension RecordedValues {
  struct Series: Equatable, Sendable {
    struct Row: Equatable, Sendable {
      let at: Duration
      let value: StepValue
    }

    /// The number of last rows that are kept.
    static let rowLimit = 200
    /// The maximum number of plotted numbers in a value.
    static let plotLimit = 16
    static let gapLimit = 1_000

    /// The attribute, or else the action of the step.
    let title: String
    /// Whether the series is worth plotting: a step received several values, or there were many
    /// single ones.
    private(set) var isStream = false
    private(set) var count = 0
    private(set) var last = RecentValues<Row>(limit: rowLimit)
    private(set) var plots: [NumberSeries] = []
    private(set) var gaps: [RunMark] = []

    fileprivate init(title: String) { self.title = title }

    fileprivate mutating func add(_ gap: NotificationGap, at time: Duration) {
      guard gaps.count < Self.gapLimit else { return }
      gaps.append(
        RunMark(
          kind: .gap, from: time - gap.lasted, to: time, text: "\(title) \(TextReport.text(gap))",
          series: title, isOfLink: gap.cause == .linkLost
        )
      )
    }

    fileprivate mutating func add(_ value: StepValue, isStream: Bool, at time: Duration) {
      count += 1
      self.isStream = self.isStream || isStream || count > 2
      last.append(Row(at: time, value: value))
      for number in value.numbers {
        var index = plots.firstIndex { $0.name == number.field && $0.unit == number.unit }
        if index == nil, plots.count < Self.plotLimit {
          index = plots.count
          plots.append(NumberSeries(number.field, unit: number.unit))
        }
        if let index { plots[index].add(number, at: time) }
      }
    }
  }
}

/// A time of a run that its plots mark.
struct RunMark: Equatable, Sendable {
  /// The kind of mark: a gap, another connection, or a note of the user.
  enum Kind: String { case gap, again, note }

  let kind: Kind
  let from: Duration
  let to: Duration
  let text: String
  var series: String?
  /// Whether the gap is due to a dropped connection.
  var isOfLink = false
}
