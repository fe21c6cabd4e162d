// A simulated peripheral that runs on a loop.
//
// A thin shell: DeviceState and FaultPlan decide, this class runs the timers and calls the
// handlers. It does not know the bus or radio over which it is used.

public import Bluetooth
public import Signals

/// A simulated peripheral: answers attribute operations, sends notifications, and selects faults.
///
/// Operations take effect at once; the caller implements their delays, which are in
/// ``LinkDefinition``. Timers and notifications run on the loop, never inside a call of this
/// object. Its methods can be called on any thread: operations on the device or its logic run on
/// the loop, and are waited for.
public final class SimulatedDevice: Sendable {
  /// Receives notifications and indications of the device, on its loop.
  public typealias NotificationHandler =
    @Sendable (_ valueHandle: UInt16, _ value: [UInt8]) -> Void

  /// Receives changes of the device's presence, on its loop.
  public typealias PresenceHandler = @Sendable (DevicePresence) -> Void

  /// A scheduled action.
  private struct Due {
    let number: UInt64
    let action: DueAction
    let instant: Instant
    let timer: LoopTimer
  }

  private struct State {
    var device: DeviceState
    var faults: FaultPlan
    var surroundings: @Sendable () -> Surroundings = { Surroundings() }
    var nextConnect: OperationFault?
    var notificationFault = NotificationFault.none
    var radio: RadioState
    var isAdvertising = true
    var passkeys: SeededGenerator
    var keyring = 0
    var latency: SeededGenerator
    var handler: NotificationHandler?
    var presence: PresenceHandler?
    var due: [Due] = []
    var numbers: UInt64 = 0
  }

  private let described: Guarded<(definition: DeviceDefinition, table: AttributeTable)>
  /// Serves some of the attributes: SimulatedDevice+Program.swift.
  let program: Confined<DeviceProgram?>
  let loop: Loop
  private let start: Instant
  let generator: SeededGenerator
  private let state: Confined<State>
  /// Decides before the device does: SimulatedDevice+Logic.swift.
  let logic: Confined<LogicState>

  /// Starts a device; its time begins now.
  ///
  /// - Parameters:
  ///   - definition: The definition of the device.
  ///   - loop: The loop that it runs on.
  ///   - generator: The device's own generator; each part of the device splits it by name.
  public init(_ definition: DeviceDefinition, on loop: Loop, generator: SeededGenerator) {
    let table = AttributeTable(definition)
    described = Guarded((definition, table))
    self.loop = loop
    program = Confined(nil, to: loop)
    logic = Confined(LogicState(), to: loop)
    start = loop.now
    self.generator = generator
    let device = DeviceState(definition, table: table, start: loop.now, generator: generator)
    let faults = FaultPlan(definition.faults, generator: generator.split("faults"))
    let state = State(
      device: device, faults: faults, radio: RadioState(definition, generator: generator),
      passkeys: generator.split("passkeys"), latency: generator.split("latency")
    )
    self.state = Confined(state, to: loop)
    steer { ((), $0.beginMachines()) }
  }

  /// The current definition.
  public var definition: DeviceDefinition { described.withLock { $0.definition } }

  /// The attributes with their handles.
  public var table: AttributeTable { described.withLock { $0.table } }

  /// Replaces the definition, while the link stays up.
  ///
  /// Attributes that still exist keep their values and subscriptions. Scheduled actions of others
  /// are dropped.
  ///
  /// - Precondition: The address is the same.
  public func redefine(_ definition: DeviceDefinition) {
    precondition(definition.address == self.definition.address, "a device keeps its address")
    let table = AttributeTable(definition)
    described.withLock { $0 = (definition, table) }
    steer { [generator] state in
      let before = state.characteristics.map(\.handle)
      state.serve(table, generator: generator)
      let after = state.characteristics.map(\.handle)
      let drop = DeviceAction.cancel { action in
        guard let index = action.characteristic else { return false }
        return !after.indices.contains(index) || after[index] != before[index]
      }
      return ((), [drop])
    }
    advertise(definition.advertisement)
  }

  // MARK: Attributes

