// The conversion of one test to a chain.
//
// An operation becomes steps, or a comment that says why it has none.

import Bluetooth
import Documents

/// Collects the steps of a chain.
struct ChainWriter {
  private typealias Entry = WrittenNode.Entry

  private let suite: Suite
  private let test: SuiteTest
  private let settings: SuiteSettings
  private var body: [WrittenNode.Line<WrittenNode>] = []
  private(set) var steps = 0
  private var omissions: [Omission] = []
  /// The filter of the `scan-for` that finds the device.
  private var found: AdvertisementFilter?
  /// The steps for the writes of the current reliable write; nil if there is none.
  private var reliable: [[Entry]]?
  /// Whether the suite has connected the device before this operation. A chain connects by itself.
  private var isUp = false
  /// The characteristics that the suite is subscribed to. A chain subscribes while a step listens.
  private var subscribed: Set<AttributePath> = []
  /// The operations that follow the one that is converted.
  private var rest: ArraySlice<Operation> = []
  private let target: String?

  init(_ suite: Suite, _ test: SuiteTest, _ settings: SuiteSettings) {
    self.suite = suite
    self.test = test
    self.settings = settings
    target =
      test.target ?? test.operations.first { $0.needsDevice && $0.target != nil }.flatMap(\.target)
  }

  mutating func chain(name: String) -> ConvertedChain {
    for (index, operation) in test.operations.enumerated() {
      rest = test.operations[(index + 1)...]
      convert(operation)
    }
    if !test.operations.contains(where: { $0.action == .device(.disconnect) }) {
      pause(settings.afterTest)
    }
    let title = [suite.title, test.title, test.run].compactMap(\.self).joined(separator: ": ")
    var chain: [WrittenNode.Line<Entry>] = []
    chain.add("name", .text(title))
    if let device { chain.add("device", device) }
    chain.add("timeout", .plain(settings.timeout.written))
    chain.add("steps", .list(body))
    return ConvertedChain(
      name: name, document: .mapping(chain), steps: steps, omissions: omissions
    )
  }

  /// The device for the chain; nil if it must be given on the command line.
  private var device: WrittenNode? {
    if let found {
      if let address = found.address { return .row([Self.entry(address)]) }
      if let name = found.name { return .row(Self.entries(name: name)) }
    }
    let address = suite.targets.first { $0.id == target }?.address
    return address.map { .row([Self.entry($0)]) }
  }

  private static func entry(_ address: BluetoothAddress) -> Entry {
    Entry("address", .quoted("\(address)"))
  }

  private static func row(_ parameters: ConnectionParameters) -> WrittenNode {
    .row([
      Entry("interval", .plain(parameters.interval.written)),
      Entry("latency", .plain("\(parameters.latency)")),
      Entry("timeout", .plain(parameters.supervisionTimeout.written)),
    ])
  }

  private static func entries(name: String) -> [Entry] {
    [Entry("name", .text(name)), Entry("exact", .plain("true"))]
  }

  // MARK: Steps

  /// Adds a step.
  ///
  /// - Parameter value: The value of its verb; null for a verb without one.
  private mutating func add(
    _ verb: String, _ value: WrittenNode = .plain(""), more: [Entry] = []
  ) {
    add([Entry(verb, value)] + more)
  }

  private mutating func add(_ step: [Entry]) {
    body.add(.mapping(step.map { .part($0, remark: nil) }))
    steps += 1
  }

  private mutating func comment(_ text: String) { body.remark(text) }

  /// Adds a comment for an operation that needs no step, because a chain does it by itself.
  private mutating func explain(_ operation: Operation, _ reason: String) {
    comment("\(operation.doing): \(reason)")
  }

  /// Omits an operation, with the reason as a comment in the chain and in the list of omissions.
  private mutating func omit(_ operation: Operation, _ reason: String) {
    explain(operation, reason)
    omissions.append(Omission(place: operation.place, message: "\(operation.doing): \(reason)"))
  }

