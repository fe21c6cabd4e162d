// `blerun scan`: the devices in range.

import ArgumentParser
import BlueZ
import Bluetooth
import HostController
import Jobs
import Signals

/// Lists the devices that advertise within a while.
struct Scan: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "List the devices in range.",
    discussion: """
      Each device is shown once, as it was last seen, in the order first seen; with --follow as \
      soon as it is seen, and again when something of it changes. Devices that are connected are \
      listed too. An empty scan succeeds. Ctrl-C ends the scan. It pauses, for ten seconds at most, \
      while another blerun of this user connects over the same adapter.

        blerun scan --for 10s
        blerun scan --name "Thermo*" --rssi -70 --output json
        blerun scan --manufacturer 0x004c:0215 --follow
      """
  )

  @OptionGroup var filter: FilterOptions

  @Option(
    name: [.customLong("for")],
    help: "How long to scan: 5s, 500ms, 1m. (default: 5s)",
    transform: Duration.positiveArgument
  )
  var duration = Duration.seconds(5)

  @Flag(help: "Print a line for each device as it is seen, and for each change.")
  var follow = false

  @OptionGroup var printing: OutputOptions
  @OptionGroup var options: WorldOptions

  func run() throws {
    let (names, bindKeys) = (try filter.naming.names(), try filter.naming.bindKeys())
    let filter = try filter.filter(names)
    let world = try options.world(try options.simulatedDevices(), "ending the scan", bindKeys)
    defer { world.end() }
    let service = world.service(for: filter.target ?? .any)
    let output = StandardOutput(in: world)
    let listing = ScanReport(format: printing.output, companies: LibraryNames(), names: names)
    let found = Guarded<[Advertisement]>([])
    let begun = world.loop.now
    let following = FollowedRun(in: world, printsData: printing.output == .json && follow)
    following.receive(RunWait(what: "scanning", begun: begun, limit: duration))
    let over = Signal.just(()).delay(duration)
    let listening = service.startScan(filter).flattenMap { $0.takeUntil(over) }.map { seen in
      if follow {
        output.line(listing.line(for: seen, at: world.loop.now - begun))
      } else {
        found.merge(seen)
      }
    }
    let outcome = listening.then { Signal.just(true) }
      .firstOrDefault(false, within: duration + .seconds(30))
    following.end()
    for seen in found.withLock({ $0 }) { output.line(listing.line(for: seen, at: nil)) }
    try output.end(in: world, after: outcome.error)
  }
}

extension Guarded<[Advertisement]> {
  /// Replaces what was seen of the same device before.
  fileprivate func merge(_ advertisement: Advertisement) {
    withLock { found in
      if let index = found.firstIndex(where: { $0.address == advertisement.address }) {
        found[index] = advertisement
      } else {
        found.append(advertisement)
      }
    }
  }
}
