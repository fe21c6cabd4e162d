// What a scan reports of a device, for people and for programs.

import Bluetooth
import Documents
import Jobs

/// Devices as lines.
struct ScanReport: Sendable {
  let format: OutputOptions.Output
  let companies: any CompanyNames
  let names: AttributeNames

  /// One device.
  ///
  /// - Parameter offset: When it was seen, since the scan began; nil where that is not printed.
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

  /// The data in the form that `--manufacturer` and `--service-data` take, makers with their names.
  /// Data in a well-known format is decoded, in place of its bytes; where it is encrypted and has no
  /// key, they stay, with the reason.
  private func data(_ device: Advertisement) -> [String] {
    device.manufacturerData.map { data in
      let format = AdvertisedFormat(company: data.company, data.data)
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
