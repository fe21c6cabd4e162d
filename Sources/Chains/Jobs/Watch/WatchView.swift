// The printed output of a watch: each value, the latest of all, or their rates.
//
// A pure state machine: it is given changes and returns events without a run.

import Bluetooth
import RunEvents
import Signals

/// The printed events of a watch.
struct WatchView: Sendable {
  struct Item: Sendable {
    let device: String
    let at: Instant
    let change: RunEvent.Change
  }

  /// The values of one characteristic in the current window.
  private struct Window {
    var count = 0
    /// Whether the device was disconnected during part of the window.
    var isBroken = false
  }

  private let plan: WatchPlan
  private let series: [WatchPlan.Series]
  private let combined: ReportedStep
  private let names: [String]
  private var latest: [StepValue?]
  private var windows: [Window]
  /// The start of the first window, and the number of ended windows.
  private var grid: (start: Instant, over: Int)?

  init(_ plan: WatchPlan) {
    self.plan = plan
    let series = plan.series
    self.series = series
    names = series.map { series in
      let device = plan.devices[series.device].target.text
      return plan.devices.count > 1 ? "\(device)/\(series.name)" : series.name
    }
    // Only the names of the inputs are in events.
    let inputs = names.map { CombineStep.Input($0, .notify, .unread) }
    combined =
      PlacedStep(StepPosition(1), Step(.combine(CombineStep(inputs, StopConditions())))).reported
    latest = Array(repeating: nil, count: series.count)
    windows = Array(repeating: Window(), count: series.count)
  }

  /// Begins the first window; called once all series are active.
  mutating func begin(at now: Instant) {
    grid = (now, 0)
    windows = Array(repeating: Window(), count: series.count)
  }

  /// Records that the device disconnected.
  mutating func lost(device: Int) {
    for index in series.indices where series[index].device == device {
      windows[index].isBroken = true
      latest[index] = nil
    }
  }

  mutating func value(_ index: Int, _ sample: Sample) -> Item? {
    switch plan.view {
    case .values:
      return plan.selected(sample.value).map { value in
        item(index, sample.arrival, .data(series[index].reported, .value(value)))
      }
    case .combined:
      guard let value = plan.selected(sample.value) else { return nil }
      latest[index] = value
      let values = latest.compactMap { $0 }
      guard values.count == series.count else { return nil }
      let fields = zip(names, values).map { name, value in
        DecodedValue.Field(name, value.decoded ?? .octets(value.octets))
      }
      let record = StepValue(octets: [], decoded: .fields(fields))
      return Item(device: allDevices, at: sample.arrival, change: .data(combined, .value(record)))
    case .rate:
      windows[index].count += 1
      return nil
    }
  }

  mutating func gap(_ index: Int, _ gap: NotificationGap) -> Item? {
    switch plan.view {
    case .values: return item(index, gap.to, .data(series[index].reported, .gap(gap)))
    case .combined:
      // A gap affects all series of the device at once, so only the first reports it.
      let isFirst = index == 0 || series[index - 1].device != series[index].device
      guard gap.cause != .linkLost || isFirst else { return nil }
      return Item(device: allDevices, at: gap.to, change: .data(combined, .gap(gap)))
    case .rate:
      // Dropped values did arrive, so they count for the rate. A window without a connection
      // becomes a gap itself.
      windows[index].count += gap.dropped
      return nil
    }
  }

  /// Ends a window, and all before it.
  ///
  /// - Parameters:
  ///   - number: The number of the window, from 1.
  ///   - isConnected: Whether each device is connected now.
  /// - Returns: The rate of each characteristic; a gap if its device was disconnected for part of
  ///   the window.
  mutating func windowEnded(_ number: Int, _ isConnected: [Bool]) -> [Item] {
    guard case .rate(let length) = plan.view, let grid, number > grid.over else { return [] }
    let from = grid.start + length * grid.over
    let to = grid.start + length * number
    self.grid = (grid.start, number)
    return series.indices.map { index in
      let window = windows[index]
      windows[index] = Window(isBroken: !isConnected[series[index].device])
      let step = series[index].reported
      guard !window.isBroken else {
        let gap = NotificationGap(.linkLost, from: from, to: to)
        return item(index, to, .data(step, .gap(gap)))
      }
      let fields = [
        DecodedValue.Field("count", .integer(Int128(window.count))),
        DecodedValue.Field(
          "rate", .real(Double(window.count) / (to - from).seconds, decimals: 2),
          unit: "per second"
        ),
      ]
      let value = StepValue(octets: [], decoded: .fields(fields))
      return item(index, to, .data(step.measured, .value(value)))
    }
  }

  private var allDevices: String { plan.devices.map(\.target.text).joined(separator: ", ") }

  private func item(_ index: Int, _ at: Instant, _ change: RunEvent.Change) -> Item {
    Item(device: plan.devices[series[index].device].target.text, at: at, change: change)
  }
}
