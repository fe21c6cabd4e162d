// The reader of a test's operations: their kinds, and the attributes that all kinds share.
//
// OperationKind.swift assigns a reader to each kind.

import Bluetooth
import Documents

/// Reads the operations of one test, and collects their problems.
struct OperationReader {
  let context: ReadingContext
  /// Whether the operations are those of a macro.
  let isMacro: Bool
  /// The targets of the suite.
  let targets: [String]

  func operations(_ elements: [Element]) -> [Operation] {
    let known = isMacro ? OperationKind.names.ofMacros : OperationKind.names.ofTests
    // Unknown elements have already been reported.
    return elements.filter { known.contains($0.name) }.compactMap { operation($0) }
  }

  /// Reads one operation; nil if a part of it is invalid.
  func operation(_ element: Element) -> Operation? {
    guard let kind = OperationKind.named(element.name) else { return nil }
    let name = kind.name
    var reader = reader(element)
    let title = reader.text("description")
    var target: String?
    var expected = (result: ExpectedResult.success, code: Int?.none)
    var timeout: Duration?
    let isSleep = ["sleep", "sleep-if", "sleep-until"].contains(name)
    if !isMacro || isSleep { timeout = name == "dfu" ? nil : reader.duration("timeout") }
    if !isMacro {
      target = reader.word("target", among: targets)
      if name != "sleep" { expected = self.expected(&reader) }
    }
    if isMacro, Self.endless.contains(name), timeout == nil { timeout = .zero }
    guard let action = kind.read(self, &reader) else { return nil }
    return Operation(
      name: name, title: title ?? name, place: element.place, target: target, timeout: timeout,
      expected: expected.result, errorCode: expected.code, action: action
    )
  }

  /// The waits in macros that have no timeout.
  private static let endless = [
    "wait-for-notification", "wait-for-indication", "sleep-if", "sleep-until",
  ]

  func reader(_ element: Element) -> ElementReader { ElementReader(element, context) }

  private func expected(_ reader: inout ElementReader) -> (result: ExpectedResult, code: Int?) {
    let result: ExpectedResult? = reader.choice("expected")
    let code = reader.optional("expectedErrorCode", expected: "a number from 0 to 65535") {
      ElementReader.number($0, in: 0...65_535)
    }
    if code != nil, result?.isFailure != true {
      reader.addProblem(
        "expectedErrorCode", "an error code needs an expected failure",
        expected: "expected=\"FAIL\" beside it"
      )
    }
    return (result ?? .success, code)
  }

  // MARK: Scans

  func scanFor(_ reader: inout ElementReader) -> Operation.Action {
    let filter = filter(&reader, isComplete: false)
    let bound = reader.word("bind-target", among: targets)
    reader.finish()
    return .scanFor(filter, bind: bound)
  }

  /// Reads the filter of a scan.
  ///
  /// - Parameter isComplete: Whether the element has no other attributes.
  func filter(_ reader: inout ElementReader, isComplete: Bool = true) -> AdvertisementFilter {
    var filter = AdvertisementFilter()
    filter.address = reader.optional("address", expected: "an address") { BluetoothAddress($0) }
    filter.rssi = reader.optional("rssi", expected: "an RSSI in dBm, from -127 to 20") {
      ElementReader.number($0, in: -127...20)
    }
    filter.name = reader.text("name")
    if let text = reader.text("data") {
      do { filter.data = try DataPattern(text) } catch {
        reader.addProblem("data", "invalid pattern '\(text)': \(error)")
      }
    }
    // In a scan, the target is a condition: the operation is not performed on it.
    filter.target = reader.word("target", among: targets)
    if isComplete { reader.finish() }
    return filter
  }

  // MARK: Attributes