  /// Reads a value or a descriptor; returns the value, or the error that refuses the read.
  ///
  /// - Parameter offset: The offset from which the client reads. The result is the complete value
  ///   regardless.
  public func read(_ handle: UInt16, from offset: Int = 0) -> Result<[UInt8], ATTErrorCode> {
    loop.performAndWait { [self] in
      let result = performRead(handle, from: offset)
      if case .success = result { requestSecurity(after: .read, at: handle) }
      return result
    }
  }

  private func performRead(
    _ handle: UInt16, from offset: Int
  ) -> Result<[UInt8], ATTErrorCode> {
    guard let attribute = attribute(at: handle), reachesLogic(reading: handle) else {
      return steer { $0.read(handle) }
    }
    return ask(.read(attribute, offset: offset)) { ruling in
      switch ruling {
      case .usual: steer { $0.read(handle) }
      case .value(let value): .success(value)
      case .refused(let code): .failure(code)
      }
    }
  }

  /// Writes a value or a descriptor.
  ///
  /// - Parameters:
  ///   - handle: The handle of the attribute.
  /// - value: The written bytes.
  ///   - offset: The offset of the first written octet. Earlier octets are kept, octets after the
  /// written ones are removed. An offset beyond the end is refused with Invalid Offset.
  ///   - withResponse: Whether it is a Write Request. The device sends no response to a Write
  /// Command: a failure then only means that nothing was written.
  public func write(
    _ handle: UInt16, _ value: [UInt8], at offset: Int = 0, withResponse: Bool
  ) -> Result<Void, ATTErrorCode> {
    loop.performAndWait { [self] in
      let result = performWrite(handle, value, at: offset, withResponse: withResponse)
      if case .success = result { requestSecurity(after: .written, at: handle) }
      return result
    }
  }

  private func performWrite(
    _ handle: UInt16, _ value: [UInt8], at offset: Int, withResponse: Bool
  ) -> Result<Void, ATTErrorCode> {
    func write() -> Result<Void, ATTErrorCode> {
      steer { $0.write(handle, value, at: offset, withResponse: withResponse) }
    }
    guard let attribute = attribute(at: handle),
      let whole = reachesLogic(writing: value, to: handle, at: offset, withResponse)
    else { return reportingSubscription(at: handle, write) }
    return ask(.write(attribute, value: whole, withResponse: withResponse)) { ruling in
      switch ruling {
      case .usual: return write()
      case .value(let value):
        store(value, at: handle)
        return .success(())
      case .refused(let code): return .failure(code)
      }
    }
  }

  /// Subscribes to a characteristic by writing its configuration; nil: unsubscribes.
  ///
  /// - Parameters:
  ///   - valueHandle: The handle of the characteristic's value.
  ///   - mode: Notifications or indications.
  /// - Returns: The error that refuses the write: there is no configuration, the properties lack
  ///   the mode, or the link is down.
  public func subscribe(
    _ valueHandle: UInt16, _ mode: SubscriptionMode?
  ) -> Result<Void, ATTErrorCode> {
    loop.performAndWait { [self] in
      reportingSubscription(at: valueHandle) { steer { $0.subscribe(valueHandle, mode) } }
    }
  }

  /// Calls `handler` for every notification and indication, on the loop, while the link is up and
  /// the characteristic is subscribed. A new handler replaces it.
  public func onNotification(_ handler: @escaping NotificationHandler) {
    loop.performAndWait { [state] in state.handler = handler }
  }

  // MARK: Link

  /// Tells the device that its link is up.
  public func linkUp() {
    loop.performAndWait { [self] in
      steer { ((), $0.linkUp()) }
      watchLink()
      ask(.connected)
    }
  }

  /// Checks periodically whether the link is lost, if it can become weak.
  func watchLink() {
    loop.performAndWait { [self] in
      guard state.device.isLinked, state.radio.canBeWeak,
        !state.due.contains(where: { $0.action == .watchLink })
      else { return }
      carryOut([.schedule(.watchLink, at: loop.now + RadioState.supervisionTimeout)])
    }
  }

