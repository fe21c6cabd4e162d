// The state of a device: operations in, answers and actions out.
//
// Pure: no loop, no lock. SimulatedDevice performs the actions.

import Bluetooth
import Signals

/// The attributes of a device, and the state of its link.
struct DeviceState {
  typealias Answer = Result<Void, ATTErrorCode>

  private(set) var table: AttributeTable
  let mtu: Int
  let unrecorded: UnrecordedWrite?
  let securityRequest: SecurityRequest?
  let start: Instant
  var machines: [MachineRun]
  /// The replaceable firmware: DeviceState+Firmware.swift.
  var firmware: FirmwareServer?
  /// The time of the current operation.
  var now: Instant
  private(set) var isLinked = false
  /// True if the device has had a link.
  private(set) var wasEverLinked = false
  /// The security of the link.
  private(set) var security = LinkSecurity.none
  var characteristics: [CharacteristicState]
  /// The attributes of services that the device does not have at the moment.
  var withheld: [ClosedRange<UInt16>] = []

  init(
    _ definition: DeviceDefinition, table: AttributeTable, start: Instant,
    generator: SeededGenerator
  ) {
    self.table = table
    self.start = start
    mtu = definition.link.mtu
    unrecorded = definition.unrecorded
    securityRequest = definition.pairing.request
    now = start
    machines = definition.machines.map { MachineRun($0) }
    firmware = definition.firmware.map { FirmwareServer($0) }
    var seen: [BluetoothUUID] = []
    characteristics = table.characteristics.map { characteristic in
      // The second characteristic of a UUID has a generator of its own, too.
      let uuid = characteristic.entry.uuid
      let earlier = seen.count { $0 == uuid }
      seen.append(uuid)
      let name = earlier == 0 ? "\(uuid)" : "\(uuid)#\(earlier + 1)"
      return CharacteristicState(characteristic, generator: generator.split(name))
    }
    showFirmwareVersion()
  }

  /// Replaces the attributes. Attributes that still exist keep their values and subscriptions.
  mutating func serve(_ table: AttributeTable, generator: SeededGenerator) {
    let before = characteristics
    self.table = table
    characteristics = table.characteristics.map { characteristic in
      let kept = before.first {
        $0.handle == characteristic.entry.handle && $0.definition == characteristic.definition
      }
      return kept ?? CharacteristicState(characteristic, generator: generator)
    }
  }

  /// Schedules an action after a delay.
  func after(_ delay: Duration, _ action: DueAction) -> DeviceAction {
    .schedule(action, at: now + delay)
  }

  /// The attribute that a handle refers to at the moment.
  func position(of handle: UInt16) -> AttributeTable.Position? {
    withheld.contains { $0.contains(handle) } ? nil : table.position(of: handle)
  }

  // MARK: Link

  mutating func linkUp() -> [DeviceAction] {
    isLinked = true
    wasEverLinked = true
    security = .none
    // A characteristic without a configuration is sent to every central.
    let subscriptions = characteristics.indices.flatMap { index -> [DeviceAction] in
      let definition = characteristics[index].definition
      let properties = definition.properties
      guard !definition.hasConfiguration, !properties.isDisjoint(with: [.notify, .indicate]) else {
        return []
      }
      return begin(index, properties.contains(.notify) ? .notification : .indication)
    }
    return subscriptions + securityRequest(after: .connected)
  }

  mutating func secure(_ level: LinkSecurity) { security = level }

  /// The Security Request that follows an event, if the definition has one.
  ///
  /// - Parameter handle: The handle of the value; nil for the connection.
  func securityRequest(
    after moment: SecurityRequest.Moment, at handle: UInt16? = nil
  ) -> [DeviceAction] {
    guard let request = securityRequest, request.moment == moment, isLinked, security == .none
    else { return [] }
    if let handle {
      guard case .value(let index) = position(of: handle) else { return [] }
      if let selector = request.characteristic, table.indices(of: selector).first != index {
        return []
      }
    }
    return [after(request.delay, .requestSecurity)]
  }

  /// The error that refuses a request on a link with too little security; nil if it is sufficient.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part C §10.3.1 (security request errors).
  func refusal(_ demanded: LinkSecurity) -> ATTErrorCode? {
    if security >= demanded { return nil }
    return demanded == .authenticated ? .insufficientAuthentication : .insufficientEncryption
  }

