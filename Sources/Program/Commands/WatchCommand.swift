// `blerun watch`: values as they arrive.

import ArgumentParser
import Bluetooth
import Documents
import Jobs
import Journal
import Signals
import SimulatedDevices

/// Watches characteristics of devices and prints their values.
struct WatchCommand: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print values as they arrive.",
    discussion: """
      Connects, subscribes to each characteristic, and prints each value with its time, until \
      Ctrl-C, the end of the time or of the count. It disconnects at every ending. A device that \
      cannot be connected, or whose connection drops, is tried again; a gap marks missing values. Simulated devices run in \
      real time.

        blerun watch "T*" temperature-measurement --for 10s
        blerun watch HRM-1 heart-rate-measurement --field bpm \\
          --output csv
        blerun watch -d HRM-1 heart-rate-measurement \\
          -d Thermo-1 temperature-measurement
        blerun watch HRM-1 heart-rate-measurement \\
          --rate --window 5s
        blerun watch HRM-1 battery-level --poll 1m
        blerun watch HRM-1 heart-rate-measurement \\
          --field bpm --plot
      """ + RareOptions.hint("watch")
  )

  @OptionGroup var watch: WatchOptions
  @OptionGroup var options: WorldOptions
  @OptionGroup var journal: JournalOptions

  func run() throws {
    var options = options
    options.realTime = options.isSimulated
    let names = try watch.naming.names()
    let simulated = try options.simulatedDevices()
    let plan = try watch.plan(names) {
      try Plan(steps: [Step(.connect)]).target(among: simulated)
    }
    let file = try RunJournal.open(journal, isSimulated: options.isSimulated)
    let world = try options.world(simulated, "ending the watch and disconnecting")
    defer { world.end() }
    let identity = RunIdentity(seed: world.identitySeed, text: plan.definition)
    let runs = try file.map { file throws(Ending) in
      try WatchJournal(file, journal, of: plan, identity, in: world)
    }
    let ending: Ending?
    do throws(Ending) {
      try world.releaseOrphans()
      ending = RunningWatch(
        plan: plan,
        output: watch.output,
        plot: watch.plot ? RunningWatch.PlotStyle(span: watch.span) : nil,
        adapter: options.adapterSelector,
        world: world,
        journal: runs
      ).run(identity)
    } catch {
      ending = error
    }
    let status = runs?.end(ending?.status ?? .ok) ?? ending?.status ?? .ok
    if status != .ok { throw Ending(status, ending?.problems ?? []) }
  }
}
