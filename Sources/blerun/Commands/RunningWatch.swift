// A watch under way: what it prints, what its journal has, and how it ends.

import BlueZ
import Bluetooth
import Jobs
import Signals

/// Carries out a watch in a world.
struct RunningWatch {
  /// Longer than any watch: it ends by its options, or by a signal.
  private static let longest = Duration.seconds(3600 * 24 * 365 * 10)

  let plan: WatchPlan
  let output: WatchOptions.Output
  let adapter: AdapterSelector
  let world: World
  let journal: RunJournal?

  /// Watches until the end.
  ///
  /// - Returns: Why it ended early; nil when it ended as asked.
  func run(_ identity: RunIdentity) -> Ending? {
    let (world, scheduler) = (world, world.scheduler)
    let standard = StandardOutput(in: world) { failure in scheduler.cancelAll(failure) }
    let printed = EventOutput(standard, as: report, isForPeople: output == .text)
    if output == .csv { standard.line(WatchCSVReport.header) }
    let following = FollowedRun(in: world, printsData: output != .text)
    following.receive(RunWait(what: connecting, begun: world.loop.now, limit: plan.limit))
    let show: @Sendable (WatchOutput) -> Void = { [plan] output in
      if let event = output.printed {
        following.receive(event, at: world.loop.now)
        printed.receive(event)
      }
      if let change = output.link { Self.notice(change, output.device, plan) }
    }
    let watching = Watching(
      plan,
      on: services(following),
      in: scheduler,
      identity: identity,
      receive: recording(show),
      follow: following.receive
    )
    let outcome = watching.records().then { Signal.just(true) }
      .firstOrDefault(false, within: Self.longest)
    let failure = outcome.error.map { RunFailure($0) }
    watching.finish(failure)
    following.end()
    let unprinted = printed.finish()
    if let signal = world.interruption.signal { return Ending(.interrupted(by: signal.number)) }
    if let unprinted { return Ending(.output, "\(unprinted)") }
    return failure.map { Ending(ExitStatus(after: $0), "\($0)") }
  }

  private var report: any RunReport {
    switch output {
    case .text: ValueReport(showsPlace: true, showsDevice: plan.devices.count > 1)
    case .json: JSONLinesReport()
    case .csv: WatchCSVReport()
    }
  }

  private var connecting: String {
    let names = plan.devices.map(\.target.text)
    return "connecting to \(names.count > 1 ? "\(names.count) devices" : names[0])"
  }

  /// The devices. Where there are several, messages about one begin with its name.
  private func services(_ following: FollowedRun) -> [any DeviceService] {
    plan.devices.map { device in
      world.service(
        for: device.target,
        adapter: adapter,
        on: plan.devices.count > 1 ? world.scheduler : nil,
        follow: following.receive
      )
    }
  }

  /// What receives outputs: the journal, with a chain for each device, then `show`.
  private func recording(
    _ show: @escaping @Sendable (WatchOutput) -> Void
  ) -> @Sendable (WatchOutput) -> Void {
    guard let journal else { return show }
    let chains = plan.devices.map { _ in journal.chain() }
    return { output in
      if let event = output.recorded, let device = output.device {
        chains[device](event) { show(output) }
      } else {
        journal.report { show(output) }
      }
    }
  }

  private static func notice(_ change: WatchedLink.Change, _ device: Int?, _ plan: WatchPlan) {
    let name = device.map { plan.devices[$0].target.text } ?? ""
    switch change {
    case .connected: break
    case .lost(let failure):
      let next = plan.reconnects ? "; connecting again" : ""
      StandardError.notice("\(name): not connected any more (\(failure.why))\(next)")
    case .reconnected(let time):
      StandardError.notice("\(name): connected again after \(TextReport.milliseconds(time)) s")
    }
  }
}
