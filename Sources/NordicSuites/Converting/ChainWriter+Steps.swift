// The steps for each operation.

import Bluetooth
import Jobs

extension ChainWriter {
  mutating func convert(_ operation: Operation) {
    if operation.title != operation.name { comment(operation.title) }
    if operation.kind == .link, let own = operation.target, own != target {
      return omit(operation, "a chain has one device, and this operation has another")
    }
    if case .scanFor = operation.action {
    } else if operation.expected.result != .success {
      let expected = operation.expected.result.rawValue
      return omit(operation, "no step is expected to end in \(expected)")
    }
    switch operation.action {
    case .scan(let filter): scan(operation, filter)
    case .scanFor(let filter, let bind): scanFor(operation, filter, bind)
    case .connect:
      add("connect:", limit(operation))
      pause(settings.afterConnect)
    case .discoverServices: add("services:", limit(operation))
    case .disconnect: add("disconnect:", limit(operation))
    case .bond: add("pair:", limit(operation))
    case .unbond: add("unpair:", limit(operation))
    case .refresh: omit(operation, "bluetoothd updates its cache of services by itself")
    case .assertService: omit(operation, "no step asserts what a device offers")
    case .read(let path, let assertion): read(operation, path, assertion)
    case .write(let path, let value, let isCommand):
      write(operation, path, value, isCommand: isCommand)
    case .beginReliableWrite: isReliable = true
    case .executeReliableWrite: isReliable = false
    case .abortReliableWrite:
      isReliable = false
      omit(operation, "the writes before it must not happen: delete them")
    case .awaitNotification(let path, let trigger, let assertion):
      notify(operation, path, trigger, assertion)
    case .readRSSI(let assertion): rssi(operation, assertion)
    case .requestMTU(let wanted):
      comment("bluetoothd negotiates the MTU by itself: the suite requests \(wanted) bytes")
      add("mtu:", limit(operation))
    case .sleep: add("sleep: \((operation.timeout ?? settings.timeout).written)")
    case .sleepWhile: omit(operation, "no step waits for a value")
    case .unsupported(let unsupported):
      omit(operation, "this is not supported here: \(unsupported.reason)")
    }
  }

  private func limit(_ operation: Operation) -> [String] {
    guard let timeout = operation.timeout, timeout > .zero else { return [] }
    return ["timeout: \(timeout.written)"]
  }

  // MARK: Scans

  private func filters(_ filter: AdvertisementFilter) -> [String] {
    var lines: [String] = []
    if let name = filter.name { lines.append("name: \(Self.quoted(name))") }
    if let address = filter.address { lines.append("address: \"\(address)\"") }
    if let rssi = filter.rssi { lines.append("rssi: \(rssi)") }
    return lines
  }

  private mutating func scan(_ operation: Operation, _ filter: AdvertisementFilter) {
    if filter.data != nil || filter.target != nil {
      return omit(operation, "a scan of a chain has no patterns and no targets")
    }
    add("scan: \((operation.timeout ?? settings.timeout).written)", filters(filter))
  }

  private mutating func scanFor(
    _ operation: Operation,
    _ filter: AdvertisementFilter,
    _ bind: String?
  ) {
    let result = operation.expected.result
    if result == .success, bind != nil, bind == target {
      find(by: filter)
      if filter.data != nil || filter.rssi != nil {
        omit(operation, "a chain finds its device by name, address or service: choose one")
      } else {
        comment("the device of this chain")
      }
      return
    }
    if filter.data != nil || filter.target != nil || result.isLenient {
      return omit(operation, "a scan of a chain has no patterns, no targets and no warnings")
    }
    let count = result.isFailure ? "0" : "{ min: 1 }"
    let expectation = ["expect: { count: \(count) }"]
    add("scan: \((operation.timeout ?? settings.timeout).written)", filters(filter) + expectation)
  }

  // MARK: Attributes

