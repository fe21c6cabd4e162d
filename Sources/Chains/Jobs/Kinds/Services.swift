// `services`: lists the attributes of the device, and checks which are present.

public import Bluetooth
public import Documents
import RunEvents

/// A step that lists the attributes of the device.
public struct ServicesStep: StepKind {
  /// The attributes that must be present.
  public var offers: [OfferedAttribute]
  /// The attributes that must be absent. If properties are given, the attribute may be present, but
  /// without any of them.
  public var lacks: [OfferedAttribute]

  public init(offers: [OfferedAttribute] = [], lacks: [OfferedAttribute] = []) {
    (self.offers, self.lacks) = (offers, lacks)
  }

  init() { self.init(offers: []) }

  static let verb = "services"
  static let documentation = "lists what the device offers"
  static let common: [Key<Step>] = [.expectFailure, .timeout]
  static let titleKeys = 0
  static let keys: [Key<Self>] = [
    Key(
      "offers", \.offers, .attributes, default: [], line: .repeated("offers"),
      "an attribute that it must offer, or a list of those"
    ),
    Key(
      "lacks", \.lacks, .attributes, default: [], line: .repeated("lacks"),
      "an attribute that it must not offer, or a list of those"
    ),
  ]

  var action: Step.Action { .services(self) }
  var participle: String { "listing the services" }
  var privilege: String? { nil }

  func run(_ run: StepRun) async throws {
    let services = try await run.limited(run.service.services())
    run.outcome = .services(services, names: run.plan.names)
    try check(services)
  }

  func check(_ services: [GATTService]) throws(ExpectationFailure) {
    for wanted in offers {
      let found = wanted.properties(in: services)
      guard !found.contains(where: { $0.isSuperset(of: wanted.properties) }) else { continue }
      let missing = wanted.isOfGenericAccess ? Self.hidden : "no such attribute"
      let got = found.isEmpty ? missing : found.map(\.listed).joined(separator: " and ")
      throw ExpectationFailure(expected: "\(wanted)", got: got, octets: nil)
    }
    for unwanted in lacks {
      let found = unwanted.properties(in: services)
      if found.isEmpty {
        guard unwanted.isOfGenericAccess else { continue }
        throw ExpectationFailure(expected: "no \(unwanted)", got: Self.hidden, octets: nil)
      }
      let excess = found.reduce(CharacteristicProperties()) { $0.union($1) }.intersection(
        unwanted.properties
      )
      guard !unwanted.properties.isEmpty, excess.isEmpty else {
        let got = excess.isEmpty ? "one" : excess.listed
        throw ExpectationFailure(expected: "no \(unwanted)", got: got, octets: nil)
      }
    }
  }

  /// Every device has Generic Access, but bluetoothd does not expose it.
  private static let hidden = "nothing: bluetoothd hides Generic Access"
}

/// A service, a characteristic or a descriptor, with required properties of the characteristic:
/// `battery`, `battery/battery-level:read,notify`, `battery/battery-level/2902`.
public struct OfferedAttribute: Hashable, Sendable, CustomStringConvertible {
  private enum Attribute: Hashable {
    case service(ServiceSelector)
    case characteristic(CharacteristicSelector)
    case descriptor(DescriptorSelector)
  }

  private let attribute: Attribute
  /// The properties to check; empty checks only whether the attribute exists.
  public let properties: CharacteristicProperties

