// A session that watches: its output, its journal, and its end.

import BlueZ
import Bluetooth
import Jobs
import Signals
import SimulatedDevices

extension SessionOptions {
  /// Runs a watch in its own world, to its end.
  func watch(
    _ plan: WatchPlan, _ watch: WatchOptions, among simulated: ScenarioDefinition
  ) throws(CommandExit) -> CommandExit {
    let session = try Session(self, "watch", plan.definition, among: simulated) {
      RunIdentity(seed: $0, text: plan.definition)
    }
    do throws(CommandExit) {
      try session.watch(plan, watch)
      return CommandExit(session.end(.ok))
    } catch {
      return CommandExit(session.end(error.status), error.problems)
    }
  }
}

extension Session {
  fileprivate func watch(_ plan: WatchPlan, _ watch: WatchOptions) throws(CommandExit) {
    let (world, journal) = (world, journal)
    let standard = StandardOutput(in: world)
    let isForPeople = watch.output == .text
    let printed = EventOutput(standard, as: watch.report(on: plan), isForPeople: isForPeople)
    let stop = Subject<Void>(replaying: 1)
    let noted = Guarded<Watching?>(nil)
    let plot =
      !watch.plot
      ? nil
      : LivePlot(in: world, of: plan, span: watch.span) {
        stop.send(())
      } note: { text, begun in
        noted.withLock { $0 }?.note(text, at: begun)
      }
    let screen: any RunScreen = plot ?? FollowedRun(in: world, printsData: !isForPeople)
    let prints = !screen.replacesLines
    if watch.output == .csv, prints { standard.line(WatchCSVReport.header) }
    let names = plan.devices.map(\.target.text)
    let whom = names.count > 1 ? "\(names.count) devices" : names[0]
    screen.receive(RunWait(what: "connecting to \(whom)", begun: world.loop.now, limit: plan.limit))
    let show: @Sendable (WatchOutput) -> Void = { output in
      if let event = output.printed {
        screen.receive(event, at: world.loop.now)
        if prints { printed.receive(event) }
      }
      if let change = output.link, let device = output.device {
        screen.receive(change, of: names[device], reconnects: plan.reconnects)
      }
    }
    let watching = Watching(
      plan,
      on: plan.devices.map {
        // With several devices, messages about one of them begin with its name.
        let lane = names.count > 1 ? world.scheduler : nil
        return world.service(
          for: $0.target, options: watch.choosing.connecting, on: lane, follow: screen.receive
        )
      },
      in: world.scheduler,
      identity: identity,
      receive: world.explainingWatch { output in
        if let journal { journal.receive(output, of: plan) { show(output) } } else { show(output) }
      },
      follow: { wait in
        screen.receive(wait)
        if wait.what == plan.participle, !screen.isShown {
          StandardError.notice("\(wait.what); Ctrl-C ends it")
        }
      },
      until: stop.signal
    )
    noted.withLock { $0 = watching }
    defer { noted.withLock { $0 = nil } }
    let outcome = watching.records().then { Signal.just(true) }
      .firstOrDefault(false, within: Self.longest)
    watching.finish(outcome.error.map { RunFailure($0) })
    screen.end()
    try printed.end(in: world, after: outcome.error)
  }
}

extension WatchOptions {
  fileprivate func report(on plan: WatchPlan) -> any RunReport {
    switch output {
    case .text: ValueReport(showsPlace: true, showsDevice: plan.devices.count > 1)
    case .json: JSONLinesReport()
    case .csv: WatchCSVReport()
    }
  }
}
