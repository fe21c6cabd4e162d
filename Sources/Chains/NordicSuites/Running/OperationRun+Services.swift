// The search for the attributes of a path on a device, and the assertions about services.

import Bluetooth
import Signals

/// The selectors of an attribute on a device, for calls of `Device`.
struct FoundAttribute: Sendable {
  let characteristic: CharacteristicSelector
  let properties: CharacteristicProperties
  /// The descriptor; nil for the characteristic itself.
  let descriptor: DescriptorSelector?
}

extension OperationRun {
  /// Finds the attribute of a path.
  ///
  /// - Throws: ``DeviceFailure`` if the device is not connected or does not have the attribute.
  func resolved(_ path: AttributePath, on link: TargetLink) async throws -> FoundAttribute {
    let same = try await services(path.service, on: link)
    guard let service = same[optional: path.serviceInstance] else {
      throw missing(path, link, .serviceMissing)
    }
    let alike = service.characteristics.filter { $0.uuid == path.characteristic }
    guard let characteristic = alike[optional: path.characteristicInstance] else {
      throw missing(path, link, .characteristicMissing)
    }
    let selector =
      same.count > 1
      ? CharacteristicSelector(handle: characteristic.handle)
      : CharacteristicSelector(
        service: path.service, characteristic: path.characteristic,
        instance: alike.count > 1 ? path.characteristicInstance : nil
      )
    let descriptor = try path.descriptor.map { uuid in
      let descriptors = characteristic.descriptors.filter { $0.uuid == uuid }
      guard descriptors.indices.contains(path.descriptorInstance) else {
        throw missing(path, link, .descriptorMissing)
      }
      let instance = descriptors.count > 1 ? path.descriptorInstance : nil
      return DescriptorSelector(of: selector, descriptor: uuid, instance: instance)
    }
    return FoundAttribute(
      characteristic: selector, properties: characteristic.properties, descriptor: descriptor
    )
  }

  /// Returns the services with a UUID, in the order of their handles.
  private func services(_ uuid: BluetoothUUID, on link: TargetLink) async throws -> [GATTService] {
    try await link.service.services().first().filter { $0.uuid == uuid }
  }

  private func missing(
    _ path: AttributePath, _ link: TargetLink, _ code: DeviceFailure.Code
  ) -> DeviceFailure {
    guard path.service != .genericAccess else { return hidden(link) }
    return failure(
      code, on: link, attribute: path, "the device does not have \(path)",
      hint: "blerun inspect shows what it offers"
    )
  }

  /// Returns the failure for Generic Access, which every device has but bluetoothd hides.
  private func hidden(_ link: TargetLink) -> DeviceFailure {
    let hint = "blerun scan shows the name of the device"
    return unsupported(on: link, "bluetoothd hides Generic Access", hint: hint)
  }

  // MARK: Assertions

  /// Checks an assertion about a service and its characteristics.
  ///
  /// - Throws: ``AssertionFailure`` if the assertion, or one inside it, does not hold.
  func check(_ assertion: ServiceAssertion, on link: TargetLink) async throws {
    let same = try await services(assertion.uuid, on: link)
    if same.isEmpty, assertion.uuid == .genericAccess { throw hidden(link) }
    guard let service = same[optional: assertion.instance] else {
      let missing = "the device does not have the service \(assertion.name)"
      throw AssertionFailure(description: missing)
    }
    for wanted in assertion.characteristics { try check(wanted, in: service, link) }
  }

  private func check(
    _ wanted: CharacteristicAssertion, in service: GATTService, _ link: TargetLink
  ) throws {
    let path = wanted.path
    let same = service.characteristics.filter { $0.uuid == path.characteristic }
    guard let found = same[optional: path.characteristicInstance] else {
      return try judge(wanted, "\(path) is missing")
    }
    let wrong = wanted.properties.compactMap { $0.problem(with: found.properties) }
    try judge(wanted, wrong.isEmpty ? nil : wrong.joined(separator: "; "))
    try check(wanted.values, of: path, link)
    for descriptor in wanted.descriptors {
      let path = descriptor.path
      let same = found.descriptors.filter { $0.uuid == path.descriptor }
      let isThere = same.indices.contains(path.descriptorInstance)
      try judge(descriptor, isThere ? nil : "\(path) is missing")
      if isThere { try check(descriptor.values, of: path, link) }
    }
  }

  /// Checks assertions about the last known value.
  private func check(
    _ values: [ValueAssertion], of path: AttributePath, _ link: TargetLink
  ) throws {
    for value in values { try judge(value, value.problem(with: link.lastKnown(path))) }
  }
}

extension Array {
  /// The element at an index; nil if there is none.
  fileprivate subscript(optional index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}