  /// Reads the characteristic of an element, or the descriptor of a characteristic.
  func path(_ reader: inout ElementReader, isDescriptor: Bool = false) -> AttributePath? {
    let service = reader.uuid("service-uuid")
    let serviceInstance = reader.instance("service-instance-id")
    let characteristic = reader.uuid("characteristic-uuid")
    let instance = reader.instance("characteristic-instance-id")
    let descriptor = isDescriptor ? reader.uuid("uuid") : nil
    let descriptorInstance = isDescriptor ? reader.instance("descriptor-instance-id") : 0
    guard let service, let characteristic, !isDescriptor || descriptor != nil else { return nil }
    return AttributePath(
      service: service, serviceInstance: serviceInstance, characteristic: characteristic,
      characteristicInstance: instance, descriptor: descriptor,
      descriptorInstance: descriptorInstance, names: context.names
    )
  }

  func reading(_ reader: inout ElementReader, isDescriptor: Bool) -> Operation.Action? {
    let path = path(&reader, isDescriptor: isDescriptor)
    let assertions = values(in: &reader)
    reader.finish(children: ["assert-value"])
    return path.map { .attribute($0, .read(assertions.first)) }
  }

  func writing(_ reader: inout ElementReader, isDescriptor: Bool) -> Operation.Action? {
    let path = path(&reader, isDescriptor: isDescriptor)
    let kind: WriteType? = isDescriptor ? nil : reader.choice("type")
    let value = reader.value()
    reader.finish()
    guard let path, let value else { return nil }
    return .attribute(path, .write(value.octets, isCommand: kind == .command))
  }

  private enum WriteType: String, CaseIterable {
    case request = "WRITE_REQUEST"
    case command = "WRITE_COMMAND"
  }

  func notification(_ reader: inout ElementReader, hasTrigger: Bool) -> Operation.Action? {
    let triggers = ["write", "write-descriptor", "read", "read-descriptor"]
    let path = path(&reader)
    let assertions = values(in: &reader)
    let children = hasTrigger ? reader.element.children.filter { triggers.contains($0.name) } : []
    reader.finish(children: ["assert-value"] + (hasTrigger ? triggers : []))
    if children.count > 1 {
      context.problems.add(
        children[1].place,
        reader.element.name,
        "only one operation may be the trigger"
      )
    }
    let trigger = children.first.flatMap { operation($0) }
    return path.map { .attribute($0, .awaitNotification(trigger: trigger, assertions.first)) }
  }

  // MARK: The link and the time

  func strength(_ reader: inout ElementReader) -> Operation.Action {
    let assertion = reader.element.children.first { $0.name == "assert-value" }
    reader.finish(children: ["assert-value"])
    guard let assertion else { return .device(.readRSSI(nil)) }
    var own = self.reader(assertion)
    let title = own.text("description") ?? assertion.name
    let expected: ExpectedResult? = own.choice("expected")
    let bound = own.required("value", expected: "an RSSI such as -50, -50- or -50+") {
      Self.bound($0)
    }
    own.finish()
    return .device(
      .readRSSI(
        bound.map { bound, side in
          StrengthAssertion(title: title, bound: bound, side: side, expected: expected ?? .success)
        }
      )
    )
  }

  /// Parses a bound of an RSSI: `-50`, `-50-` for weaker, `-50+` for stronger.
  private static func bound(_ text: String) -> (Int, StrengthAssertion.Side)? {
    let sides: [(String, StrengthAssertion.Side)] = [("-", .below), ("+", .above)]
    let side = sides.first { text.count > 1 && text.hasSuffix($0.0) }
    guard let bound = Int(side == nil ? text : String(text.dropLast())),
      (-127...127).contains(bound)
    else { return nil }
    return (bound, side?.1 ?? .equal)
  }

  /// Reads the PHYs that the first `assert-value` asserts; nil without one.
  func phys(_ reader: inout ElementReader) -> PHYAssertion? {
    let assertion = reader.element.children.first { $0.name == "assert-value" }
    reader.finish(children: ["assert-value"])
    guard let assertion else { return nil }
    var own = self.reader(assertion)
    let title = own.text("description") ?? assertion.name
    let expected: ExpectedResult? = own.choice("expected")
    let (tx, rx) = (own.phys("tx"), own.phys("rx"))
    own.finish()
    return PHYAssertion(title: title, tx: tx, rx: rx, expected: expected ?? .success)
  }