  private mutating func pause(_ duration: Duration) {
    if duration > .zero { add("sleep", .plain(duration.written)) }
  }

  private static func hex(_ octets: [UInt8]) -> WrittenNode {
    .quoted(DecodedValue.octets(octets).description)
  }

  // MARK: Operations

  private mutating func convert(_ operation: Operation) {
    if operation.title != operation.name { comment(operation.title) }
    if let reason = obstacle(operation) { return omit(operation, reason) }
    switch operation.action {
    case .scan(let filter): scan(operation, filter)
    case .scanFor(let filter, let bind): scanFor(operation, filter, bind)
    case .sleep: add("sleep", duration(operation))
    case .unsupported(let unsupported):
      omit(operation, "this is not supported here: \(unsupported.reason)")
    case .device(let action): convert(operation, action)
    case .attribute(let path, let action):
      guard path.serviceInstance == 0 else {
        return omit(operation, "a chain names services by their UUID alone")
      }
      convert(operation, path, action)
    }
  }

  private mutating func convert(_ operation: Operation, _ action: Operation.DeviceAction) {
    let succeeds = operation.expected == .success
    switch action {
    case .connect:
      add("connect", more: ending(operation))
      if succeeds {
        isUp = true
        pause(settings.afterConnect)
      }
    case .discoverServices: add("services", more: ending(operation))
    case .disconnect:
      add("disconnect", more: ending(operation))
      if succeeds { unlinked() }
    case .bond:
      add("pair", more: ending(operation))
      if succeeds { isUp = true }
    case .unbond:
      add("unpair", more: ending(operation))
      if succeeds { unlinked() }
    case .refresh: omit(operation, "bluetoothd updates its cache of services by itself")
    case .assertService(let assertion): services(operation, assertion)
    case .beginReliableWrite: reliableWrite(operation, isRight: reliable == nil, becomes: [])
    case .abortReliableWrite:
      reliableWrite(operation, isRight: reliable?.isEmpty == false, becomes: nil)
    case .executeReliableWrite:
      // A chain has no reliable writes: its writes become steps, unless it was aborted.
      let steps = reliable ?? []
      for step in steps { add(step) }
      reliableWrite(operation, isRight: !steps.isEmpty, becomes: nil)
    case .readRSSI(let assertion): rssi(operation, assertion)
    case .requestMTU(let wanted):
      comment("bluetoothd negotiates the MTU by itself: the suite requests \(wanted) bytes")
      add("mtu", more: ending(operation))
    case .requestPriority(let priority):
      add("connection-parameters", Self.row(priority.parameters), more: ending(operation))
    case .readPHY: omit(operation, "no step reads the PHY alone")
    case .changePHY(let phy):
      let wanted = WrittenNode.row([Entry("phy", .plain(phy.rawValue))])
      add("connection-parameters", wanted, more: ending(operation))
    }
  }

  private mutating func convert(
    _ operation: Operation, _ path: AttributePath, _ action: Operation.AttributeAction
  ) {
    switch action {
    case .read(let assertion): read(operation, path, assertion)
    case .write(let value, let isCommand): write(operation, path, value, isCommand: isCommand)
    case .awaitNotification(let trigger, let assertion):
      notify(operation, path, trigger, assertion)
    case .sleepWhile: omit(operation, "no step waits for a value")
    }
  }

  /// Handles the end of the connection, which ends the subscriptions and the reliable write.
  private mutating func unlinked() {
    isUp = false
    subscribed = []
    reliable = nil
  }

  // MARK: Obstacles and endings

  /// Returns why an operation cannot be converted, for reasons that do not depend on its kind; nil if it can.
  private func obstacle(_ operation: Operation) -> String? {
    if operation.needsDevice, let own = operation.target, own != target {
      return "a chain has one device, and this operation has another"
    }
    switch operation.action {
    case .scanFor: return nil
    case .scan, .sleep, .unsupported, .device(.connect), .device(.disconnect), .device(.bond),
      .device(.unbond):
      break
    case .device, .attribute:
      if !isUp { return "the suite fails here without a connection; a chain makes one" }
    }
    if let obstacle = obstacleToResult(of: operation) { return obstacle }
    if operation.timeout == .zero, !operation.hasNoTimeout {
      return "the suite gives it no time; a step has at least some"
    }
    return nil
  }

