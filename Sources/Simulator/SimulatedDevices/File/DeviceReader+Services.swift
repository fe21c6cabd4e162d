// Services, characteristics and descriptors of a device file.

import Bluetooth
import Documents

extension DeviceReader {
  // MARK: Services

  static let serviceShape = Shape.mapping(serviceForm).named("service").beforeReading {
    $0.service = BluetoothUUID(short: 0)
  }

  static let serviceForm = DeviceForm<ServiceDefinition>(
    "A service.",
    ServiceDefinition(uuid: BluetoothUUID(short: 0)),
    [
      DeviceKey(
        "service", \.uuid,
        DeviceShape<BluetoothUUID>.service.afterReading { uuid, node, reader in
          reader.service = uuid
          if uuid.short == 0x1800 || uuid.short == 0x1801 {
            reader.problems.append(node.problem("every device has this service by itself"))
          }
        },
        isRequired: true, "an assigned name such as `heart-rate`, or a UUID of 4, 8 or 32 digits"
      ),
      DeviceKey(
        "includes",
        \.includes,
        DeviceShape<BluetoothUUID>.service.afterReading { uuid, node, reader in
          reader.inclusions.append((service: reader.service, included: uuid, node: node))
        }.list(of: "services", 0...FileLimits.services),
        "services of the same device that it refers to"
      ),
      DeviceKey(
        "characteristics", \.characteristics,
        characteristicShape.list(of: "characteristics", 0...FileLimits.characteristics),
        usual: "none", "its characteristics"
      ),
    ]
  )

  // MARK: Characteristics

  private static let characteristicShape = DeviceShape<CharacteristicDefinition>(
    "a mapping", schema: characteristicForm.schema.named("characteristic")
  ) { node, reader in
    reader.characteristicCount += 1
    let before = reader.problems.count
    let result = characteristicForm.read(node, &reader)
    if reader.problems.count == before { reader.check(result, node) }
    return result
  }

  static let characteristicForm = DeviceForm(
    "A characteristic: its properties, and how it behaves.",
    CharacteristicDefinition(uuid: BluetoothUUID(short: 0), properties: []),
    valueKeys + Behaviour.inFiles.map(\.key) + attributeKeys, rules: behaviourRules
  )

  private static let valueKeys: [DeviceKey<CharacteristicDefinition>] = [
    DeviceKey(
      "characteristic", \.uuid,
      DeviceShape<BluetoothUUID>.characteristic.afterReading { uuid, _, reader in
        reader.described = reader.attributeNames.description(of: uuid)
      },
      isRequired: true, "an assigned name or a UUID"
    ),
    DeviceKey("properties", \.properties, properties, isRequired: true, "its properties"),
    DeviceKey(
      "value", .octets, usual: "an empty value",
      "a value that is constant until it is written; of a described one also `{ fields: … }`"
    ) { characteristic, value, _ in characteristic.behaviour = .constant(value) },
  ]

  private static let attributeKeys: [DeviceKey<CharacteristicDefinition>] = [
    DeviceKey(
      "descriptors", \.descriptors,
      descriptorShape.list(of: "descriptors", 0...FileLimits.descriptors), usual: "none",
      "`{ descriptor: characteristic-user-description, value: …, writable: true }` and the like"
    ),
    DeviceKey(
      "cccd",
      \.hasConfiguration,
      .truth,
      "whether it has a Client Characteristic Configuration if it notifies or indicates; without "
        + "one it sends its values to every central"
    ),
    DeviceKey(
      "security", \.security, securityShape, usual: "none",
      "what it demands of the link; descriptors take it too"
    ),
    DeviceKey(
      "refuse-read", \.readError, .errorCode, usual: "none",
      "the error that every read is refused with"
    ),
    DeviceKey(
      "refuse-write", \.writeError, .errorCode, usual: "none",
      "the error that every write is refused with"
    ),
    DeviceKey(
      "longest",
      \.longest,
      .integer(0...FileLimits.octets),
      "the longest value that may be written, in bytes"
    ),
  ]

