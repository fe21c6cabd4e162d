// What is in range beside the devices that a scan reports.
//
// Pure: it is given the devices, and neither scans nor waits.

extension ScanFilter {
  /// The devices that are not reported, as a clause after the number of those that are.
  ///
  /// - Parameter devices: All that are in range.
  /// - Returns: `; in range: 'Lamp-2' (C0:FF:EE:00:01:01, -81 dBm: weaker than -70 dBm)`.
  public func others(among devices: [Advertisement]) -> String {
    let others = devices.filter { !matches($0) }
    guard !others.isEmpty else { return "; no other device is in range" }
    return Advertisement.listing(others) { difference(from: $0) }
  }

  /// Why a device is not reported; nil if it is.
  public func difference(from device: Advertisement) -> String? {
    if matches(device) { return nil }
    var reasons = [target, name.map { .name($0, exact: isExact) }, address.map { .address($0) }]
      .compactMap { $0?.difference(from: device) }
    if let rssi, !device.isConnected, (device.rssi ?? Int.min) < rssi {
      reasons.append("weaker than \(rssi) dBm")
    }
    if let manufacturer, !manufacturer.matches(device) {
      reasons.append("no manufacturer data \(manufacturer)")
    }
    if let serviceData, !serviceData.matches(device) {
      reasons.append("no service data \(serviceData)")
    }
    if !services.isEmpty, !services.contains(where: { device.services.contains($0.uuid) }) {
      let names = services.map { "\($0)" }.joined(separator: " or ")
      reasons.append("does not advertise \(names)")
    }
    return reasons.joined(separator: ", ")
  }
}
