// `blerun scan`: who is in the air.

import ArgumentParser
import BlueZ
import Bluetooth
import HostController
import Jobs
import Signals

/// Lists the devices that advertise within a while.
struct Scan: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the devices in reach.",
    discussion: """
      Each device is shown once, as it was last heard, in the order first heard. No device is no \
      failure. Ctrl-C ends the scan.

        blerun scan --for 10s
        blerun scan -d "Thermo*" --output json
      """
  )

  @OptionGroup var options: WorldOptions

  @Option(name: [.customLong("for")], help: "How long to scan: 5s, 500ms, 1m.")
  var duration = DurationArgument(.seconds(5))

  @Option(name: [.short, .long], help: "Only this device: an address, or a name with * and ?.")
  var device: String?

  func run() throws {
    let world = try options.world()
    defer { world.end() }
    let target = device.map { DeviceTarget(parsing: $0) }
    let service = world.service(for: target ?? .any, adapter: options.adapterSelector)
    let interruption = Interruption(of: world.scheduler)
    defer { interruption.close() }
    let found = Guarded<[Advertisement]>([])
    let listening = service.scan(ScanFilter(target: target)).map { found.merge($0) }
    let limit = duration.duration
    let outcome = listening.takeUntil(Signal.just(()).delay(limit)).then { Signal.just(true) }
      .firstOrDefault(false, within: limit + .seconds(30))
    let output = StandardOutput()
    let report = ScanReport(format: options.output, companies: LibraryNames())
    for advertisement in found.withLock({ $0 }) { output.line(report.line(for: advertisement)) }
    if let signal = interruption.signal { throw Ending(.interrupted(by: signal.number)) }
    if let error = outcome.error {
      let failure = RunFailure(error)
      throw Ending(ExitStatus(after: failure), "\(failure)")
    }
    if let failure = output.failure { throw Ending(.output, "\(failure)") }
  }
}

extension Guarded<[Advertisement]> {
  /// Puts what was heard in the place of what was heard of the same device before.
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
