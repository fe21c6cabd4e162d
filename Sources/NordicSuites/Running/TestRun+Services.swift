// Finds attributes of a device, and asserts services.

import Bluetooth
import Jobs
import Signals

/// An attribute of a device, by the selectors that `DeviceService` takes.
struct FoundAttribute: Sendable {
  let characteristic: CharacteristicSelector
  let properties: CharacteristicProperties
  /// Nil for the characteristic itself.
  let descriptor: DescriptorSelector?
}

extension TestRun {
  /// Finds the attribute of a path.
  ///
  /// - Throws: ``DeviceFailure`` when the device is not connected, or does not have the attribute.
  static func resolved(
    _ path: AttributePath,
    on link: TargetLink,
    _ placed: PlacedOperation
  ) async throws -> FoundAttribute {
    var services: [GATTService] = []
    try await link.service.services().run { services = $0 }
    let same = services.filter { $0.uuid == path.service }
    guard let service = same[optional: path.serviceInstance] else {
      throw missing(path, placed, link, .serviceMissing)
    }
    let alike = service.characteristics.filter { $0.uuid == path.characteristic }
    guard let characteristic = alike[optional: path.characteristicInstance] else {
      throw missing(path, placed, link, .characteristicMissing)
    }
    let selector =
      same.count > 1
      ? CharacteristicSelector(handle: characteristic.handle)
      : CharacteristicSelector(
        service: path.service,
        characteristic: path.characteristic,
        instance: alike.count > 1 ? path.characteristicInstance : nil
      )
    var descriptor: DescriptorSelector?
    if let uuid = path.descriptor {
      let descriptors = characteristic.descriptors.filter { $0.uuid == uuid }
      guard descriptors[optional: path.descriptorInstance] != nil else {
        throw missing(path, placed, link, .descriptorMissing)
      }
      descriptor = DescriptorSelector(
        of: selector,
        descriptor: uuid,
        instance: descriptors.count > 1 ? path.descriptorInstance : nil
      )
    }
    return FoundAttribute(
      characteristic: selector,
      properties: characteristic.properties,
      descriptor: descriptor
    )
  }

  private static func missing(
    _ path: AttributePath,
    _ placed: PlacedOperation,
    _ link: TargetLink,
    _ code: DeviceFailure.Code
  ) -> DeviceFailure {
    guard path.service != .genericAccess else { return hidden(placed, link) }
    return DeviceFailure(
      code: code,
      class: .definite,
      operation: placed.operation.doing,
      device: link.service.deviceDescription,
      attribute: path.description,
      meaning: "the device does not have \(path)",
      hint: "blerun inspect shows what it offers"
    )
  }

  /// Every device has Generic Access, and bluetoothd hides it.
  private static func hidden(_ placed: PlacedOperation, _ link: TargetLink) -> DeviceFailure {
    DeviceFailure(
      code: .notSupportedHere,
      class: .definite,
      operation: placed.operation.doing,
      device: link.service.deviceDescription,
      meaning: "this is not supported here: bluetoothd hides Generic Access",
      hint: "blerun scan shows the name of the device"
    )
  }

  // MARK: Assertions

  /// What is wrong with the services of a device; nil when the assertion holds.
  ///
  /// - Throws: ``AssertionFailure`` when an inner assertion does not hold.
  static func complaint(
    about assertion: ServiceAssertion,
    on link: TargetLink,
    _ placed: PlacedOperation,
    _ findings: Findings
  ) async throws -> String? {
    var services: [GATTService] = []
    try await link.service.services().run { services = $0 }
    let same = services.filter { $0.uuid == assertion.uuid }
    if same.isEmpty, assertion.uuid == .genericAccess { throw hidden(placed, link) }
    guard let service = same[optional: assertion.instance] else {
      let name = AttributePath.service(assertion.uuid, assertion.instance, assertion.names)
      return "the device does not have the service \(name)"
    }
    for wanted in assertion.characteristics {
      try check(wanted, in: service, assertion, link, findings)
    }
    return nil
  }

  private static func check(
    _ wanted: CharacteristicAssertion,
    in service: GATTService,
    _ assertion: ServiceAssertion,
    _ link: TargetLink,
    _ findings: Findings
  ) throws {
    let path = AttributePath(
      service: assertion.uuid,
      serviceInstance: assertion.instance,
      characteristic: wanted.uuid,
      characteristicInstance: wanted.instance,
      names: assertion.names
    )
    let same = service.characteristics.filter { $0.uuid == wanted.uuid }
    guard let found = same[optional: wanted.instance] else {
      return try findings.judge(wanted.title, "\(path) is missing", wanted.expected)
    }
    let properties = wanted.properties.compactMap { complaint(about: $0, of: found) }
    try findings.judge(
      wanted.title,
      properties.isEmpty ? nil : properties.joined(separator: "; "),
      wanted.expected
    )
    for value in wanted.values {
      try findings.judge(value.title, value.complaint(about: link.lastKnown(path)), value.expected)
    }
    for descriptor in wanted.descriptors { try check(descriptor, of: found, path, link, findings) }
  }

  private static func complaint(
    about wanted: PropertyAssertion,
    of characteristic: GATTCharacteristic
  ) -> String? {
    let isThere = characteristic.properties.contains(wanted.property)
    switch wanted.requirement {
    case .mandatory: return isThere ? nil : "it does not have the property \(wanted.name)"
    case .optional: return nil
    case .excluded: return isThere ? "it has the property \(wanted.name)" : nil
    }
  }

  private static func check(
    _ wanted: DescriptorAssertion,
    of characteristic: GATTCharacteristic,
    _ path: AttributePath,
    _ link: TargetLink,
    _ findings: Findings
  ) throws {
    let own = AttributePath(
      service: path.service,
      serviceInstance: path.serviceInstance,
      characteristic: path.characteristic,
      characteristicInstance: path.characteristicInstance,
      descriptor: wanted.uuid,
      descriptorInstance: wanted.instance,
      names: path.names
    )
    let same = characteristic.descriptors.filter { $0.uuid == wanted.uuid }
    let isThere = same[optional: wanted.instance] != nil
    try findings.judge(wanted.title, isThere ? nil : "\(own) is missing", wanted.expected)
    guard isThere else { return }
    for value in wanted.values {
      try findings.judge(value.title, value.complaint(about: link.lastKnown(own)), value.expected)
    }
  }
}

extension Array {
  /// The element at an index; nil beyond the ends.
  fileprivate subscript(optional index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}

extension BluetoothUUID {
  /// Every device has Generic Access, and bluetoothd hides it.
  static let genericAccess = BluetoothUUID(short: 0x1800)
}
