// What a scan says of a device, for people and for programs.

import Bluetooth
import Jobs

/// One line for each device.
struct ScanReport {
  let format: WorldOptions.Output
  let companies: any CompanyNames

  func line(for device: Advertisement) -> String {
    guard format == .json else {
      let rssi = device.rssi.map { "\($0) dBm" } ?? "-"
      let services = device.services.map { AssignedNumbers.serviceIdentifier($0) ?? $0.text }
      let makers = device.manufacturerData.compactMap { companies.name(of: $0.company) }
      let name = device.name ?? "(no name)"
      let columns = [services.joined(separator: ", "), makers.joined(separator: ", ")]
      return (["\(device.address)", rssi, name] + columns.filter { !$0.isEmpty })
        .joined(separator: "  ")
    }
    return JSONValue.object(members(of: device)).text
  }

  private func members(of device: Advertisement) -> [(key: String, value: JSONValue)] {
    let services = device.services.map { JSONValue.string($0.text) }
    let data = device.manufacturerData.map { data -> JSONValue in
      let hex = DecodedValue.octets(data.data).description
      return .object([
        ("company", JSONValue(Int(data.company))),
        ("companyName", companies.name(of: data.company).map { .string($0) } ?? .null),
        ("hex", .string(hex)),
      ])
    }
    return [
      ("v", JSONValue(JSONLinesReport.version)),
      ("event", .string("device")),
      ("address", .string("\(device.address)")),
      ("addressType", .string(device.addressType.rawValue)),
      ("name", device.name.map { .string($0) } ?? .null),
      ("rssi", device.rssi.map { JSONValue($0) } ?? .null),
      ("txPower", device.txPower.map { JSONValue($0) } ?? .null),
      ("connected", .boolean(device.isConnected)),
      ("services", .array(services)),
      ("manufacturerData", .array(data)),
    ]
  }
}
