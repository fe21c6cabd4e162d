// The state of a running watch.
//
// A pure state machine: it is given changes with their times, and returns events to record and
// print.

import Bluetooth
import RunEvents
import Signals

/// The connections, the records and the view of a watch.
struct WatchState: Sendable {
  private let plan: WatchPlan
  private let series: [WatchPlan.Series]
  private var identity: RunIdentity
  /// The wall-clock time at the start of the loop.
  private let wallClockAtStart: Duration
  /// The start of the watch; nil before.
  private var begun: Instant?
  /// The start, the number and the day of the journal's current run.
  private var run: (begun: Instant, ordinal: Int, day: Int64) = (.start, 1, 0)
  /// For each device, the start of a gap not yet recorded in the current run; nil while connected.
  private var unrecordedSince: [Instant?]
  private(set) var links: [WatchedLink]
  private var records: [WatchRecords]
  private var view: WatchView
  /// Whether all series have been active.
  private(set) var hasStarted = false
  /// The number of records still to print; nil for no limit.
  private var recordsLeft: Int?
  /// Whether all records of the plan are printed.
  var hasAll: Bool { recordsLeft == 0 }

  init(_ plan: WatchPlan, _ identity: RunIdentity, wallClockAtStart: Duration) {
    self.plan = plan
    recordsLeft = plan.count
    self.identity = identity
    self.wallClockAtStart = wallClockAtStart
    let series = plan.series
    self.series = series
    let own = plan.devices.indices.map { device in series.filter { $0.device == device } }
    links = own.map { WatchedLink(series: $0.map(\.index)) }
    records = own.map { WatchRecords($0) }
    view = WatchView(plan)
    unrecordedSince = own.map { _ in nil }
  }

  /// Begins the watch, with a chain for each device.
  mutating func begin(at now: Instant) -> [WatchOutput] {
    begun = now
    run = (now, 1, day(at: now))
    return plan.devices.indices.map { recorded($0, now, start(of: $0)) }
  }

  private func start(of device: Int) -> RunEvent.Change {
    let steps = plan.devices[device].names.count
    return .run(.started(RunStart(chain: nil, steps: steps, seed: identity.seed)))
  }

  private func day(at now: Instant) -> Int64 {
    (wallClockAtStart + now.sinceStart).components.seconds / 86_400
  }

  /// Ends the chains and continues them in another run, at the first call of a new day. Printed
  /// output continues.
  mutating func continueOnNewDay(at now: Instant) -> [WatchOutput] {
    let today = day(at: now)
    guard begun != nil, today > run.day else { return [] }
    var outputs = ends(nil, at: now)
    let ordinal = run.ordinal + 1
    run = (now, ordinal, today)
    identity = RunIdentity(seed: identity.seed, text: plan.definition, round: ordinal)
    for device in plan.devices.indices {
      var output = recorded(device, now, start(of: device))
      if device == 0 { output.nextRun = identity }
      outputs.append(output)
      for change in records[device].again(at: now) { outputs.append(recorded(device, now, change)) }
      if links[device].lostAt != nil { unrecordedSince[device] = now }
    }
    return outputs
  }

  /// Ends all chains of the run, with the gaps of devices that are not connected.
  private mutating func ends(_ cause: RunFailure?, at now: Instant) -> [WatchOutput] {
    var outputs: [WatchOutput] = []
    for series in series {
      guard let since = unrecordedSince[series.device] else { continue }
      let gap = NotificationGap(.linkLost, from: since, to: now)
      let change = records[series.device].gap(series.index, gap)
      outputs.append(recorded(series.device, now, change))
    }
    for device in records.indices {
      for change in records[device].finish(cause, at: now) {
        outputs.append(recorded(device, now, change))
      }
    }
    return outputs
  }

  /// Applies a change; returns nothing after the last record of the plan.
  mutating func happened(_ change: WatchChange, at now: Instant) -> [WatchOutput] {
    guard !hasAll else { return [] }
    let outputs = continueOnNewDay(at: now) + apply(change, at: now)
    guard let left = recordsLeft else { return outputs }
    let records = outputs.indices.filter { outputs[$0].isRecord }
    recordsLeft = max(0, left - records.count)
    return records.count < left ? outputs : Array(outputs[...records[left - 1]])
  }