  /// Removes all subscriptions, and cancels the actions of the link.
  mutating func linkDown() -> [DeviceAction] {
    let wasLinked = isLinked
    isLinked = false
    for index in characteristics.indices {
      characteristics[index].mode = nil
      characteristics[index].ticks = 0
    }
    firmware?.linkDown()
    return wasLinked ? runMachines(.linkEnd).actions : []
  }

  // MARK: Reading

  mutating func read(
    _ handle: UInt16
  ) -> (answer: Result<[UInt8], ATTErrorCode>, actions: [DeviceAction]) {
    if let error = refusal(ofReading: handle) { return (.failure(error), []) }
    switch position(of: handle) {
    case .value(let index):
      let outcome = runMachines(.read, of: index)
      if let refusal = outcome.refusal { return (.failure(refusal), outcome.actions) }
      return (.success(readValue(of: index, elapsed: now - start)), outcome.actions)
    case .descriptor(let index, let number):
      let state = characteristics[index]
      let isConfiguration = state.descriptors[number].uuid == .clientCharacteristicConfiguration
      let value = state.descriptorValues[number]
      return (
        .success(isConfiguration ? SubscriptionMode.configuration(of: state.mode) : value), []
      )
    case .declaration, nil: return (.failure(.invalidHandle), [])
    }
  }

  /// The error that refuses a read before any other decision; nil: none.
  func refusal(ofReading handle: UInt16) -> ATTErrorCode? {
    switch position(of: handle) {
    case .value(let index):
      let definition = characteristics[index].definition
      guard definition.properties.contains(.read) else { return .readNotPermitted }
      return refusal(definition.security.read) ?? definition.readError
    case .descriptor(let index, let number):
      return refusal(characteristics[index].descriptors[number].security.read)
    case .declaration, nil: return .invalidHandle
    }
  }

  // MARK: Writing

  mutating func write(
    _ handle: UInt16, _ value: [UInt8], at offset: Int = 0, withResponse: Bool
  ) -> (answer: Answer, actions: [DeviceAction]) {
    switch position(of: handle) {
    case .value(let index): write(value, at: offset, to: index, withResponse: withResponse)
    case .descriptor(let index, let number): write(value, to: index, descriptor: number)
    case .declaration, nil: (.failure(.invalidHandle), [])
    }
  }

  private mutating func write(
    _ part: [UInt8], at offset: Int, to index: Int, withResponse: Bool
  ) -> (answer: Answer, actions: [DeviceAction]) {
    let definition = characteristics[index].definition
    let value: [UInt8]
    switch written(part, at: offset, to: index, withResponse: withResponse) {
    case .success(let whole): value = whole
    case .failure(let error): return (.failure(error), [])
    }
    if let actions = receiveFirmware(value, on: index) { return (.success(()), actions) }
    if let outcome = runMachines(onWrite: value, to: index) { return outcome }
    switch definition.behaviour {
    case .moving: return (.success(()), [])
    case .constant:
      if unrecorded == .refuse { return (.failure(.requestNotSupported), []) }
      characteristics[index].stored = value
      return (.success(()), [])
    case .echo:
      return (.success(()), notify(index, value))
    case .response(let response):
      let found = response.rule(for: value)
      if let found { characteristics[index].usedRules.insert(found.place) }
      let rule = found.map { response.rules[$0.place] } ?? response.rule(for: value, unrecorded)
      if let refusal = rule.refusal { return (.failure(refusal), []) }
      characteristics[index].stored = value
      var names = found?.names ?? Variables()
      names[ValueTemplate.writtenName] = .octets(value)
      return (.success(()), perform(rule.actions, of: index, in: Scope(variables: names)))
    }
  }

  /// The complete value after a write, or the error that refuses it before any other decision.
  func written(
    _ part: [UInt8], at offset: Int, to index: Int, withResponse: Bool
  ) -> Result<[UInt8], ATTErrorCode> {
    let state = characteristics[index]
    if let error = refusal(ofWriting: state.handle, withResponse: withResponse) {
      return .failure(error)
    }
    let before = state.stored
    guard offset <= before.count else { return .failure(.invalidOffset) }
    let value = Array(before.prefix(offset) + part)
    return value.count <= state.definition.longest
      ? .success(value) : .failure(.invalidAttributeValueLength)
  }

