// A watch under way: what it prints, what its journal has, and how it ends.

import BlueZ
import Bluetooth
import Jobs
import Signals

/// Carries out a watch in a world.
struct RunningWatch {
  /// How a plot is drawn.
  struct PlotStyle: Sendable {
    /// How much of the time is shown; nil for all.
    let span: Duration?
  }

  /// Longer than any watch: it ends by its options, by a key, or by a signal.
  private static let longest = Duration.seconds(3600 * 24 * 365 * 10)

  let plan: WatchPlan
  let output: WatchOptions.Output
  /// The plot, if there is to be one.
  let plot: PlotStyle?
  let adapter: AdapterSelector
  let world: World
  let journal: WatchJournal?

  /// Watches until the end.
  ///
  /// - Returns: Why it ended early; nil when it ended as asked.
  func run(_ identity: RunIdentity) -> Ending? {
    let (world, scheduler) = (world, world.scheduler)
    let standard = StandardOutput(in: world) { failure in scheduler.cancelAll(failure) }
    let printed = EventOutput(standard, as: report, isForPeople: output == .text)
    let stop = Subject<Void>(replaying: 1)
    let noted = Guarded<Watching?>(nil)
    let screen = makeScreen(
      end: { stop.send(()) },
      note: { text, begun in noted.withLock { $0 }?.note(text, at: begun) }
    )
    let prints = !screen.replacesLines
    if output == .csv, prints { standard.line(WatchCSVReport.header) }
    screen.receive(RunWait(what: connecting, begun: world.loop.now, limit: plan.limit))
    let show: @Sendable (WatchOutput) -> Void = { [plan] output in
      if let event = output.printed {
        screen.receive(event, at: world.loop.now)
        if prints { printed.receive(event) }
      }
      if let change = output.link, let device = output.device {
        let name = plan.devices[device].target.text
        screen.receive(change, of: name, reconnects: plan.reconnects)
      }
    }
    let watching = Watching(
      plan,
      on: services(screen),
      in: scheduler,
      identity: identity,
      receive: world.explainingWatch { [journal] output in
        if let journal { journal.receive(output) { show(output) } } else { show(output) }
      },
      follow: { [plan] wait in
        screen.receive(wait)
        if wait.what == plan.doing, !screen.isShown {
          StandardError.notice("\(wait.what); Ctrl-C ends it")
        }
      },
      until: stop.signal
    )
    noted.withLock { $0 = watching }
    defer { noted.withLock { $0 = nil } }
    let outcome = watching.records().then { Signal.just(true) }
      .firstOrDefault(false, within: Self.longest)
    let failure = outcome.error.map { RunFailure($0) }
    watching.finish(failure)
    screen.end()
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

  /// The plot where one is asked for and has a terminal, else the status line.
  private func makeScreen(
    end: @escaping @Sendable () -> Void,
    note: @escaping @Sendable (_ text: String, _ begun: Instant) -> Void
  ) -> any RunScreen {
    let live = plot.flatMap {
      LivePlot(in: world, of: plan, span: $0.span, end: end, note: note)
    }
    return live ?? FollowedRun(in: world, printsData: output != .text)
  }

  private var connecting: String {
    let names = plan.devices.map(\.target.text)
    return "connecting to \(names.count > 1 ? "\(names.count) devices" : names[0])"
  }

  /// The devices. Where there are several, messages about one begin with its name.
  private func services(_ screen: any RunScreen) -> [any Device] {
    plan.devices.map { device in
      world.service(
        for: device.target,
        adapter: adapter,
        on: plan.devices.count > 1 ? world.scheduler : nil,
        follow: screen.receive
      )
    }
  }
}
