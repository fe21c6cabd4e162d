// `blerun scan`: lists the devices in range.

import ArgumentParser
import Bluetooth
import Documents
import HostController
import Jobs
import Signals
import SimulatedDevices

struct Scan: WorldCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "List the devices in range.",
    discussion: """
      Each device is shown once, as it was last seen, in the order first seen; with --follow as \
      soon as it is seen, and again after each change. Devices that are connected are \
      listed too. An empty scan succeeds. Ctrl-C ends the scan. It pauses, for ten seconds at most, \
      while another blerun of this user connects over the same adapter.

        blerun scan --for 10s
        blerun scan --name "Thermo*" --rssi -70 --output json
        blerun scan --manufacturer 0x004c:0215 --follow
      """
  )

  @OptionGroup var filter: FilterOptions

  @Option(name: [.customLong("for")], time: "How long to scan: 5s, 500ms, 1m. (default: 5s)")
  var duration = Duration.seconds(5)

  @Flag(help: "Print a line for each device as it is seen, and for each change.")
  var follow = false

  @OptionGroup var printing: OutputOptions
  @OptionGroup var options: WorldOptions

  func run() throws {
    let (names, bindKeys) = (try filter.naming.names(), try filter.naming.bindKeys())
    let filter = try filter.filter(names)
    let simulated = try options.simulatedDevices()
    let world = try options.world(simulated, "ending the scan", bindKeys)
    defer { world.end() }
    let service = world.service(for: filter.target ?? .any)
    let output = StandardOutput(in: world)
    let listing = ScanReport(
      format: printing.output, companies: LibraryNames(),
      names: names.over(simulated.attributeNames)
    )
    let found = Guarded<[Advertisement]>([])
    let begun = world.loop.now
    let following = FollowedRun(in: world, printsData: printing.output == .json && follow)
    following.receive(RunWait(what: "scanning", begun: begun, limit: duration))
    let over = Signal.just(()).delay(duration)
    let listening = service.startScan(filter).flattenMap { $0.takeUntil(over) }.map { seen in
      let seen = seen.described(by: names)
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
  /// Replaces an earlier advertisement of the same device.
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

/// The report of a scan: a line for each device.
struct ScanReport: Sendable {
  let format: OutputOptions.Output
  let companies: any CompanyNames
  let names: AttributeNames

  /// Returns the line of a device.
  ///
  /// - Parameter offset: The time since the scan began; nil if it is not printed.
  func line(for device: Advertisement, at offset: Duration?) -> String {
    guard format == .json else { return text(device, offset) }
    let time = JSONValue.members([
      "offset": offset.map { .number(TextReport.milliseconds($0)) }
    ])
    return EventLine("device", time + JSONValue.members(of: device, companies)).text
  }

  private func text(_ device: Advertisement, _ offset: Duration?) -> String {
    let rssi = device.rssi.map { "\($0) dBm" } ?? (device.isConnected ? "connected" : "-")
    let services = device.services.map { names.name(of: $0, .service) ?? $0.text }
    let parts: [String?] = [
      offset.map { "\(TextReport.milliseconds($0)) s" }, "\(device.address)", rssi,
      device.name.map(\.printable) ?? "(no name)",
      (services + data(device)).joined(separator: ", "),
    ]
    return parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  /// Returns the data in the form of `--manufacturer` and `--service-data`, with the names of manufacturers.
  /// Data in a known format is decoded instead. Encrypted data without a key stays as bytes, with the reason.
  private func data(_ device: Advertisement) -> [String] {
    device.manufacturerData.map { data in
      let format = device.reading(ofCompany: data.company)
      let octets = format == nil ? data.data : []
      let pattern = "\(ManufacturerPattern(company: data.company, prefix: octets))"
      let company = companies.name(of: data.company).map { " (\($0.printable))" } ?? ""
      return pattern + company + Self.text(format)
    }
      + device.serviceData.map { data in
        let service = ServiceSelector(data.service, names: names)
        func pattern(_ octets: [UInt8]) -> String {
          "\(ServiceDataPattern(service: service, prefix: octets))"
        }
        switch device.reading(of: data.service) {
        case .decoded(let format)?: return pattern([]) + Self.text(format)
        case .encrypted(let kind, let reason)?:
          return pattern(data.data) + " [\(kind.rawValue): \(reason)]"
        case nil: return pattern(data.data)
        }
      }
  }

  private static func text(_ format: AdvertisedFormat?) -> String {
    format.map { " [\($0)]".printable } ?? ""
  }
}