  /// Returns why no step can have the expected result of an operation; nil if one can.
  private func obstacleToResult(of operation: Operation) -> String? {
    if operation.expected.isLenient, !mayWarn(operation) {
      return "it only warns, and what follows depends on whether it succeeded"
    }
    guard operation.expected.isFailure else { return nil }
    guard mayFail(operation) else { return "no step of this kind is expected to fail" }
    if operation.expected.isLenient, operation.errorCode != nil {
      return "a step that warns does so after any other failure, too"
    }
    guard Self.failures(operation) != nil else {
      return "no expectation has the meaning of error \(operation.errorCode ?? 0)"
    }
    return nil
  }

  /// Whether a step can be expected to fail as the operation is.
  private func mayFail(_ operation: Operation) -> Bool {
    switch operation.action {
    case .device(let action):
      switch action {
      case .connect, .disconnect, .discoverServices, .unbond, .requestMTU, .requestPriority,
        .changePHY, .readRSSI(nil):
        true
      // Without a connection, the state after a failed pairing would be unknown.
      case .bond: isUp
      // A step can only expect that the whole service is missing.
      case .assertService(let assertion):
        assertion.characteristics.isEmpty && operation.errorCode == nil
      case .readRSSI, .readPHY, .refresh, .beginReliableWrite, .executeReliableWrite,
        .abortReliableWrite:
        false
      }
    // bluetoothd does not expose Generic Access, which a suite does not count as a failure.
    case .attribute(let path, _) where path.service == .genericAccess: false
    // In a suite a different value is a failure; a step that must fail does not compare values.
    case .attribute(_, .read(let assertion)), .attribute(_, .awaitNotification(_, let assertion)):
      assertion == nil
    case .attribute(let path, .write): !path.isSubscription && reliable == nil
    // A scan never fails. A search for a device has a step that expects to find none.
    case .scan, .scanFor, .sleep, .unsupported, .attribute(_, .sleepWhile): false
    }
  }

  /// Whether a failure of the step can be only a warning. That requires that no later operation depends on it.
  private func mayWarn(_ operation: Operation) -> Bool {
    switch operation.action {
    case .device(let action):
      switch action {
      case .discoverServices, .requestMTU, .requestPriority, .changePHY, .readPHY, .readRSSI,
        .assertService:
        true
      case .connect, .disconnect, .bond, .unbond, .refresh, .beginReliableWrite,
        .executeReliableWrite, .abortReliableWrite:
        false
      }
    case .attribute(let path, .write): !path.isSubscription && reliable == nil
    case .attribute, .scan, .scanFor, .sleep, .unsupported: true
    }
  }

  /// Returns the chain's names for the failures that a suite accepts; nil if it has no names for them.
  ///
  /// Failures of the host are never accepted: the two classes include all other failures.
  private static func failures(_ operation: Operation) -> [String]? {
    guard let code = operation.errorCode else {
      return [FailureClass.passing.rawValue, FailureClass.definite.rawValue]
    }
    return ErrorCode(code).names
  }

  /// Returns the keys for the expected result and the timeout of a step.
  private func ending(_ operation: Operation) -> [Entry] {
    let rest = limit(operation) + warning(operation)
    guard operation.expected.isFailure, let names = Self.failures(operation) else { return rest }
    return [Entry("expect", .row([Entry("error", .words(names.map { .plain($0) }))]))] + rest
  }

  /// Returns the key that makes an unexpected result a warning; nothing if it is a failure.
  private func warning(_ operation: Operation) -> [Entry] {
    operation.expected.isLenient ? [Entry("on-failure", .plain("warn"))] : []
  }

