// What a device advertises at one moment.

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
