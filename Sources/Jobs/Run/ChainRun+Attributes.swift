// What the steps about attributes do.

import Bluetooth
import Signals

extension ChainRun {
  func act(
    _ action: AttributeAction,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let service = runner.service
    switch action {
    case .mtu:
      var mtu = 0
      try await limited(service.mtu(), placed) { mtu = $0 }
      outcome = .mtu(mtu)
      let value = DecodedValue.integer(Int64(mtu))
      capture(value, as: placed.step.capture)
      try check(value, [], of: placed)
    case .parameters:
      try await measure(service.connectionParameters(), placed, &outcome)
    case .services:
      var services: [GATTService] = []
      try await limited(service.services(), placed) { services = $0 }
      outcome = .services(services)
    case .readFrom(let target, let offset, let format):
      // The rest of a value is not what its characteristic promises.
      try await read(service.read(target, offset: offset), placed, &outcome) {
        octets throws(ValueError) in try format?.decode(octets) ?? .octets(octets)
      }
    case .readDescriptor(let target, let format):
      try await read(service.readDescriptor(target), placed, &outcome) {
        octets throws(ValueError) in
        if let format { return try format.decode(octets) }
        guard target.handle == nil else { return .octets(octets) }
        return StandardDescriptors.decode(octets, of: target.descriptor) ?? .octets(octets)
      }
    case .writeDescriptor(let target, let value):
      try await limited(service.writeDescriptor(value.octets, to: target), placed) { _ in }
      outcome = .written(value.octets)
    }
  }
}