  /// Returns the key for the operation's timeout; nothing for the default one. Zero, which means no limit,
  /// becomes ``SuiteSettings/endless``.
  private func limit(_ operation: Operation) -> [Entry] {
    operation.timeout == nil ? [] : [Entry("timeout", duration(operation))]
  }

  // MARK: Scans

  /// Returns the timeout of an operation, or the duration of a scan or a sleep.
  private func duration(_ operation: Operation) -> WrittenNode {
    let own = operation.hasNoTimeout ? settings.endless : operation.timeout
    return .plain((own ?? settings.timeout).written)
  }

  private func filters(_ filter: AdvertisementFilter) -> [Entry] {
    var entries = filter.name.map { Self.entries(name: $0) } ?? []
    if let address = filter.address { entries.append(Self.entry(address)) }
    if let rssi = filter.rssi { entries.append(Entry("rssi", .plain("\(rssi)"))) }
    return entries
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
    add("scan", duration(operation), more: filters(filter))
  }

  private mutating func scanFor(
    _ operation: Operation, _ filter: AdvertisementFilter, _ bind: String?
  ) {
    let result = operation.expected
    guard isPlain(operation, filter) else { return }
    if result == .success, bind != nil, bind == target {
      found = filter
      if filter.data != nil || filter.rssi != nil {
        omit(operation, "a chain finds its device by name, address or service: choose one")
      } else {
        comment("the device of this chain")
      }
      return
    }
    if filter.data != nil || filter.target != nil {
      return omit(operation, "a scan of a chain has no patterns and no targets")
    }
    let count: WrittenNode = result.isFailure ? .plain("0") : .row([Entry("min", .plain("1"))])
    let ending = [Entry("expect", .row([Entry("count", count)]))] + warning(operation)
    add("scan", duration(operation), more: filters(filter) + ending)
  }

  // MARK: Services

  private mutating func services(_ operation: Operation, _ assertion: ServiceAssertion) {
    if assertion.uuid == .genericAccess {
      return omit(operation, "bluetoothd hides Generic Access")
    }
    guard assertion.instance == 0 else {
      return omit(operation, "a chain names services by their UUID alone")
    }
    if operation.expected.isFailure {
      let lacks = Entry("lacks", .plain(assertion.uuid.text))
      return add("services", more: [lacks] + limit(operation) + warning(operation))
    }
    var (offers, lacks) = ([assertion.uuid.text], [String]())
    for wanted in assertion.characteristics {
      let name = name(wanted.path)
      func properties(_ requirement: PropertyAssertion.Requirement) -> CharacteristicProperties {
        wanted.properties.filter { $0.requirement == requirement }
          .reduce(into: []) { $0.insert($1.property) }
      }
      let (needed, excluded) = (properties(.mandatory), properties(.excluded))
      switch wanted.expected {
      case .success:
        offers.append(needed.isEmpty ? name : "\(name):\(needed.flags.joined(separator: ","))")
        if !excluded.isEmpty { lacks.append("\(name):\(excluded.flags.joined(separator: ","))") }
      case .failure where needed.isEmpty && excluded.isEmpty:
        lacks.append(name)
        continue
      case .failure, .successOrWarning, .failureOrWarning:
        omit(operation, "a step asserts only what is there or is missing: \(wanted.title)")
        continue
      }
      for descriptor in wanted.descriptors {
        switch descriptor.expected {
        case .success: offers.append(self.name(descriptor.path))
        case .failure: lacks.append(self.name(descriptor.path))
        case .successOrWarning, .failureOrWarning:
          omit(operation, "an expectation that only warns is omitted: \(descriptor.title)")
        }
      }
      for value in wanted.values + wanted.descriptors.flatMap(\.values) {
        omit(operation, "no step knows the last value: \(value.title)")
      }
    }
    func list(_ key: String, _ names: [String]) -> [Entry] {
      guard !names.isEmpty else { return [] }
      return [Entry(key, .list(names.map { .part(.plain($0), remark: nil) }))]
    }
    let lists = list("offers", offers) + list("lacks", lacks)
    add("services", more: lists + ending(operation))
  }

