// `blerun watch`: values as they are notified.

import ArgumentParser
import Bluetooth
import Jobs
import Signals

/// Subscribes to characteristics of a device and prints what they notify.
struct WatchCommand: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print notifications as they come.",
    discussion: """
      Connects, subscribes to each characteristic, prints each value with its time, and disconnects
      after --count values, at the end of the time, or at Ctrl-C. Simulated devices run in real
      time.

        blerun watch -d "Thermo*" temperature-measurement --for 10s
        blerun watch -d HRM heart-rate-measurement battery-level --resume --output json
      """
  )

  @OptionGroup var target: TargetOptions
  @OptionGroup var options: WorldOptions
  @OptionGroup var printing: OutputOptions

  @Argument(help: ArgumentHelp("The characteristics.", valueName: "characteristic"))
  var attributes: [String]

  @Option(name: [.customLong("for")], help: "How long to watch: 5s, 1m.")
  var duration: DurationArgument?

  @Option(help: "How many values in all.")
  var count: Int?

  @Option(help: ArgumentHelp("How to decode the bytes: u8, i16be, utf8, hex …"))
  var format: FormatArgument?

  @Flag(help: "Take the values through a socket of this program's own (AcquireNotify).")
  var acquire = false

  @Flag(help: "When the connection drops, connect and subscribe again.")
  var resume = false

  func validate() throws {
    _ = try selectors()
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
  }

  private func selectors() throws -> [CharacteristicSelector] {
    try attributes.map { try CharacteristicSelector.argument($0) }
  }

  func run() throws {
    var options = options
    options.realTime = !options.simulate.isEmpty
    let simulated = try options.simulatedDevices()
    let plan = try target.plan(Step(.connect), simulated)
    let world = try options.world(simulated)
    defer { world.end() }
    try world.releaseOrphans()
    let report: any RunReport =
      printing.output == .json ? JSONLinesReport() : ValueReport(showsPlace: true)
    let output = StandardOutput(in: world) { [scheduler = world.scheduler] failure in
      scheduler.cancelAll(failure)
    }
    let printed = EventOutput(output, as: report, isForPeople: printing.output == .text)
    let device = plan.device ?? .any
    let following = FollowedRun(in: world, printsData: printing.output == .json)
    following.receive(
      RunWait(
        what: "connecting to \(device.text)",
        begun: world.loop.now,
        limit: target.timeout.duration
      )
    )
    let watching = try watching(device, plan, in: world, following, printed.receive)
    let outcome = watching.values().then { Signal.just(true) }
      .firstOrDefault(false, within: .seconds(3600 * 24 * 365))
    following.end()
    let unprinted = printed.finish()
    try world.interruption.check()
    if let unprinted { throw Ending(.output, "\(unprinted)") }
    if let error = outcome.error {
      let failure = RunFailure(error)
      throw Ending(ExitStatus(after: failure), "\(failure)")
    }
  }

  private func watching(
    _ device: DeviceTarget,
    _ plan: Plan,
    in world: World,
    _ following: FollowedRun,
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) throws -> Watching {
    Watching(
      service: world.service(
        for: device,
        adapter: options.adapterSelector,
        follow: following.receive
      ),
      selectors: try selectors(),
      format: format?.format,
      options: SubscriptionOptions(
        delivery: acquire ? .acquire : .signals,
        onLinkLoss: resume ? .resume : .fail,
        startLimit: target.timeout.duration
      ),
      limit: target.timeout.duration,
      duration: duration?.duration,
      count: count,
      identity: RunIdentity(seed: world.identitySeed, plan: plan),
      device: device.text,
      onEvent: { event in
        following.receive(event, at: world.loop.now)
        report(event)
      },
      onWait: following.receive
    )
  }
}