  /// The error that refuses a write, whatever its value; nil: none.
  func refusal(ofWriting handle: UInt16, withResponse: Bool) -> ATTErrorCode? {
    switch position(of: handle) {
    case .value(let index):
      let definition = characteristics[index].definition
      let needed: CharacteristicProperties =
        withResponse
        ? [.write, .reliableWrite] : [.writeWithoutResponse, .authenticatedSignedWrites]
      guard !definition.properties.isDisjoint(with: needed) else { return .writeNotPermitted }
      return refusal(definition.security.write) ?? definition.writeError
    case .descriptor(let index, let number):
      return refusal(characteristics[index].descriptors[number].security.write)
    case .declaration, nil: return .invalidHandle
    }
  }

  /// Performs the actions that are due at once, and returns the others.
  mutating func perform(
    _ actions: [ResponseAction], of index: Int, in scope: Scope
  ) -> [DeviceAction] {
    actions.flatMap { action -> [DeviceAction] in
      let target = action.characteristic.map { table.indices(of: $0).first }
      // An action on a missing characteristic has no effect.
      guard let target = target ?? index else { return [] }
      let value = action.value.octets(in: scope)
      switch action.kind {
      case .notify: return notify(target, value, after: action.delay)
      case .set: return store(target, value, after: action.delay)
      }
    }
  }

  /// Stores a value at once, and sends it to the subscriber in the loop's next turn; or both after
  /// a delay.
  ///
  /// A read in the same instant returns the new value.
  mutating func notify(
    _ index: Int, _ value: [UInt8], after delay: Duration = .zero
  ) -> [DeviceAction] {
    guard delay == .zero else {
      return [after(delay, .notify(characteristic: index, value: value))]
    }
    characteristics[index].stored = value
    return [after(.zero, .send(characteristic: index, value: value))]
  }

  /// Stores a value, at once or after a delay.
  mutating func store(
    _ index: Int, _ value: [UInt8], after delay: Duration = .zero
  ) -> [DeviceAction] {
    guard delay == .zero else { return [after(delay, .store(characteristic: index, value: value))] }
    characteristics[index].stored = value
    return []
  }

  private mutating func write(
    _ value: [UInt8], to index: Int, descriptor number: Int
  ) -> (answer: Answer, actions: [DeviceAction]) {
    let state = characteristics[index]
    let descriptor = state.descriptors[number]
    guard descriptor.uuid != .clientCharacteristicConfiguration else {
      guard value.count == 2 else { return (.failure(.invalidAttributeValueLength), []) }
      switch value {
      case [0, 0]: return subscribe(state.handle, nil)
      case [1, 0]: return subscribe(state.handle, .notification)
      case [2, 0]: return subscribe(state.handle, .indication)
      default: return (.failure(.cccImproperlyConfigured), [])
      }
    }
    if let error = refusal(descriptor.security.write) { return (.failure(error), []) }
    guard descriptor.isWritable else { return (.failure(.writeNotPermitted), []) }
    guard value.count <= 512 else { return (.failure(.invalidAttributeValueLength), []) }
    characteristics[index].descriptorValues[number] = value
    return (.success(()), [])
  }

  // MARK: Subscribing

  mutating func subscribe(
    _ valueHandle: UInt16, _ mode: SubscriptionMode?
  ) -> (answer: Answer, actions: [DeviceAction]) {
    guard case .value(let index) = position(of: valueHandle) else {
      return (.failure(.invalidHandle), [])
    }
    let definition = characteristics[index].definition
    guard !definition.properties.isDisjoint(with: [.notify, .indicate]),
      let configuration = characteristics[index].attribute.entry.configuration
    else { return (.failure(.attributeNotFound), []) }
    guard isLinked else { return (.failure(.unlikelyError), []) }
    guard configuration.uuid == .clientCharacteristicConfiguration else {
      let asked = SubscriptionMode.configuration(of: mode)
      return write(asked, to: index, descriptor: 0)
    }
    let demanded = definition.security.subscription ?? definition.security.read
    if mode != nil, let error = refusal(demanded) { return (.failure(error), []) }
    let before = characteristics[index].mode
    guard let mode else {
      characteristics[index].mode = nil
      characteristics[index].ticks = 0
      guard before != nil else { return (.success(()), []) }
      let actions = runMachines(.unsubscribe, of: index).actions
      return (.success(()), [.cancel { $0 == .tick(characteristic: index) }] + actions)
    }
    guard definition.properties.contains(mode == .notification ? .notify : .indicate) else {
      return (.failure(.cccImproperlyConfigured), [])
    }
    guard before == nil else {
      characteristics[index].mode = mode
      return (.success(()), [])
    }
    return (.success(()), begin(index, mode))
  }

