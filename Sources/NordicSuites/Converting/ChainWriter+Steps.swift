// The steps for each operation.

import Bluetooth
import Jobs

extension ChainWriter {
  mutating func convert(_ operation: Operation) {
    if operation.title != operation.name { comment(operation.title) }
    if let reason = obstacle(operation) { return omit(operation, reason) }
    switch operation.action {
    case .scan(let filter): scan(operation, filter)
    case .scanFor(let filter, let bind): scanFor(operation, filter, bind)
    case .connect:
      add("connect:", ending(operation))
      if mustSucceed(operation) {
        link.connect()
        pause(settings.afterConnect)
      }
    case .discoverServices: add("services:", ending(operation))
    case .disconnect:
      add("disconnect:", ending(operation))
      if mustSucceed(operation) { unlinked() }
    case .bond:
      add("pair:", ending(operation))
      if mustSucceed(operation) { link.connect() }
    case .unbond:
      add("unpair:", ending(operation))
      if mustSucceed(operation) { unlinked() }
    case .refresh: omit(operation, "bluetoothd updates its cache of services by itself")
    case .assertService: omit(operation, "no step asserts what a device offers")
    case .read(let path, let assertion): read(operation, path, assertion)
    case .write(let path, let value, let isCommand):
      write(operation, path, value, isCommand: isCommand)
    case .beginReliableWrite, .executeReliableWrite, .abortReliableWrite:
      reliableWrite(operation)
    case .awaitNotification(let path, let trigger, let assertion):
      notify(operation, path, trigger, assertion)
    case .readRSSI(let assertion): rssi(operation, assertion)
    case .requestMTU(let wanted):
      comment("bluetoothd negotiates the MTU by itself: the suite requests \(wanted) bytes")
      add("mtu:", ending(operation))
    case .sleep: add("sleep: \((operation.timeout ?? settings.timeout).written)")
    case .sleepWhile: omit(operation, "no step waits for a value")
    case .unsupported(let unsupported):
      omit(operation, "this is not supported here: \(unsupported.reason)")
    }
  }

  /// Why no step does the same as an operation, whatever its kind.
  private func obstacle(_ operation: Operation) -> String? {
    if operation.kind == .link, let own = operation.target, own != target {
      return "a chain has one device, and this operation has another"
    }
    switch operation.action {
    case .connect, .bond, .unbond, .disconnect, .scan, .sleep, .unsupported: break
    case .scanFor: return nil
    case .discoverServices, .refresh, .assertService, .read, .write, .beginReliableWrite,
      .executeReliableWrite, .abortReliableWrite, .awaitNotification, .readRSSI, .requestMTU,
      .sleepWhile:
      if !link.isUp { return "the suite fails here without a connection; a chain makes one" }
    }
    if let obstacle = obstacleToResult(of: operation) { return obstacle }
    if operation.timeout == .zero, !operation.isWait {
      return "the suite gives it no time; a step has at least some"
    }
    return nil
  }

  /// The connection ends, and what the suite had begun on it.
  private mutating func unlinked() {
    link.disconnect()
    reliable = nil
  }

  private func mustSucceed(_ operation: Operation) -> Bool {
    operation.expected.result == .success
  }

  /// What a step has to end with, and by when.
  private func ending(_ operation: Operation) -> [String] { failing(operation) + limit(operation) }

  /// The operation's own timeout. A wait without one has the limit of waits that have none.
  private func limit(_ operation: Operation) -> [String] {
    guard let timeout = operation.timeout else { return [] }
    return ["timeout: \((timeout == .zero ? settings.endless : timeout).written)"]
  }

  // MARK: Scans

  private func filters(_ filter: AdvertisementFilter) -> [String] {
    var lines: [String] = []
    if let name = filter.name { lines += ["name: \(Self.quoted(name))", "exact: true"] }
    if let address = filter.address { lines.append("address: \"\(address)\"") }
    if let rssi = filter.rssi { lines.append("rssi: \(rssi)") }
    return lines
  }

  /// Whether the name of a filter means the same in a chain.
  private mutating func isPlain(_ operation: Operation, _ filter: AdvertisementFilter) -> Bool {
    guard let name = filter.name, name.contains(where: { $0 == "*" || $0 == "?" }) else {
      return true
    }
    omit(operation, "* and ? in a name are wildcards in a chain")
    return false
  }

  private mutating func scan(_ operation: Operation, _ filter: AdvertisementFilter) {
    if filter.data != nil || filter.target != nil {
      return omit(operation, "a scan of a chain has no patterns and no targets")
    }
    guard isPlain(operation, filter) else { return }
    add("scan: \((operation.timeout ?? settings.timeout).written)", filters(filter))
  }