  // MARK: Attributes

  /// Returns the name of an attribute in a chain.
  private func name(_ path: AttributePath) -> String {
    func instance(_ number: Int) -> String { number > 0 ? "#\(number)" : "" }
    let name =
      "\(path.service.text)/\(path.characteristic.text)" + instance(path.characteristicInstance)
    return path.descriptor.map { "\(name)/\($0.text)" + instance(path.descriptorInstance) } ?? name
  }

  /// Adds a step with the expected value, or a comment if a chain cannot express it.
  private mutating func add(
    _ step: [Entry], _ operation: Operation, expecting assertion: ValueAssertion?
  ) {
    let ending = ending(operation)
    guard let assertion else { return add(step + ending) }
    guard !assertion.value.allSatisfy({ $0 == 0 }) else {
      omit(operation, "an empty value equals zeros only in a suite: the expectation is omitted")
      return add(step + ending)
    }
    let value = Self.hex(assertion.value)
    let check = assertion.expected.isFailure ? .row([Entry("not", value)]) : value
    add(step, "hex", check, ending, of: assertion)
  }

  /// Adds a step and the check of its value. If the check only warns, it becomes a separate step, so that the
  /// operation itself must still succeed.
  private mutating func add(
    _ step: [Entry], _ field: String, _ check: WrittenNode, _ ending: [Entry],
    of assertion: some Assertion
  ) {
    guard assertion.expected.isLenient else {
      return add(step + [Entry("expect", .row([Entry(field, check)]))] + ending)
    }
    let name = "value\(steps + 1)"
    add(step + [Entry("as", .plain(name))] + ending)
    comment(assertion.title)
    let path = field == "hex" ? name : "\(name).\(field)"
    add("assert", .row([Entry(path, check)]), more: [Entry("on-failure", .plain("warn"))])
  }

  private mutating func read(
    _ operation: Operation, _ path: AttributePath, _ assertion: ValueAssertion?
  ) {
    if path.isSubscription, subscribed.contains(path.ofCharacteristic) {
      return omit(operation, "the suite is subscribed here; the chain is not")
    }
    let verb = path.descriptor == nil ? "read" : "read-descriptor"
    let step = [Entry(verb, .plain(name(path))), Entry("format", .plain("hex"))]
    add(step, operation, expecting: assertion)
  }

  private mutating func write(
    _ operation: Operation, _ path: AttributePath, _ value: [UInt8], isCommand: Bool
  ) {
    if path.isSubscription { return configure(operation, path.ofCharacteristic, value) }
    guard path.descriptor == nil else {
      let octets = Entry("value", .row([Entry("hex", Self.hex(value))]))
      return add("write-descriptor", .plain(name(path)), more: [octets] + ending(operation))
    }
    if !isCommand, let sent = reliable {
      reliable = sent + [entries(path, value, kind: "reliable")]
      return explain(operation, "it is sent at execute-reliable-write")
    }
    add(entries(path, value, kind: isCommand ? "command" : "request") + ending(operation))
  }

  /// Returns the keys of a step that writes a characteristic.
  private func entries(_ path: AttributePath, _ value: [UInt8], kind: String) -> [Entry] {
    [
      Entry("write", .plain(name(path))), Entry("value", .row([Entry("hex", Self.hex(value))])),
      Entry("kind", .plain(kind)),
    ]
  }

  /// Begins or ends a reliable write, if the operations are in a valid order.
  private mutating func reliableWrite(
    _ operation: Operation, isRight: Bool, becomes next: [[Entry]]?
  ) {
    reliable = isRight ? next : nil
    if !isRight { omit(operation, "the suite fails here, and no step does") }
  }

  // MARK: Notifications

  /// Whether a Client Characteristic Configuration enables notifications or indications.
  private static func subscribes(_ value: [UInt8]) -> Bool { (value.first ?? 0) & 0x03 != 0 }