  private mutating func apply(_ change: WatchChange, at now: Instant) -> [WatchOutput] {
    switch change {
    case .connecting(let device):
      return [recorded(device, now, records[device].connecting(at: now))]
    case .connected(let device, let origin):
      return [recorded(device, now, records[device].connected(origin, at: now))]
    case .active(let index): return active(index, at: now)
    case .value(let index, let sample):
      let device = series[index].device
      links[device].received()
      let change = records[device].value(index, sample.value)
      return [with(view.value(index, sample), recorded(device, sample.arrival, change))]
    case .gap(let index, let gap):
      let device = series[index].device
      let change = records[device].gap(index, gap)
      return [with(view.gap(index, gap), recorded(device, gap.to, change))]
    case .lost(let device, let failure):
      view.lost(device: device)
      var output = recorded(device, now, records[device].lost(failure, at: now))
      output.link = links[device].lost(failure, at: now)
      switch output.link {
      case .lost?: unrecordedSince[device] = now
      // The failure that ends the watch is reported with its end, not here.
      case .failed? where !connectsAgain(device, after: failure): output.link = nil
      case .connected?, .failed?, .reconnected?, nil: break
      }
      return [output]
    case .windowEnded(let number):
      return view.windowEnded(number, links.map(\.isActive)).map { with($0, WatchOutput()) }
    }
  }

  private mutating func active(_ index: Int, at now: Instant) -> [WatchOutput] {
    let device = series[index].device
    let lostAt = links[device].lostAt
    var output = recorded(device, now, records[device].active(index, at: now))
    output.link = links[device].active(index, at: now)
    if !hasStarted, links.allSatisfy(\.hasBegun) {
      hasStarted = true
      view.begin(at: now)
      for device in links.indices where !links[device].isActive { view.lost(device: device) }
    }
    guard let lostAt else { return [output] }
    return [output, missed(index, printedFrom: lostAt, at: now)]
  }

  /// Records the gap in a series since its connection dropped. The journal's run may have begun in
  /// between, so its gap may be shorter than the printed one.
  private mutating func missed(
    _ index: Int, printedFrom from: Instant, at now: Instant
  ) -> WatchOutput {
    let device = series[index].device
    let since = unrecordedSince[device] ?? from
    let change = records[device].gap(index, NotificationGap(.linkLost, from: since, to: now))
    let printed = NotificationGap(.linkLost, from: from, to: now)
    if links[device].isActive { unrecordedSince[device] = nil }
    return with(view.gap(index, printed), recorded(device, now, change))
  }

  /// Ends the watch. A device that is not connected gets a gap until now.
  ///
  /// - Parameter cause: The failure that ended the watch; nil if it ended as planned.
  mutating func finish(_ cause: RunFailure?, at now: Instant) -> [WatchOutput] {
    guard begun != nil else { return [] }
    var outputs: [WatchOutput] = []
    for series in series {
      guard let lostAt = links[series.device].lostAt else { continue }
      let gap = NotificationGap(.linkLost, from: lostAt, to: now)
      outputs.append(with(view.gap(series.index, gap), WatchOutput()))
    }
    return outputs + ends(cause, at: now)
  }

  /// Adds a note of the user to the chain of each device, at the time its typing began.
  func note(_ text: String, at time: Instant) -> [WatchOutput] {
    guard let begun else { return [] }
    let change = RunEvent.Change.remark(.note(text))
    return plan.devices.indices.map { device in
      var output = recorded(device, time, change)
      // Printed only once.
      guard device == 0 else { return output }
      output.printed = event(plan.devices[device].target.text, time, since: begun, change)
      return output
    }
  }

  /// The pause before the device is reconnected; nil if it is not.
  mutating func pause(beforeConnecting device: Int, after failure: RunFailure) -> Duration? {
    connectsAgain(device, after: failure) ? links[device].nextPause() : nil
  }

  private func connectsAgain(_ device: Int, after failure: RunFailure) -> Bool {
    plan.reconnects && links[device].canConnect(after: failure)
  }

  // MARK: Events

  private func recorded(_ device: Int, _ at: Instant, _ change: RunEvent.Change?) -> WatchOutput {
    let name = plan.devices[device].target.text
    return WatchOutput(
      device: device,
      recorded: change.map { event(name, max(at, run.begun), since: run.begun, $0) }
    )
  }

  private func with(_ item: WatchView.Item?, _ output: WatchOutput) -> WatchOutput {
    var output = output
    output.printed = item.map { event($0.device, $0.at, since: begun ?? $0.at, $0.change) }
    return output
  }

  private func event(
    _ device: String, _ at: Instant, since start: Instant, _ change: RunEvent.Change
  ) -> RunEvent {
    RunEvent(
      run: identity, device: device, attempt: 1, offset: at - start,
      wallClock: wallClockAtStart + at.sinceStart, change: change
    )
  }
}