  /// The attribute as a chain names it.
  private func name(_ path: AttributePath) -> String {
    var name = "\(path.service.text)/\(path.characteristic.text)"
    if path.characteristicInstance > 0 { name += "#\(path.characteristicInstance)" }
    guard let descriptor = path.descriptor else { return name }
    return name + "/\(descriptor.text)"
      + (path.descriptorInstance > 0 ? "#\(path.descriptorInstance)" : "")
  }

  private mutating func isNamed(_ operation: Operation, _ path: AttributePath) -> Bool {
    guard path.serviceInstance > 0 else { return true }
    omit(operation, "a chain names services by their UUID alone")
    return false
  }

  /// The expectation of a value, or a comment where a chain cannot express it.
  private mutating func expectation(
    _ operation: Operation,
    _ assertion: ValueAssertion?
  ) -> [String] {
    guard let assertion else { return [] }
    switch assertion.expected {
    case .success: return ["expect: { hex: \(Self.hex(assertion.value)) }"]
    case .failure: return ["expect: { hex: { not: \(Self.hex(assertion.value)) } }"]
    case .successOrWarning, .failureOrWarning:
      omit(operation, "an expectation that only warns is omitted: \(assertion.title)")
      return []
    }
  }

  private mutating func read(
    _ operation: Operation,
    _ path: AttributePath,
    _ assertion: ValueAssertion?
  ) {
    guard isNamed(operation, path) else { return }
    let verb = path.descriptor == nil ? "read" : "read-descriptor"
    let more = ["format: hex"] + expectation(operation, assertion) + limit(operation)
    add("\(verb): \(name(path))", more)
  }

  private mutating func write(
    _ operation: Operation,
    _ path: AttributePath,
    _ value: [UInt8],
    isCommand: Bool
  ) {
    guard isNamed(operation, path) else { return }
    if path.isSubscription {
      return omit(operation, "a step 'notify' subscribes by itself, for as long as it listens")
    }
    let octets = "value: { hex: \(Self.hex(value)) }"
    guard path.descriptor == nil else {
      return add("write-descriptor: \(name(path))", [octets] + limit(operation))
    }
    let kind = isCommand ? "command" : isReliable ? "reliable" : "request"
    add("write: \(name(path))", [octets, "kind: \(kind)"] + limit(operation))
  }

  private mutating func notify(
    _ operation: Operation,
    _ path: AttributePath,
    _ trigger: Operation?,
    _ assertion: ValueAssertion?
  ) {
    guard isNamed(operation, path) else { return }
    var lines: [String] = []
    switch trigger?.action {
    case .write(let control, let value, let isCommand)?
    where control.descriptor == nil && trigger?.expected.result == .success:
      guard isNamed(operation, control) else { return }
      let kind = isCommand ? "command" : "request"
      lines.append(
        "after: { write: \(name(control)), value: { hex: \(Self.hex(value)) }, kind: \(kind) }"
      )
    case .write(let control, _, _)? where control.isSubscription: break
    case nil: break
    case .write, .read, .scan, .scanFor, .connect, .discoverServices, .refresh, .disconnect, .bond,
      .unbond, .assertService, .beginReliableWrite, .executeReliableWrite, .abortReliableWrite,
      .awaitNotification, .readRSSI, .requestMTU, .sleep, .sleepWhile, .unsupported:
      return omit(operation, "only a write triggers notifications in a chain")
    }
    lines += ["until: { count: 1 }", "format: hex"]
    lines += expectation(operation, assertion) + limit(operation)
    add("notify: \(name(path))", lines)
  }

  private mutating func rssi(_ operation: Operation, _ assertion: StrengthAssertion?) {
    guard let assertion else { return add("rssi:", limit(operation)) }
    guard assertion.expected == .success else {
      omit(operation, "an expectation that only warns is omitted: \(assertion.title)")
      return add("rssi:", limit(operation))
    }
    let check =
      switch assertion.side {
      case .equal: "\(assertion.bound)"
      case .above: "{ above: \(assertion.bound) }"
      case .below: "{ below: \(assertion.bound) }"
      }
    add("rssi:", ["expect: { rssi: \(check) }"] + limit(operation))
  }
}
