// The current values of a device, and the advertised data that depends on them.

import Bluetooth
import Signals

extension DeviceState {
  /// Reads a value, and counts the read.
  mutating func readValue(of index: Int, elapsed: Duration) -> [UInt8] {
    let value = characteristics[index].present(elapsed: elapsed)
    characteristics[index].reads += 1
    return value
  }

  /// The named parts of characteristics' values.
  func variables(_ views: [View], elapsed: Duration) -> Variables {
    var result = Variables()
    for view in views {
      let source = table.indices(of: view.characteristic).first
      result[view.name] = view.value(
        in: source.map { characteristics[$0].present(elapsed: elapsed) } ?? []
      )
    }
    return result
  }

  /// The generated data of an advertisement.
  func live(
    _ advertised: AdvertisementDefinition, elapsed: Duration
  ) -> (manufacturerData: [ManufacturerData], serviceData: [ServiceData]) {
    guard !advertised.live.isEmpty else { return ([], []) }
    var names = machines.reduce(into: Variables()) { $0 = $0.merging($1.variables) }
    names["uptime"] = .number(Int64(elapsed.periods(of: .milliseconds(1))))
    names["sent"] = .number(Int64(elapsed.periods(of: advertised.interval)))
    let scope = Scope(variables: names.merging(variables(advertised.views, elapsed: elapsed)))
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