  /// Begins a subscription.
  private mutating func begin(_ index: Int, _ mode: SubscriptionMode) -> [DeviceAction] {
    characteristics[index].mode = mode
    let actions = runMachines(.subscribe, of: index).actions
    guard let delay = characteristics[index].nextDelay else { return actions }
    return [after(delay, .tick(characteristic: index))] + actions
  }

  // MARK: Scheduled actions

  /// Performs a scheduled action: returns the value for the subscriber, and the next actions.
  ///
  /// - Parameter instant: The scheduled time, which may be earlier than now.
  mutating func perform(
    _ action: DueAction, at instant: Instant
  ) -> (answer: (handle: UInt16, value: [UInt8])?, actions: [DeviceAction]) {
    switch action {
    case .notify(let index, let value):
      characteristics[index].stored = value
      return (sent(index, value), [])
    case .send(let index, let value): return (sent(index, value), [])
    case .store(let index, let value):
      characteristics[index].stored = value
      return (nil, [])
    case .answer(let index, let frame): return answerFirmware(frame, on: index)
    case .tick(let index):
      guard isLinked, characteristics[index].mode != nil,
        let value = characteristics[index].tick(elapsed: instant - start)
      else { return (nil, []) }
      let ticks =
        characteristics[index].nextDelay.map {
          [DeviceAction.schedule(action, at: instant + $0)]
        } ?? []
      return (sent(index, value), ticks)
    case .timer(let timer): return (nil, fired(timer))
    case .leave(let absence):
      guard let absence, firmware?.isHung != true else { return (nil, []) }
      return (nil, [after(absence, .comeBack)])
    case .comeBack:
      startFirmware()
      return (nil, beginMachines())
    case .requestSecurity:
      guard security == .none, let delay = securityRequest?.disconnectDelay else {
        return (nil, [])
      }
      return (nil, [after(delay, .endUnencryptedLink)])
    case .watchLink, .wake, .endUnencryptedLink: return (nil, [])
    }
  }

  /// Truncates a notification to the length that fits into one packet.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part F §3.4.7.1.
  func sent(_ index: Int, _ value: [UInt8]) -> (handle: UInt16, value: [UInt8])? {
    guard isLinked, characteristics[index].mode != nil,
      position(of: characteristics[index].handle) != nil
    else { return nil }
    return (characteristics[index].handle, Array(value.prefix(max(0, mtu - 3))))
  }
}

extension DeviceState {
  /// Reads a value, and counts the read.
  mutating func readValue(of index: Int, elapsed: Duration) -> [UInt8] {
    let value = characteristics[index].present(elapsed: elapsed)
    characteristics[index].reads += 1
    return value
  }

  /// The named parts of characteristics' values.
  func variables(_ views: [View], elapsed: Duration) -> Variables {
    var result = Variables()
    for view in views {
      let source = table.indices(of: view.characteristic).first
      result[view.name] = view.value(
        in: source.map { characteristics[$0].present(elapsed: elapsed) } ?? []
      )
    }
    return result
  }

  /// The generated data of an advertisement.
  func generatedData(
    _ advertised: AdvertisementDefinition, elapsed: Duration
  ) -> (manufacturerData: [ManufacturerData], serviceData: [ServiceData]) {
    guard !advertised.templates.isEmpty else { return ([], []) }
    var names = machines.reduce(into: Variables()) { $0 = $0.merging($1.variables) }
    names["uptime"] = .number(Int64(elapsed.periods(of: .milliseconds(1))))
    names["sent"] = .number(Int64(elapsed.periods(of: advertised.interval)))
    let scope = Scope(variables: names.merging(variables(advertised.views, elapsed: elapsed)))
    var found: (manufacturerData: [ManufacturerData], serviceData: [ServiceData]) = ([], [])
    for data in advertised.templates {
      let octets = data.value.octets(in: scope)
      switch data.field {
      case .manufacturer(let company):
        found.manufacturerData.append(ManufacturerData(company: company, octets: octets))
      case .service(let service):
        found.serviceData.append(ServiceData(service: service, octets: octets))
      }
    }
    return found
  }
}
