// `blerun watch`: prints values as they arrive.

import ArgumentParser
import Bluetooth
import Jobs
import Signals
import SimulatedDevices

struct WatchCommand: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print values as they arrive.",
    usage: "blerun watch [<options>] <characteristic> ...",
    discussion: """
      Connects, subscribes to each characteristic, and prints each value with its time, until \
      Ctrl-C, or the end of the time or of the count. It always disconnects at the end. A device \
      that cannot be connected, or whose connection drops, is tried again; a gap marks missing \
      values. Simulated devices run in real time.

        blerun watch "T*" temperature-measurement --for 10s
        blerun watch HRM-1 heart-rate-measurement --field bpm \\
          --output csv
        blerun watch -d HRM-1 heart-rate-measurement \\
          -d Thermo-1 temperature-measurement
        blerun watch HRM-1 heart-rate-measurement \\
          --rate --window 5s
        blerun watch HRM-1 battery-level --poll 1m
        blerun watch HRM-1 rssi heart-rate-measurement
        blerun watch HRM-1 heart-rate-measurement \\
          --field bpm --plot
      """ + RareOptions.hint("watch")
  )

  @OptionGroup var watch: WatchOptions
  @OptionGroup var options: WorldOptions
  @OptionGroup var journal: JournalOptions

  func run() throws {
    let names = try watch.watched.naming.names()
    let simulated = try options.simulatedDevices()
    var plan = try watch.plan(names) {
      try Plan(steps: [Step(.connect)]).target(among: simulated)
    }
    plan.names = names.over(simulated.attributeNames)
    var session = SessionOptions(world: options.inRealTime, journal: journal)
    session.work = "the watch"
    throw try session.watch(plan, watch, among: simulated)
  }
}
