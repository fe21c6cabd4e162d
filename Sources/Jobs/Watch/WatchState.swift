// All that is known of a watch under way.
//
// A pure state machine: what happens goes in with its time, what is recorded and printed comes out.

import Bluetooth
import Signals

/// The connections, the records and the view of a watch.
struct WatchState: Sendable {
  private let plan: WatchPlan
  private let series: [WatchPlan.Series]
  private let identity: RunIdentity
  /// The wall-clock time at the start of the loop.
  private let wallClockAtStart: Duration
  /// When the watch began; nil before.
  private var begun: Instant?
  private(set) var links: [WatchedLink]
  private var records: [WatchRecords]
  private var view: WatchView
  /// Whether everything was active at least once.
  private(set) var hasStarted = false

  init(_ plan: WatchPlan, _ identity: RunIdentity, wallClockAtStart: Duration) {
    self.plan = plan
    self.identity = identity
    self.wallClockAtStart = wallClockAtStart
    let series = plan.series
    self.series = series
    let own = plan.devices.indices.map { device in series.filter { $0.device == device } }
    links = own.map { WatchedLink(series: $0.map(\.index)) }
    records = own.map { WatchRecords($0) }
    view = WatchView(plan)
  }

  /// The watch begins: each device has a chain.
  mutating func begin(at now: Instant) -> [WatchOutput] {
    begun = now
    return plan.devices.indices.map { index in
      let start = RunStart(
        chain: nil,
        steps: plan.devices[index].characteristics.count,
        seed: identity.seed
      )
      return recorded(index, now, .runStarted(start))
    }
  }

  mutating func take(_ change: WatchChange, at now: Instant) -> [WatchOutput] {
    switch change {
    case .connecting(let device):
      return [recorded(device, now, records[device].connecting(at: now))]
    case .connected(let device, let origin):
      return [recorded(device, now, records[device].connected(origin, at: now))]
    case .active(let index): return active(index, at: now)
    case .value(let index, let sample):
      let device = series[index].device
      let change = records[device].value(index, sample.value)
      return [with(view.value(index, sample), recorded(device, sample.arrival, change))]
    case .gap(let index, let gap):
      let device = series[index].device
      let change = records[device].gap(index, gap)
      return [with(view.gap(index, gap), recorded(device, gap.to, change))]
    case .lost(let device, let failure):
      view.set(device: device, isConnected: false)
      var output = recorded(device, now, records[device].lost(failure, at: now))
      output.link = links[device].lost(failure, at: now)
      return [output]
    case .windowEnded(let number):
      return view.windowEnded(number).map { with($0, WatchOutput()) }
    }
  }

  private mutating func active(_ index: Int, at now: Instant) -> [WatchOutput] {
    let device = series[index].device
    let lostAt = links[device].lostAt
    var output = recorded(device, now, records[device].active(index, at: now))
    output.link = links[device].active(index, at: now)
    if output.link != nil { view.set(device: device, isConnected: true) }
    if !hasStarted, links.allSatisfy(\.hasBegun) {
      hasStarted = true
      view.begin(at: now)
      for device in links.indices where !links[device].isActive {
        view.set(device: device, isConnected: false)
      }
    }
    guard let lostAt else { return [output] }
    let gap = NotificationGap(.linkLost, from: lostAt, to: now)
    return [output] + take(.gap(series: index, gap), at: now)
  }

  /// The watch is over. A device that is not connected now has missed values until the end.
  ///
  /// - Parameter cause: Why it ended; nil when it ended as asked.
  mutating func finish(_ cause: RunFailure?, at now: Instant) -> [WatchOutput] {
    guard begun != nil else { return [] }
    var outputs: [WatchOutput] = []
    for series in series {
      guard let lostAt = links[series.device].lostAt else { continue }
      let gap = NotificationGap(.linkLost, from: lostAt, to: now)
      outputs += take(.gap(series: series.index, gap), at: now)
    }
    for device in records.indices {
      for change in records[device].finish(cause, at: now) {
        outputs.append(recorded(device, now, change))
      }
    }
    return outputs
  }

  mutating func nextPause(_ device: Int) -> Duration { links[device].nextPause() }

  // MARK: Events

  private func recorded(
    _ device: Int,
    _ at: Instant,
    _ change: RunEvent.Change?
  ) -> WatchOutput {
    let name = plan.devices[device].target.text
    return WatchOutput(device: device, recorded: change.map { event(name, at, $0) })
  }

  private func with(_ item: WatchView.Item?, _ output: WatchOutput) -> WatchOutput {
    var output = output
    output.printed = item.map { event($0.device, $0.at, $0.change) }
    return output
  }

  private func event(_ device: String, _ at: Instant, _ change: RunEvent.Change) -> RunEvent {
    RunEvent(
      run: identity,
      device: device,
      attempt: 1,
      offset: begun.map { at - $0 } ?? .zero,
      wallClock: wallClockAtStart + at.sinceStart,
      change: change
    )
  }
}