  /// True while the device has a link, whichever host made it.
  public var isLinked: Bool { look(\.isLinked) }

  /// True if the device has had a link.
  package var wasEverLinked: Bool { look(\.wasEverLinked) }

  /// The security of the link.
  public var security: LinkSecurity { look(\.security) }

  /// Sets the security of the link.
  public func secure(_ level: LinkSecurity) { steer { ($0.secure(level), []) } }

  /// The number of the current keys: bonds with an earlier number are lost.
  package var keyring: Int { loop.performAndWait { [state] in state.keyring } }

  /// Deletes the keys of all bonds, as a reset does.
  public func loseBonds() { loop.performAndWait { [state] in state.keyring += 1 } }

  /// The passkey, or the number to compare, of the next pairing: 0 to 999999.
  public func nextPasskey() -> UInt32 {
    if let passkey = definition.pairing.passkey { return passkey }
    return loop.performAndWait { [state] in UInt32.random(in: 0...999_999, using: &state.passkeys) }
  }

  /// Tells the device that its link is down: subscriptions and the link's scheduled actions are
  /// dropped. Values and timers of machines stay.
  public func linkDown() {
    loop.performAndWait { [self] in
      let wasLinked = isLinked
      let subscriptions = subscriptions
      steer { ((), [.cancel(\.isOfLink)] + $0.linkDown()) }
      if wasLinked { ask(.disconnected) }
      for handle in subscriptions { tellProgram(handle, isSubscribed: false) }
    }
  }

  /// Schedules the Security Request that follows an event, if the definition has one.
  func requestSecurity(after moment: SecurityRequest.Moment, at handle: UInt16) {
    steer { ((), $0.securityRequest(after: moment, at: handle)) }
  }

  /// Calls `handler` when the device itself ends the link, leaves, returns or requests security, on
  /// the loop. A new handler replaces it.
  public func onPresence(_ handler: @escaping PresenceHandler) {
    loop.performAndWait { [state] in state.presence = handler }
  }

  // MARK: Air and faults

  /// True if the device advertises while it is not connected; by default, it does.
  public var isAdvertising: Bool {
    get { loop.performAndWait { [state] in state.isAdvertising } }
    set { loop.performAndWait { [state] in state.isAdvertising = newValue } }
  }

  /// The advertisement as a host receives it; the RSSI is drawn on each call.
  ///
  /// - Parameter number: The index of the advertisement, from 0; beyond the last it is the first.
  public func advertisement(_ number: Int = 0) -> AdvertisedData {
    let advertised = advertised(number)
    let generated = look { $0.generatedData(advertised, elapsed: $0.now - $0.start) }
    let rssi = radio { radio, elapsed in
      radio.rssi(radio.advertisements.indices.contains(number) ? number : 0, elapsed: elapsed)
    }
    return AdvertisedData(
      name: advertised.name(of: definition),
      appearance: advertised.appearance(of: definition),
      services: advertised.services,
      manufacturerData: advertised.manufacturerData + generated.manufacturerData,
      serviceData: advertised.serviceData + generated.serviceData, txPower: advertised.txPower,
      flags: advertised.isConnectable ? 0x06 : 0, rssi: rssi
    )
  }

  /// Draws the duration of the next operation on the link.
  public func latency() -> Duration {
    let link = definition.link
    let again = radio { $0.delay(elapsed: $1) }
    guard link.latencySpread > .zero else { return link.latency + again }
    let fraction = loop.performAndWait { [state] in Double.random(in: 0..<1, using: &state.latency)
    }
    return link.latency + link.latencySpread * fraction + again
  }

  /// Accesses the state of the radio: SimulatedDevice+Radio.swift.
  @discardableResult
  func radio<Answer: Sendable>(
    _ body: @escaping @Sendable (inout RadioState, _ elapsed: Duration) -> Answer
  ) -> Answer {
    loop.performAndWait { [self] in body(&state.radio, loop.now - start) }
  }

  /// True if the device does not always advertise under the address of its definition.
  package var changesAddress: Bool {
    definition.privateAddress != nil || definition.firmware?.nextAddress != nil
  }