  func mtu(_ reader: inout ElementReader) -> Operation.Action? {
    let value = reader.required("value", expected: "bytes, from 23 to 517") {
      ElementReader.number($0, in: 23...517)
    }
    reader.finish()
    return value.map { .device(.requestMTU($0)) }
  }

  func sleeping(_ reader: inout ElementReader, whileEqual isEqual: Bool) -> Operation.Action? {
    let path = path(&reader)
    let value = reader.value()
    let isOfServer =
      isMacro
      && reader.optional("server", expected: "true or false") {
        ["true": true, "false": false][$0]
      } == true
    reader.finish()
    if isOfServer { return .unsupported(.server) }
    guard let path, let value else { return nil }
    return .attribute(path, .sleepWhile(value.octets, isEqual: isEqual))
  }

  // MARK: Children

  /// Reads the values that an element asserts. In a macro, a different value is only a warning.
  ///
  /// - Source: Nordic Semiconductor, nRF Connect for Android, documentation of macros: "an orange
  ///   triangle will be shown".
  /// - Parameter most: The number of allowed assertions.
  func values(in reader: inout ElementReader, most: Int = 1) -> [ValueAssertion] {
    let children = reader.element.children.filter { $0.name == "assert-value" }
    if children.count > most {
      context.problems.add(
        children[most].place,
        reader.element.name,
        "only one value may be asserted"
      )
    }
    return children.compactMap { element in
      var own = self.reader(element)
      let title = own.text("description") ?? element.name
      let expected: ExpectedResult? = own.choice("expected")
      let value = own.value()
      own.finish()
      return value.map {
        ValueAssertion(
          title: title, value: $0.octets, isText: $0.isText,
          expected: expected ?? (isMacro ? .successOrWarning : .success)
        )
      }
    }
  }

  // MARK: Services

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
    if let name, property == nil { reader.addUnknownWord("name", name, among: names.map(\.name)) }
    let requirement: PropertyAssertion.Requirement? = reader.choice("requirement")
    reader.finish()
    guard let name, let property else { return nil }
    return PropertyAssertion(name: name, property: property, requirement: requirement ?? .mandatory)
  }

  /// Reads the title and the expected result of an assertion. Its target is that of the operation.
  private func head(_ reader: inout ElementReader) -> (title: String, expected: ExpectedResult) {
    let title = reader.text("description") ?? reader.element.name
    let expected: ExpectedResult? = reader.choice("expected")
    _ = reader.word("target", among: targets)
    return (title, expected ?? .success)
  }
}

extension Unsupported {
  /// The operations of a macro as a GATT server.
  static let server = Unsupported(
    reason: "blerun is a GATT client and serves no attributes",
    hint: "let the suite read and write the device instead"
  )

  /// `set-preferred-phy` with different PHYs in the two directions.
  static let differentPHYs = Unsupported(
    reason: "blerun requests the same PHY in both directions, and tx and rx have none in common",
    hint: "name one PHY in both"
  )
  static let phyUpdate = Unsupported(
    reason: "blerun does not see when the device changes the PHY",
    hint: "read-phy reads it, and set-preferred-phy changes it"
  )
  static let dfu = Unsupported(
    reason: "blerun sends no firmware images", hint: "nrfutil does, before or after the suite"
  )
  static let mcu = Unsupported(
    reason: "blerun sends no firmware images", hint: "mcumgr does, before or after the suite"
  )
  static let eddystone = Unsupported(
    reason: "blerun does not encrypt the challenge of an Eddystone beacon"
  )
}

extension ElementReader {
  /// Reads the file of a firmware image, and other attributes with any text.
  mutating func image(_ optional: String...) {
    _ = required("file", expected: "a text") { $0 }
    for name in optional { _ = text(name) }
  }

  /// Reads PHYs with `|` between them; nil without the attribute.
  mutating func phys(_ name: String) -> [PHY]? {
    optional(name, expected: "LE_1M, LE_2M or LE_CODED, with | between them") { text in
      let words = text.split(separator: "|", omittingEmptySubsequences: false)
      let phys = words.compactMap { word in
        PHY.allCases.first { $0.nameInSuites == word.filter { $0 != " " } }
      }
      return phys.count == words.count ? phys : nil
    }
  }
}
