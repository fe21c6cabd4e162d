// What each kind of operation takes.

import Bluetooth

extension OperationReader {
  /// What an element does; nil where a part of it is wrong.
  func action(_ reader: inout ElementReader, isMacro: Bool) -> Operation.Action? {
    let name = reader.element.name
    switch name {
    case "scan", "scan-for": return scanning(&reader)
    case "connect": return plain(.connect, &reader)
    case "discover-services": return plain(.discoverServices, &reader)
    case "refresh": return plain(.refresh, &reader)
    case "disconnect": return plain(.disconnect, &reader)
    case "bond": return plain(.bond, &reader)
    case "unbond": return plain(.unbond, &reader)
    case "begin-reliable-write": return plain(.beginReliableWrite, &reader)
    case "execute-reliable-write": return plain(.executeReliableWrite, &reader)
    case "abort-reliable-write": return plain(.abortReliableWrite, &reader)
    case "sleep": return plain(.sleep, &reader)
    case "assert-service": return assertService(&reader)
    case "read", "read-descriptor": return reading(&reader)
    case "write", "write-descriptor": return writing(&reader)
    case "assert-notification", "wait-for-notification", "wait-for-indication":
      return notification(&reader)
    case "read-rssi": return strength(&reader)
    case "request-mtu": return mtu(&reader)
    case "sleep-if", "sleep-until": return sleeping(&reader, isMacro: isMacro)
    default: return unsupported(&reader)
    }
  }

  /// An operation that takes nothing.
  private func plain(
    _ action: Operation.Action,
    _ reader: inout ElementReader
  ) -> Operation.Action {
    reader.finish()
    return action
  }

  private func scanning(_ reader: inout ElementReader) -> Operation.Action {
    var filter = AdvertisementFilter()
    filter.address = reader.optional("address", expected: "an address") { BluetoothAddress($0) }
    filter.rssi = reader.optional("rssi", expected: "a strength in dBm, from -127 to 20") {
      ElementReader.number($0, in: -127...20)
    }
    filter.name = reader.text("name")
    if let text = reader.text("data") {
      do { filter.data = try DataPattern(text) } catch {
        reader.complain("data", "'\(text)' is no pattern: \(error)")
      }
    }
    // In a scan the target is a filter; what the operation is done to is no device.
    filter.target = targetAttribute("target", &reader)
    guard reader.element.name == "scan-for" else {
      reader.finish()
      return .scan(filter)
    }
    let bound = targetAttribute("bind-target", &reader)
    reader.finish()
    return .scanFor(filter, bind: bound)
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
      service: service,
      serviceInstance: serviceInstance,
      characteristic: characteristic,
      characteristicInstance: instance,
      descriptor: descriptor,
      descriptorInstance: descriptorInstance
    )
  }

  private func reading(_ reader: inout ElementReader) -> Operation.Action? {
    let path = path(&reader, isDescriptor: reader.element.name == "read-descriptor")
    let assertions = values(in: &reader)
    reader.finish(children: ["assert-value"])
    return path.map { .read($0, assertions.first) }
  }

  private func writing(_ reader: inout ElementReader) -> Operation.Action? {
    let isDescriptor = reader.element.name == "write-descriptor"
    let path = path(&reader, isDescriptor: isDescriptor)
    let kind: WriteType? = isDescriptor ? nil : reader.choice("type")
    let value = reader.value()
    reader.finish()
    guard let path, let value else { return nil }
    return .write(path, value.octets, isCommand: kind == .command)
  }

  private enum WriteType: String, CaseIterable {
    case request = "WRITE_REQUEST"
    case command = "WRITE_COMMAND"
  }

  private func notification(_ reader: inout ElementReader) -> Operation.Action? {
    let triggers = ["write", "write-descriptor", "read", "read-descriptor"]
    let path = path(&reader)
    let assertions = values(in: &reader)
    let hasTrigger = reader.element.name == "assert-notification"
    let children = hasTrigger ? reader.element.children.filter { triggers.contains($0.name) } : []
    reader.finish(children: ["assert-value"] + (hasTrigger ? triggers : []))
    if children.count > 1 {
      complaints.add(children[1].place, reader.element.name, "one operation triggers it, not more")
    }
    let trigger = children.first.flatMap { operation($0) }
    return path.map { .awaitNotification($0, trigger: trigger, assertions.first) }
  }

  // MARK: The link and the time

  private func strength(_ reader: inout ElementReader) -> Operation.Action {
    let assertion = reader.element.children.first { $0.name == "assert-value" }
    reader.finish(children: ["assert-value"])
    guard let assertion else {
      return .readRSSI(nil)
    }
    var own = self.reader(assertion)
    let title = own.text("description") ?? assertion.name
    let expected: ExpectedResult? = own.choice("expected")
    let bound = own.required("value", expected: "a strength such as -50, -50- or -50+") {
      Self.bound($0)
    }
    own.finish()
    return .readRSSI(
      bound.map { bound, side in
        StrengthAssertion(title: title, bound: bound, side: side, expected: expected ?? .success)
      }
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

  private func mtu(_ reader: inout ElementReader) -> Operation.Action? {
    let value = reader.required("value", expected: "octets, from 23 to 517") {
      ElementReader.number($0, in: 23...517)
    }
    reader.finish()
    return value.map { .requestMTU($0) }
  }

  private func sleeping(_ reader: inout ElementReader, isMacro: Bool) -> Operation.Action? {
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
    return .sleepWhile(path, value.octets, isEqual: reader.element.name == "sleep-if")
  }

  // MARK: What lies in an operation

  /// The values that are asserted in an element: one at most, but of a characteristic.
  func values(in reader: inout ElementReader, most: Int = 1) -> [ValueAssertion] {
    let children = reader.element.children.filter { $0.name == "assert-value" }
    if children.count > most {
      complaints.add(children[most].place, reader.element.name, "a value is asserted once")
    }
    return children.compactMap { element in
      var own = self.reader(element)
      let title = own.text("description") ?? element.name
      let expected: ExpectedResult? = own.choice("expected")
      let value = own.value()
      own.finish()
      return value.map {
        ValueAssertion(
          title: title,
          value: $0.octets,
          isText: $0.isText,
          expected: expected ?? .success
        )
      }
    }
  }

}