  /// A characteristic has at most one behaviour, except that `responses` may have a `value` as
  /// well.
  private static let behaviourRules: [KeyRule] = {
    @Sendable func twoAtOnce(_ first: String, _ second: String) -> KeyRule.KeyProblem {
      ([first], Problem("'\(first)' and '\(second)' exclude each other"))
    }
    let all = Behaviour.inFiles.map(\.key.name)
    let others = all.filter { $0 != "responses" }
    let anyOther: JSONValue = [
      "anyOf": .array(others.map { .object([.init("required", [.string($0)])]) })
    ]
    return [
      KeyRule(schema: KeyRule.exclusive(all).schema) { isGiven in
        let found = all.filter(isGiven)
        return found.count < 2 ? [] : [twoAtOnce(found[1], found[0])]
      },
      KeyRule(schema: ["if": ["required": ["value"]], "then": ["not": anyOther]]) { isGiven in
        guard isGiven("value"), let other = others.first(where: isGiven),
          all.count(where: isGiven) == 1
        else { return [] }
        return [twoAtOnce("value", other)]
      },
    ]
  }()

  private static let properties: DeviceShape<CharacteristicProperties> = {
    let known = CharacteristicProperties.knownFlags
    let flag = DeviceShape<String>("a property", schema: Schema.words(known).named("property")) {
      node,
      reader in
      if let flag = node.text, known.contains(flag) { return flag }
      reader.problems.append(node.problem(unknown: "property", among: known))
      return nil
    }
    let list = flag.oneOrMore("a list of `" + known.joined(separator: "`, `") + "`")
    return list.map { CharacteristicProperties(flags: $0) }
  }()

  /// Reports a behaviour that has no effect with these properties.
  private mutating func check(_ characteristic: CharacteristicDefinition, _ node: Node) {
    let properties = characteristic.properties
    let isWritable = properties.isWritable
    let isNotified = !properties.isDisjoint(with: [.notify, .indicate])
    if !characteristic.hasConfiguration, !isNotified {
      problems.append(
        (node.value(of: "cccd") ?? node).problem(
          "nothing is notified here", expected: "the property notify or indicate"
        )
      )
    }
    switch characteristic.behaviour {
    case .echo where !isWritable, .response where !isWritable:
      problems.append(node.problem("nothing can be written here", expected: "the property write"))
    case .response(let response):
      let notifiesItself = response.rules.flatMap(\.actions).contains {
        $0.kind == .notify && $0.characteristic == nil
      }
      if notifiesItself, !isNotified {
        problems.append(
          node.problem("nothing can be notified here", expected: "the property notify")
        )
      }
    case .constant, .echo, .moving: break
    }
  }

  // MARK: Descriptors

  private static let descriptorShape = Shape.mapping(descriptorForm).named("descriptor")

  static let descriptorForm = DeviceForm<DescriptorDefinition>(
    "A descriptor with a value.",
    DescriptorDefinition(uuid: BluetoothUUID(short: 0), value: []),
    [
      DeviceKey(
        "descriptor", \.uuid,
        DeviceShape<BluetoothUUID>.descriptor.afterReading { uuid, node, reader in
          reader.described = reader.attributeNames.description(of: uuid)
          let automatic = [.clientCharacteristicConfiguration, AttributeTable.extendedProperties]
          if automatic.contains(uuid) {
            reader.problems.append(
              node.problem("this descriptor comes with the properties that need it")
            )
          }
        },
        isRequired: true, "an assigned name or a UUID"
      ),
      DeviceKey("value", \.value, .octets, isRequired: true, "its value"),
      DeviceKey("writable", \.isWritable, .truth, "whether a write replaces the value"),
      DeviceKey(
        "security", \.security, securityShape, usual: "none", "what it demands of the link"
      ),
    ]
  )
}

extension CharacteristicProperties {
  /// True if the value can be written in any way.
  var isWritable: Bool {
    !isDisjoint(with: [.write, .writeWithoutResponse, .authenticatedSignedWrites, .reliableWrite])
  }
}
