// The options that select the devices of a scan.

import ArgumentParser
import Bluetooth
import Documents

/// The conditions on a device, all of which must hold.
struct FilterOptions: ParsableArguments {
  @OptionGroup var named: DeviceOptions
  @OptionGroup var naming: NamesOptions

  @Option(help: "Only devices with this name, with * and ?.")
  var name: String?

  @Option(help: "Only the device with this address, public or random.")
  var address: String?

  @Option(
    help: .value(
      "service",
      "Only devices that advertise this service: a name or a UUID; repeat it for any of several."
    )
  )
  var service: [String] = []

  @Option(
    parsing: .unconditional, help: .value("dBm", "Only devices with at least this RSSI: -70.")
  )
  var rssi: Int?

  @Option(
    help: .value(
      "company[:hex]",
      "Only devices with data of this company, beginning with these bytes: 0x004c, 0x004c:0215."
    )
  )
  var manufacturer: String?

  @Option(
    help: .value(
      "service[:hex]",
      "Only devices with data of this service, beginning with these bytes: feaa, feaa:00."
    )
  )
  var serviceData: String?

  @Flag(help: "Scan passively, if bluetoothd supports it: no scan requests are sent.")
  var passive = false

  func validate() throws { try naming.check { _ = try filter($0) } }

  /// Returns the filter of the options.
  func filter(_ names: AttributeNames) throws -> ScanFilter {
    if let rssi, !(-127...20).contains(rssi) {
      throw Problem("--rssi \(rssi): expected an RSSI from -127 to 20 dBm")
    }
    let services = try service.map { text in
      if let service = try? ServiceSelector(parsing: text, names: names) { return service }
      let nearest = names.nearest(to: text, .service)
      let expected = nearest == nil ? "a name or a UUID" : nil
      let message = "unknown service '\(text)'"
      throw Problem(message, expected: expected, nearest: nearest, path: "--service")
    }
    if name?.isEmpty == true { throw Problem("\(InvalidDeviceTarget.emptyName)", path: "--name") }
    return ScanFilter(
      target: named.target(insteadOf: nil), name: name, isExact: named.exact,
      address: try read(address, "--address", BluetoothAddress.expected) {
        BluetoothAddress($0)
      },
      services: services, rssi: rssi,
      manufacturer: try read(manufacturer, "--manufacturer", "0x004c or 0x004c:0215") {
        ManufacturerPattern($0)
      },
      serviceData: try read(serviceData, "--service-data", "feaa or feaa:00") {
        ServiceDataPattern($0, names: names)
      },
      isPassive: passive
    )
  }

  private func read<Value>(
    _ text: String?, _ option: String, _ expected: String, _ read: (String) -> Value?
  ) throws -> Value? {
    guard let text else { return nil }
    if let value = read(text) { return value }
    throw Problem(found: "'\(text)'", expected: expected, path: option)
  }
}
