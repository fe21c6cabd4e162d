// Runs the steps about attributes.

import Bluetooth
import Signals

extension ChainRun {
  func read(
    _ target: CharacteristicSelector,
    _ offset: Int,
    _ format: ValueFormat?,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    try await read(runner.service.read(target, offset: offset), placed, &outcome) {
      octets throws(ValueError) in
      if offset == 0 { return try StepValue.decode(octets, of: target, format: format) }
      // A part of a value does not match the format of its characteristic.
      return try format?.decode(octets) ?? .octets(octets)
    }
  }

  func askForMTU(_ placed: PlacedStep, _ outcome: inout StepOutcome?) async throws {
    let mtu = try await limited(runner.service.mtu(), placed)
    outcome = .mtu(mtu)
    let value = DecodedValue.integer(Int128(mtu))
    capture(value, as: placed.step.capture)
    try check(value, [], of: placed)
  }

  func listServices(_ placed: PlacedStep, _ outcome: inout StepOutcome?) async throws {
    let services = try await limited(runner.service.services(), placed)
    outcome = .services(services, names: runner.plan.names)
  }

  func readDescriptor(
    _ target: DescriptorSelector,
    _ format: ValueFormat?,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    try await read(runner.service.readDescriptor(target), placed, &outcome) {
      octets throws(ValueError) in
      if let format { return try format.decode(octets) }
      guard target.handle == nil else { return .octets(octets) }
      return StandardDescriptors.decode(octets, of: target.descriptor) ?? .octets(octets)
    }
  }
}
