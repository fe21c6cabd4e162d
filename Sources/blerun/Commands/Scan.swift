// `blerun scan`: who is in the air.

import ArgumentParser
import Bluetooth
import Signals

/// Lists the devices that advertise within a while.
struct Scan: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the devices in reach.",
    discussion: "Each device is shown once, as it was last heard. Ctrl-C ends the scan early."
  )

  @OptionGroup var common: CommonOptions

  @Option(name: [.customLong("for")], help: "How long to scan: 5s, 500ms, 1m.")
  var duration = DurationArgument(argument: "5s")

  @Option(name: [.short, .long], help: "Only this device: a name (with * and ?) or an address.")
  var device: String?

  func run() throws {
    let world = try common.world()
    let target = try device.map { try parsedTarget($0) }
    let service = world.service(for: target ?? .any, adapter: common.adapterSelector)
    let interruption = Interruption(of: world.scheduler)
    let limit = duration?.duration ?? .seconds(5)
    let heard = Guarded<[Advertisement]>([])
    let listening = service.scan(ScanFilter(target: target)).map { advertisement in
      heard.withLock { heard in
        if let index = heard.firstIndex(where: { $0.address == advertisement.address }) {
          heard[index] = advertisement
        } else {
          heard.append(advertisement)
        }
      }
    }
    let ended = listening.takeUntil(Signal.just(()).delay(limit)).then { Signal.just(true) }
      .firstOrDefault(false, within: limit + .seconds(30))
    let output = StandardOutput()
    for advertisement in heard.withLock({ $0 }) { output.line(line(for: advertisement)) }
    interruption.close()
    if let signal = interruption.signal { throw ExitCode(128 + signal.number) }
    if let error = ended.error {
      StandardError.line("blerun: \(error)")
      throw ExitCode(exitStatus(of: error))
    }
    if let failure = output.hasFailed {
      StandardError.line("blerun: \(failure)")
      throw ExitCode(74)
    }
  }

  private func line(for advertisement: Advertisement) -> String {
    let name = advertisement.name ?? "(no name)"
    let services = advertisement.services.map { AssignedNumbers.serviceName($0) ?? $0.text }
    guard common.output == .json else {
      let rssi = advertisement.rssi.map { "\($0) dBm" } ?? "-"
      return "\(advertisement.address)  \(rssi)  \(name)  \(services.joined(separator: ", "))"
    }
    let quotedServices = advertisement.services.map { jsonString($0.text) }
    return "{\"v\":1,\"event\":\"device\",\"address\":\(jsonString("\(advertisement.address)")),"
      + "\"name\":\(advertisement.name.map(jsonString) ?? "null"),"
      + "\"rssi\":\(advertisement.rssi.map { "\($0)" } ?? "null"),"
      + "\"services\":[\(quotedServices.joined(separator: ","))]}"
  }
}

/// The class of a failure decides the status: see the table in the README.
func exitStatus(of error: any Error) -> Int32 {
  guard let failure = error as? DeviceFailure else {
    return error is TimedOut ? 75 : 1
  }
  return switch failure.class {
  case .passing: 75
  case .unavailable: 69
  case .definite: 1
  }
}
