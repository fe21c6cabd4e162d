// The attributes and children of each kind of operation.

import Bluetooth

extension OperationReader {
  func scanFor(_ reader: inout ElementReader) -> Operation.Action {
    let filter = filter(&reader, isComplete: false)
    let bound = reader.word("bind-target", among: targets)
    reader.finish()
    return .scanFor(filter, bind: bound)
  }

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
        reader.complain("data", "invalid pattern '\(text)': \(error)")
      }
    }
    // In a scan the target is a filter: the operation is not done to a device.
    filter.target = reader.word("target", among: targets)
    if isComplete { reader.finish() }
    return filter
  }

  // MARK: Attributes

  /// The characteristic that an element names, or its descriptor.
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
      context.complaints.add(
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

  /// `-50`, `-50-` for weaker, `-50+` for stronger.
  private static func bound(_ text: String) -> (Int, StrengthAssertion.Side)? {
    let sides: [(String, StrengthAssertion.Side)] = [("-", .below), ("+", .above)]
    let side = sides.first { text.count > 1 && text.hasSuffix($0.0) }
    guard let bound = Int(side == nil ? text : String(text.dropLast())),
      (-127...127).contains(bound)
    else { return nil }
    return (bound, side?.1 ?? .equal)
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

  /// The values that an element asserts. A macro only warns of another value.
  ///
  /// - Source: Nordic Semiconductor, nRF Connect for Android, documentation of macros: "an orange
  ///   triangle will be shown".
  /// - Parameter most: How many are allowed.
  func values(in reader: inout ElementReader, most: Int = 1) -> [ValueAssertion] {
    let children = reader.element.children.filter { $0.name == "assert-value" }
    if children.count > most {
      context.complaints.add(
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

}