  /// The current address of the device: its own, a private one, or that of its new firmware.
  public func airAddress() -> (address: BluetoothAddress, type: AddressType) {
    if definition.firmware?.nextAddress != nil, let address = look({ $0.firmware?.address }) {
      return (address, definition.addressType)
    }
    guard let privacy = definition.privateAddress else {
      return (definition.address, definition.addressType)
    }
    let period = (loop.now - start).periods(of: privacy.every)
    return (privacy.address(period: period, generator: generator), .random)
  }

  /// Counts an operation, and returns its fault. The caller implements the effect.
  public func nextFault(_ operation: FaultOperation) -> OperationFault {
    loop.performAndWait { [self] in
      let surroundings = state.surroundings
      let (now, around) = (loop.now - start, surroundings())
      let planned = state.faults.next(operation, at: now, in: around, of: table)
      return (operation == .connect ? state.nextConnect.take() : nil) ?? planned
    }
  }

  /// Sets the fault of the next connection attempt, regardless of the rules.
  public func setNextConnect(_ action: OperationFault) {
    loop.performAndWait { [state] in state.nextConnect = action }
  }

  /// Sets the source of the host's state for conditions of faults.
  public func setSurroundings(_ surroundings: @escaping @Sendable () -> Surroundings) {
    loop.performAndWait { [state] in state.surroundings = surroundings }
  }

  /// Sets the fault of notifications and indications.
  public func setNotificationFault(_ fault: NotificationFault) {
    loop.performAndWait { [state] in state.notificationFault = fault }
  }

  /// Replaces the rules of the definition; all counts restart.
  public func setFaults(_ rules: [FaultRule]) {
    let plan = FaultPlan(rules, generator: generator.split("faults"))
    loop.performAndWait { [state] in state.faults = plan }
  }

  /// Adds a rule after the existing ones, whose counts continue.
  public func addFault(_ rule: FaultRule) {
    let generator = generator.split("faults")
    loop.performAndWait { [state] in state.faults.add(rule, generator: generator) }
  }

  /// Changes the state, and performs the resulting actions.
  @discardableResult
  func steer<Answer: Sendable>(
    _ body: @escaping @Sendable (inout DeviceState) -> (answer: Answer, actions: [DeviceAction])
  ) -> Answer {
    loop.performAndWait { [self] in
      state.device.now = loop.now
      let (answer, actions) = body(&state.device)
      carryOut(actions)
      return answer
    }
  }

  /// Reads the state.
  func look<Answer: Sendable>(_ body: @escaping @Sendable (DeviceState) -> Answer) -> Answer {
    steer { state in (body(state), []) }
  }

  // MARK: Scheduled actions

  private func carryOut(_ actions: [DeviceAction]) {
    for action in actions {
      switch action {
      case .schedule(let action, let instant):
        state.numbers += 1
        let number = state.numbers
        let timer = loop.at(instant) { [weak self] in self?.fire(number) }
        state.due.append(Due(number: number, action: action, instant: instant, timer: timer))
      case .cancel(let isMeant):
        for due in state.due where isMeant(due.action) { due.timer.cancel() }
        state.due.removeAll { isMeant($0.action) }
      }
    }
  }

  private func fire(_ number: UInt64) {
    guard let index = state.due.firstIndex(where: { $0.number == number }) else { return }
    let due = state.due.remove(at: index)
    let sent = steer { $0.perform(due.action, at: due.instant) }
    if let sent, state.notificationFault != .lost {
      for _ in 0..<(state.notificationFault == .doubled ? 2 : 1) {
        state.handler?(sent.handle, sent.value)
      }
      confirm(sent.handle)
    }
    var presence = DevicePresence(due.action)
    if due.action == .watchLink {
      if state.radio.losesLink(elapsed: loop.now - start) {
        presence = .losesLink
      } else {
        watchLink()
      }
    }
    if due.action.isOfUnencryptedLink, state.device.security != .none { presence = nil }
    if let presence { state.presence?(presence) }
    if let wake = due.action.wake { woken(wake) }
  }
}