  /// Parses an attribute.
  ///
  /// - Parameter names: Names that the text may use instead of UUIDs.
  /// - Throws: `Problem` with the invalid part, and the nearest known name.
  public init(parsing text: String, names: AttributeNames = .assigned) throws(Problem) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let path = String(parts[0])
    do throws(SelectorError) {
      attribute =
        switch path.count(where: { $0 == "/" }) {
        case 0: .service(try ServiceSelector(parsing: path, names: names))
        case 1: .characteristic(try CharacteristicSelector(parsing: path, names: names))
        // open: the numbers; the selector reports a path with too many parts
        default: .descriptor(try DescriptorSelector(parsing: path, names: names))
        }
    } catch {
      throw Problem(error)
    }
    guard parts.count > 1 else {
      properties = []
      return
    }
    guard case .characteristic = attribute else {
      throw Problem("only a characteristic has properties, and '\(path)' is not one")
    }
    let words = parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let known = CharacteristicProperties.knownFlags
    for word in words where !known.contains(word) {
      throw .unknown(found: "'\(word)'", word, among: known)
    }
    properties = CharacteristicProperties(flags: words)
  }

  public var description: String {
    let name =
      switch attribute {
      case .service(let selector): "\(selector)"
      case .characteristic(let selector): "\(selector)"
      case .descriptor(let selector): "\(selector)"
      }
    return properties.isEmpty ? name : "\(name):\(properties.flags.joined(separator: ","))"
  }

  /// The properties of each matching attribute. Without an index (`#1`), every attribute with the
  /// UUID matches.
  func properties(in services: [GATTService]) -> [CharacteristicProperties] {
    switch attribute {
    case .service(let selector):
      return services.filter { $0.uuid == selector.uuid }.map { _ in [] }
    case .characteristic(let selector):
      return Self.characteristics(selector, in: services).map(\.properties)
    case .descriptor(let selector):
      return Self.characteristics(selector.characteristic, in: services).flatMap { owner in
        let same = owner.descriptors.filter { $0.uuid == selector.descriptor }
        return Self.chosen(same, selector.instance).map { _ in CharacteristicProperties() }
      }
    }
  }

  fileprivate var isOfGenericAccess: Bool {
    let service: BluetoothUUID? =
      switch attribute {
      case .service(let selector): selector.uuid
      case .characteristic(let selector): selector.service
      case .descriptor(let selector): selector.characteristic.service
      }
    return service == BluetoothUUID(short: 0x1800)
  }

  private static func characteristics(
    _ selector: CharacteristicSelector, in services: [GATTService]
  ) -> [GATTCharacteristic] {
    let same = services.filter { $0.uuid == selector.service }
      .flatMap(\.characteristics).filter { $0.uuid == selector.characteristic }
    return chosen(same, selector.instance)
  }

  private static func chosen<Item>(_ same: [Item], _ instance: Int?) -> [Item] {
    guard let instance else { return same }
    return same.indices.contains(instance) ? [same[instance]] : []
  }
}

extension CharacteristicProperties {
  fileprivate var listed: String { isEmpty ? "no properties" : flags.joined(separator: ",") }
}

extension Shape where Value == OfferedAttribute {
  fileprivate static var attribute: Self {
    Shape(
      "an attribute such as battery/battery-level:read,notify", schema: .reference("attribute"),
      words: { ["\($0)"] }
    ) { node, reader in
      let names = reader.includeContext.names
      return reader.parsed(node) { try OfferedAttribute(parsing: $0, names: names) }
    }
  }
}

extension Shape where Value == [OfferedAttribute] {
  fileprivate static var attributes: Self {
    let attribute = JSONValue.reference("attribute")
    return Shape(
      "an attribute such as battery/battery-level:read,notify, or a list of those",
      line: "an attribute such as battery/battery-level:read,notify",
      schema: .anyOf([attribute, .list(of: attribute)]), words: { $0.map(\.description) }
    ) { node, reader in
      reader.several(node, .attribute)
    }
  }
}

extension Step {
  /// Lists the services, characteristics and descriptors of the device.
  ///
  /// ```swift
  /// let chain = try Plan { Step.services.named("what the device offers") }
  /// ```
  public static var services: Step { Step(.services(ServicesStep())) }

  /// Lists the attributes of the device, and fails unless the right ones are present.
  ///
  /// ```swift
  /// try Step.services(offers: ["battery/battery-level:read,notify"], lacks: ["heart-rate"])
  /// ```
  ///
  /// An attribute is a service, `service/characteristic` with properties, or
  /// `service/characteristic/descriptor`. A characteristic in `lacks` that is given with properties
  /// may exist, but must have none of them.
  ///
  /// - Throws: `Problem` for an invalid attribute.
  public static func services(
    offers: [String], lacks: [String] = [], file: String = #fileID, line: Int = #line
  ) throws(Problem) -> Step {
    try Problem.at(file, line) {
      var step = ServicesStep()
      for text in offers { step.offers.append(try OfferedAttribute(parsing: text)) }
      for text in lacks { step.lacks.append(try OfferedAttribute(parsing: text)) }
      return Step(.services(step))
    }
  }
}
