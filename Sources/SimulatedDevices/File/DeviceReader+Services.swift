// Services, characteristics and descriptors of a device file.

import Bluetooth
import Documents
import Spelling

extension DeviceReader {
  mutating func service(_ node: Node) -> ServiceDefinition {
    var keys = MappingReader(node)
    var service = ServiceDefinition(uuid: BluetoothUUID(short: 0))
    if let name = keys.required("service", expected: "an assigned name or a UUID"),
      let uuid = serviceUUID(name)
    {
      service.uuid = uuid
      if uuid.short == 0x1800 || uuid.short == 0x1801 {
        problems.append(name.problem("every device has this service without it being written"))
      }
    }
    if let includes = keys.optional("includes") {
      for node in list(includes, "services", atMost: FileLimits.services) {
        guard let uuid = serviceUUID(node) else { continue }
        service.includes.append(uuid)
        inclusions.append((service: service.uuid, included: uuid, node: node))
      }
    }
    service.isPrimary = truth(&keys, "primary") ?? service.isPrimary
    let nodes = list(
      keys.optional("characteristics"),
      "characteristics",
      atMost: FileLimits.characteristics
    )
    service.characteristics = nodes.map { characteristic($0) }
    problems += keys.finish()
    return service
  }

  private mutating func characteristic(_ node: Node) -> CharacteristicDefinition {
    count += 1
    var keys = MappingReader(node)
    var result = CharacteristicDefinition(uuid: BluetoothUUID(short: 0), properties: [])
    if let name = keys.required("characteristic", expected: "an assigned name or a UUID") {
      result.uuid = characteristicUUID(name) ?? result.uuid
    }
    if let flags = keys.required("properties", expected: "a list such as [read, notify]") {
      result.properties = properties(flags)
    }
    let problemsBefore = problems.count
    result.behaviour = behaviour(&keys)
    if problems.count == problemsBefore { check(result, node) }
    let descriptors = list(
      keys.optional("descriptors"),
      "descriptors",
      atMost: FileLimits.descriptors
    )
    result.descriptors = descriptors.compactMap { descriptor($0) }
    if let node = keys.optional("security") { result.security = security(node) }
    result.readError = keys.optional("refuse-read").flatMap { errorCode($0) }
    result.writeError = keys.optional("refuse-write").flatMap { errorCode($0) }
    result.longest = integer(&keys, "longest", in: 0...FileLimits.octets) ?? result.longest
    problems += keys.finish()
    return result
  }

  private mutating func properties(_ node: Node) -> CharacteristicProperties {
    let nodes = node.sequence ?? [node]
    let known = CharacteristicProperties.knownFlags
    var flags: [String] = []
    for node in nodes {
      if let flag = node.text, known.contains(flag) {
        flags.append(flag)
      } else {
        let nearest = node.text.flatMap { Spelling.nearest(to: $0, among: known) }
        problems.append(
          node.problem(
            "\(shown(node)) is no property",
            expected: nearest == nil ? "one of " + known.joined(separator: ", ") : nil,
            nearest: nearest
          )
        )
      }
    }
    if nodes.isEmpty { problems.append(node.problem("a characteristic has at least one property")) }
    return CharacteristicProperties(flags: flags)
  }

  /// Behaviours that the properties leave without any effect are mistakes.
  private mutating func check(_ characteristic: CharacteristicDefinition, _ node: Node) {
    let properties = characteristic.properties
    let isWritable = properties.isWritable
    switch characteristic.behaviour {
    case .echo where !isWritable, .response where !isWritable:
      problems.append(
        node.problem("nothing can be written here", expected: "the property write")
      )
    case .response(let response):
      let notifiesItself = response.rules.flatMap(\.actions).contains {
        $0.kind == .notify && $0.characteristic == nil
      }
      if notifiesItself, properties.isDisjoint(with: [.notify, .indicate]) {
        problems.append(
          node.problem("nothing can be notified here", expected: "the property notify")
        )
      }
    case .constant, .counter, .wave, .echo, .series, .noise, .follow: break
    }
  }

  private mutating func descriptor(_ node: Node) -> DescriptorDefinition? {
    var keys = MappingReader(node)
    let name = keys.required("descriptor", expected: "an assigned name or a UUID")
    let uuid = name.flatMap { descriptorUUID($0) }
    let value = keys.required("value", expected: "a value").flatMap { octets($0) }
    let isWritable = truth(&keys, "writable") ?? false
    let security = keys.optional("security").map { self.security($0) } ?? AttributeSecurity()
    problems += keys.finish()
    guard let name, let uuid, let value else { return nil }
    if [AttributeTable.configuration, AttributeTable.extendedProperties].contains(uuid) {
      problems.append(name.problem("this descriptor comes with the properties that need it"))
    }
    return DescriptorDefinition(
      uuid: uuid,
      value: value,
      isWritable: isWritable,
      security: security
    )
  }
}

extension CharacteristicProperties {
  /// Whether there is any way to write.
  var isWritable: Bool {
    !isDisjoint(with: [.write, .writeWithoutResponse, .authenticatedSignedWrites, .reliableWrite])
  }
}
