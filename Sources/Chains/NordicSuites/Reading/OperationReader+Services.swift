// The attributes and children of `assert-service`.

import Bluetooth

extension OperationReader {
  func assertService(_ reader: inout ElementReader) -> Operation.Action? {
    let uuid = reader.uuid("uuid")
    let instance = reader.instance("instance-id")
    reader.finish(children: ["assert-characteristic"])
    let characteristics = reader.element.children.filter { $0.name == "assert-characteristic" }
      .compactMap { characteristic($0, of: uuid, instance) }
    return uuid.map {
      .device(
        .assertService(
          ServiceAssertion(
            uuid: $0, instance: instance, characteristics: characteristics,
            name: AttributePath.service($0, instance, context.names)
          )
        )
      )
    }
  }

  private func characteristic(
    _ element: Element, of service: BluetoothUUID?, _ serviceInstance: Int
  ) -> CharacteristicAssertion? {
    var reader = reader(element)
    let head = head(&reader)
    let uuid = reader.uuid("uuid")
    let instance = reader.instance("instance-id")
    let values = values(in: &reader)
    reader.finish(children: ["property", "assert-descriptor", "assert-cccd", "assert-value"])
    let path = uuid.flatMap { uuid in
      service.map { service in
        AttributePath(
          service: service, serviceInstance: serviceInstance, characteristic: uuid,
          characteristicInstance: instance, names: context.names
        )
      }
    }
    let properties = element.children.filter { $0.name == "property" }.compactMap { property($0) }
    let descriptors = element.children
      .filter { ["assert-descriptor", "assert-cccd"].contains($0.name) }
      .compactMap { descriptor($0, of: path) }
    return path.map {
      CharacteristicAssertion(
        title: head.title, expected: head.expected, path: $0, properties: properties,
        descriptors: descriptors, values: values
      )
    }
  }

  private func descriptor(
    _ element: Element, of characteristic: AttributePath?
  ) -> DescriptorAssertion? {
    var reader = reader(element)
    let head = head(&reader)
    let isNamed = element.name == "assert-descriptor"
    let uuid = isNamed ? reader.uuid("uuid") : .clientCharacteristicConfiguration
    let instance = isNamed ? reader.instance("instance-id") : 0
    let values = values(in: &reader)
    reader.finish(children: ["assert-value"])
    guard let uuid, let characteristic else { return nil }
    return DescriptorAssertion(
      title: head.title, expected: head.expected,
      path: characteristic.of(descriptor: uuid, instance: instance), values: values
    )
  }

  private func property(_ element: Element) -> PropertyAssertion? {
    var reader = reader(element)
    _ = reader.text("description")
    let names = PropertyAssertion.names
    let name = reader.required("name", expected: "a property such as READ") { $0 }
    let property = name.flatMap { name in names.first { $0.name == name }?.property }
    if let name, property == nil { reader.complainOfWord("name", name, among: names.map(\.name)) }
    let requirement: PropertyAssertion.Requirement? = reader.choice("requirement")
    reader.finish()
    guard let name, let property else { return nil }
    return PropertyAssertion(name: name, property: property, requirement: requirement ?? .mandatory)
  }

  /// The title and the expected result of an assertion. Its target is that of the operation.
  private func head(_ reader: inout ElementReader) -> (title: String, expected: ExpectedResult) {
    let title = reader.text("description") ?? reader.element.name
    let expected: ExpectedResult? = reader.choice("expected")
    _ = reader.word("target", among: targets)
    return (title, expected ?? .success)
  }
}
