// What a device says to everybody at one moment.

import Bluetooth
import Signals

extension DeviceState {
  /// The advertised data that changes.
  func live(
    _ advertised: AdvertisementDefinition,
    elapsed: Duration
  ) -> (manufacturerData: [ManufacturerData], serviceData: [ServiceData]) {
    guard !advertised.live.isEmpty else { return ([], []) }
    var names = variables(advertised.views, elapsed: elapsed)
    names["uptime"] = .number(Int64(elapsed.periods(of: .milliseconds(1))))
    names["sent"] = .number(Int64(elapsed.periods(of: advertised.interval)))
    let scope = Scope(variables: names)
    var found: (manufacturerData: [ManufacturerData], serviceData: [ServiceData]) = ([], [])
    for data in advertised.live {
      let octets = data.value.octets(in: scope)
      switch data.field {
      case .manufacturer(let company):
        found.manufacturerData.append(ManufacturerData(company: company, octets: octets))
      case .service(let service):
        found.serviceData.append(ServiceData(service: service, octets: octets))
      }
    }
    return found
  }
}

extension AdvertisementDefinition {
  /// How far the strength strays this time.
  func stray(_ generator: inout SeededGenerator) -> Int {
    let spread = max(0, rssiSpread)
    return Int.random(in: -spread...spread, using: &generator)
  }

  /// The strength in dBm so long after the device's start.
  func rssi(elapsed: Duration, stray: Int) -> Int {
    min(20, max(-127, (path?.rssi(elapsed: elapsed) ?? rssi) + stray))
  }
}