  /// Handles a write to the Client Characteristic Configuration of a characteristic.
  private mutating func configured(_ characteristic: AttributePath, _ value: [UInt8]) {
    if Self.subscribes(value) {
      subscribed.insert(characteristic)
    } else {
      subscribed.remove(characteristic)
    }
  }

  /// Converts a subscription. A chain subscribes only while a step listens, so it is omitted if that is not
  /// enough.
  private mutating func configure(
    _ operation: Operation, _ characteristic: AttributePath, _ value: [UInt8]
  ) {
    configured(characteristic, value)
    guard Self.subscribes(value) else {
      return explain(operation, "a step 'notify' has unsubscribed by itself")
    }
    let waits = waits(for: characteristic)
    if waits.count(where: \.self) == 1, waits.first == true {
      return explain(operation, "the step 'notify' subscribes by itself")
    }
    omitSubscription(operation)
  }

  /// Returns, for each later operation until the suite unsubscribes, whether it waits for a notification of
  /// the characteristic.
  private func waits(for characteristic: AttributePath) -> [Bool] {
    rest.prefix { next in
      next.action != .device(.disconnect) && next.action != .device(.unbond)
        && next.configures(characteristic).map(Self.subscribes) != false
    }.map { next in
      guard case .attribute(characteristic, .awaitNotification) = next.action else { return false }
      return true
    }
  }

  private mutating func omitSubscription(_ operation: Operation) {
    omit(
      operation,
      "a step 'notify' subscribes by itself, and only while it listens: values that arrive before "
        + "or between such steps are lost"
    )
  }

  private mutating func notify(
    _ operation: Operation, _ path: AttributePath, _ trigger: Operation?,
    _ assertion: ValueAssertion?
  ) {
    if let value = trigger?.configures(path) {
      configured(path, value)
      if waits(for: path).contains(true) { omitSubscription(operation) }
    }
    guard subscribed.contains(path) else {
      return omit(operation, "the suite waits in vain without a subscription; a step has its own")
    }
    guard let after = after(operation, path, trigger) else { return }
    let step = [Entry("notify", .plain(name(path)))] + after
    let until = Entry("until", .row([Entry("count", .plain("1"))]))
    add(step + [until, Entry("format", .plain("hex"))], operation, expecting: assertion)
  }

  /// Returns the key for a trigger, empty if there is none; nil if a chain has no such trigger.
  private mutating func after(
    _ operation: Operation, _ path: AttributePath, _ trigger: Operation?
  ) -> [Entry]? {
    guard let trigger else { return [] }
    guard trigger.expected == .success, trigger.target.map({ $0 == target }) != false,
      reliable == nil
    else {
      omit(operation, "a trigger of a chain has to succeed, at the chain's device")
      return nil
    }
    if trigger.configures(path) != nil { return [] }
    guard case .attribute(let control, .write(let value, let isCommand)) = trigger.action,
      control.descriptor == nil
    else {
      omit(operation, "only a write triggers notifications in a chain")
      return nil
    }
    guard control.serviceInstance == 0 else {
      omit(operation, "a chain names services by their UUID alone")
      return nil
    }
    let kind = isCommand ? "command" : "request"
    return [Entry("after", .row(entries(control, value, kind: kind)))]
  }

  private mutating func rssi(_ operation: Operation, _ assertion: StrengthAssertion?) {
    guard let assertion else { return add("rssi", more: ending(operation)) }
    guard !assertion.expected.isFailure else {
      omit(operation, "an expectation that must not hold is omitted: \(assertion.title)")
      return add("rssi", more: ending(operation))
    }
    let bound = WrittenNode.plain("\(assertion.bound)")
    let check: WrittenNode =
      switch assertion.side {
      case .equal: bound
      case .above: .row([Entry("above", bound)])
      case .below: .row([Entry("below", bound)])
      }
    add([Entry("rssi", .plain(""))], "rssi", check, ending(operation), of: assertion)
  }
}