  private mutating func scanFor(
    _ operation: Operation,
    _ filter: AdvertisementFilter,
    _ bind: String?
  ) {
    let result = operation.expected.result
    guard isPlain(operation, filter) else { return }
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
    let isZero = assertion.value.allSatisfy { $0 == 0 }
    switch assertion.expected {
    case .success, .failure:
      guard !isZero else {
        omit(
          operation,
          "an empty value equals zeros only in a suite: the expectation is omitted"
        )
        return []
      }
      let value = Self.hex(assertion.value)
      return assertion.expected == .success
        ? ["expect: { hex: \(value) }"] : ["expect: { hex: { not: \(value) } }"]
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
    if path.isSubscription, link.isSubscribed(path.ofCharacteristic) {
      return omit(operation, "the suite is subscribed here; the chain is not")
    }
    let verb = path.descriptor == nil ? "read" : "read-descriptor"
    let more = ["format: hex"] + expectation(operation, assertion) + ending(operation)
    add("\(verb): \(name(path))", more)
  }

  private mutating func write(
    _ operation: Operation,
    _ path: AttributePath,
    _ value: [UInt8],
    isCommand: Bool
  ) {
    guard isNamed(operation, path) else { return }
    if path.isSubscription { return configure(operation, path.ofCharacteristic, value) }
    let octets = "value: { hex: \(Self.hex(value)) }"
    guard path.descriptor == nil else {
      return add("write-descriptor: \(name(path))", [octets] + ending(operation))
    }
    let first = "write: \(name(path))"
    if !isCommand, reliable != nil {
      reliable?.append([first, octets, "kind: reliable"])
      return explain(operation, "it is sent at execute-reliable-write")
    }
    add(first, [octets, "kind: \(isCommand ? "command" : "request")"] + ending(operation))
  }

  /// A subscription: a chain has it only while a step listens, which may be all that is needed.
  private mutating func configure(
    _ operation: Operation,
    _ characteristic: AttributePath,
    _ value: [UInt8]
  ) {
    link.configure(characteristic, value)
    guard ConvertedLink.subscribes(value) else {
      return explain(operation, "a step 'notify' has unsubscribed by itself")
    }
    let subscribed = subscribed(to: characteristic)
    let isOnce = subscribed.count { $0.awaits(characteristic) } == 1
    if isOnce, subscribed.first?.awaits(characteristic) == true {
      return explain(operation, "the step 'notify' subscribes by itself")
    }
    omitSubscription(operation)
  }

  /// The operations that follow, as long as the suite is subscribed.
  private func subscribed(to characteristic: AttributePath) -> ArraySlice<Operation> {
    rest.prefix { next in
      !next.endsLink && next.configures(characteristic).map(ConvertedLink.subscribes) != false
    }
  }

  private mutating func omitSubscription(_ operation: Operation) {
    omit(
      operation,
      "a step 'notify' subscribes by itself, and only while it listens: values that arrive before "
        + "or between such steps are lost"
    )
  }

  /// The writes of a reliable write are steps where they are executed, and none where they are not.
  private mutating func reliableWrite(_ operation: Operation) {
    let isBegin = operation.action == .beginReliableWrite
    guard isBegin == (reliable == nil), isBegin || reliable?.isEmpty == false else {
      reliable = nil
      return omit(operation, "the suite fails here, and no step does")
    }
    if operation.action == .executeReliableWrite {
      for step in reliable ?? [] { add(step[0], Array(step.dropFirst())) }
    }
    reliable = isBegin ? [] : nil
  }

  private mutating func notify(
    _ operation: Operation,
    _ path: AttributePath,
    _ trigger: Operation?,
    _ assertion: ValueAssertion?
  ) {
    guard isNamed(operation, path) else { return }
    if let value = trigger?.configures(path) {
      link.configure(path, value)
      if subscribed(to: path).contains(where: { $0.awaits(path) }) { omitSubscription(operation) }
    }
    guard link.isSubscribed(path) else {
      return omit(operation, "the suite waits in vain without a subscription; a step has its own")
    }
    guard let after = after(operation, path, trigger) else { return }
    var lines = after + ["until: { count: 1 }", "format: hex"]
    lines += expectation(operation, assertion) + ending(operation)
    add("notify: \(name(path))", lines)
  }

  /// The line for a trigger, which may be none; nil where a chain does not have such a trigger.
  private mutating func after(
    _ operation: Operation,
    _ path: AttributePath,
    _ trigger: Operation?
  ) -> [String]? {
    guard let trigger else { return [] }
    guard trigger.expected.result == .success, trigger.target.map({ $0 == target }) != false,
      reliable == nil
    else {
      omit(operation, "a trigger of a chain has to succeed, at the chain's device")
      return nil
    }
    switch trigger.action {
    case .write(let control, let value, let isCommand) where control.descriptor == nil:
      guard isNamed(operation, control) else { return nil }
      let kind = isCommand ? "command" : "request"
      let written = "value: { hex: \(Self.hex(value)) }, kind: \(kind)"
      return ["after: { write: \(name(control)), \(written) }"]
    case .write where trigger.configures(path) != nil: return []
    case .write, .read, .scan, .scanFor, .connect, .discoverServices, .refresh, .disconnect, .bond,
      .unbond, .assertService, .beginReliableWrite, .executeReliableWrite, .abortReliableWrite,
      .awaitNotification, .readRSSI, .requestMTU, .sleep, .sleepWhile, .unsupported:
      omit(operation, "only a write triggers notifications in a chain")
      return nil
    }
  }

  private mutating func rssi(_ operation: Operation, _ assertion: StrengthAssertion?) {
    guard let assertion else { return add("rssi:", ending(operation)) }
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
