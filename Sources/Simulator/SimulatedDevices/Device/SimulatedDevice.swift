// A simulated peripheral that runs on a loop.
//
// A thin shell: DeviceState and FaultPlan decide, this has the timers and the handlers.
// It does not know over which bus or radio it is reached.

public import Bluetooth
public import Signals

/// One simulated peripheral: answers attribute operations, sends notifications, decides faults.
///
/// Operations are decided at once; their delays are in ``LinkDefinition``, for the caller to keep.
/// Timers and notifications run on the loop, and never from inside a call of this object. Any thread
/// may call it: what asks the device or its logic is done on the loop, and waited for.
public final class SimulatedDevice: Sendable {
  /// Receives what the device sends by itself, on its loop.
  public typealias NotificationHandler =
    @Sendable (_ valueHandle: UInt16, _ value: [UInt8]) -> Void

  /// Receives changes of the device's presence, on its loop.
  public typealias PresenceHandler = @Sendable (DevicePresence) -> Void

  /// An action that is due.
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
  /// What answers for its attributes: SimulatedDevice+Program.swift.
  let program: Confined<DeviceProgram?>
  let loop: Loop
  private let start: Instant
  let generator: SeededGenerator
  private let state: Confined<State>
  /// What is asked before the device decides: SimulatedDevice+Logic.swift.
  let logic: Confined<LogicState>

  /// Starts a device, whose time begins now.
  ///
  /// - Parameters:
  ///   - definition: What the device is.
  ///   - loop: Where it runs.
  ///   - generator: Its own; every part of the device splits it by name.
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

  /// What the device was made from.
  public var definition: DeviceDefinition { described.withLock { $0.definition } }

  /// Its attributes with their handles.
  public var table: AttributeTable { described.withLock { $0.table } }

  /// Makes the device another one, with the same address, on the same link.
  ///
  /// Attributes that are still there keep their values and subscriptions. What was due at others is
  /// dropped.
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

  /// The value at a value's or a descriptor's handle, or the error that the read is refused with.
  ///
  /// - Parameter offset: Where the client begins to read. The value is returned from its beginning.
  public func read(_ handle: UInt16, from offset: Int = 0) -> Result<[UInt8], ATTErrorCode> {
    loop.enter { [self] in
      if let attribute = attribute(at: handle), reachesLogic(reading: handle) {
        return ask(.read(attribute, offset: offset)) { ruling in
          switch ruling {
          case .usual: steer { $0.read(handle) }
          case .value(let value): .success(value)
          case .refused(let code): .failure(code)
          }
        }
      }
      return steer { $0.read(handle) }
    }
  }

  /// Writes a value or a descriptor.
  ///
  /// - Parameters:
  ///   - handle: The handle of the attribute.
  ///   - value: What is written.
  ///   - offset: The first octet that is written. Octets before it are kept, octets behind the
  ///     written ones are removed. An offset beyond the end is refused with Invalid Offset.
  ///   - withResponse: Whether this is a Write Request. The device answers no Write Command: a
  ///     failure then means only that nothing was written.
  public func write(
    _ handle: UInt16, _ value: [UInt8], at offset: Int = 0, withResponse: Bool
  ) -> Result<Void, ATTErrorCode> {
    loop.enter { [self] in
      func write() -> Result<Void, ATTErrorCode> {
        steer { $0.write(handle, value, at: offset, withResponse: withResponse) }
      }
      if let attribute = attribute(at: handle),
        let whole = reachesLogic(writing: value, to: handle, at: offset, withResponse)
      {
        return ask(.write(attribute, value: whole, withResponse: withResponse)) { ruling in
          switch ruling {
          case .usual: return write()
          case .value(let value):
            keep(value, at: handle)
            return .success(())
          case .refused(let code): return .failure(code)
          }
        }
      }
      return reportingSubscription(at: handle, write)
    }
  }

  /// Subscribes to a characteristic by writing its configuration; nil: ends the subscription.
  ///
  /// - Parameters:
  ///   - valueHandle: The handle of the characteristic's value.
  ///   - mode: Notifications or indications.
  /// - Returns: The error that the write of the configuration is refused with: no configuration
  ///   there, the mode is not among the properties, or the link is down.
  public func subscribe(
    _ valueHandle: UInt16, _ mode: SubscriptionMode?
  ) -> Result<Void, ATTErrorCode> {
    loop.enter { [self] in
      reportingSubscription(at: valueHandle) { steer { $0.subscribe(valueHandle, mode) } }
    }
  }

  /// Has `handler` called for every notification and indication, on the loop, as long as the link
  /// is up and the characteristic subscribed to. The next handler replaces it.
  public func onNotification(_ handler: @escaping NotificationHandler) {
    loop.enter { [state] in state.handler = handler }
  }

  // MARK: Link

  /// The link is there.
  public func linkUp() {
    loop.enter { [self] in
      steer { ((), $0.linkUp()) }
      watchLink()
      ask(.connected)
    }
  }

  /// Sees from time to time whether the link is too weak, as long as it can come to be.
  func watchLink() {
    loop.enter { [self] in
      guard state.device.isLinked, state.radio.canBeWeak,
        !state.due.contains(where: { $0.action == .watchLink })
      else { return }
      carryOut([.schedule(.watchLink, at: loop.now + RadioState.supervisionTimeout)])
    }
  }

  /// Whether there is a link, whoever made it.
  public var isLinked: Bool { look(\.isLinked) }

  /// Whether there was a link at any time.
  package var wasEverLinked: Bool { look(\.wasEverLinked) }

  /// How secure the link is.
  public var security: LinkSecurity { look(\.security) }

  /// The link is encrypted, or not any more.
  public func secure(_ level: LinkSecurity) { steer { ($0.secure(level), []) } }

  /// The number of its present keys: a bond that was made with an earlier number is lost.
  package var keyring: Int { loop.enter { [state] in state.keyring } }

  /// It no longer has the keys of its bonds, as after a reset.
  public func loseBonds() { loop.enter { [state] in state.keyring += 1 } }

  /// The passkey, or the number to compare, of the next pairing: 0 to 999999.
  public func nextPasskey() -> UInt32 {
    if let passkey = definition.pairing.passkey { return passkey }
    return loop.enter { [state] in UInt32.random(in: 0...999_999, using: &state.passkeys) }
  }

  /// The link is gone: subscriptions and everything that was due on it are forgotten. Values stay,
  /// and so do the timers of machines.
  public func linkDown() {
    loop.enter { [self] in
      let wasLinked = isLinked
      let subscriptions = subscriptions
      steer { ((), [.cancel(\.isOfLink)] + $0.linkDown()) }
      if wasLinked { ask(.disconnected) }
      for handle in subscriptions { tellProgram(handle, isSubscribed: false) }
    }
  }

  /// Has `handler` called when the device itself ends the link, goes away or comes back, on the
  /// loop. The next handler replaces it.
  public func onPresence(_ handler: @escaping PresenceHandler) {
    loop.enter { [state] in state.presence = handler }
  }

  // MARK: Air and faults

  /// Whether it sends advertisements while it is not connected: it does unless told otherwise.
  public var isAdvertising: Bool {
    get { loop.enter { [state] in state.isAdvertising } }
    set { loop.enter { [state] in state.isAdvertising = newValue } }
  }

  /// What a host receives from the device now; the RSSI is drawn anew each time.
  ///
  /// - Parameter number: The index of the advertisement, from 0; beyond the last it is the first.
  public func advertisement(_ number: Int = 0) -> AdvertisedData {
    let advertised = advertised(number)
    let live = look { $0.live(advertised, elapsed: $0.now - $0.start) }
    let rssi = radio { radio, elapsed in
      radio.rssi(radio.advertisements.indices.contains(number) ? number : 0, elapsed: elapsed)
    }
    return AdvertisedData(
      name: advertised.name(of: definition),
      appearance: advertised.appearance ?? (advertised.includesName ? definition.appearance : nil),
      services: advertised.services,
      manufacturerData: advertised.manufacturerData + live.manufacturerData,
      serviceData: advertised.serviceData + live.serviceData, txPower: advertised.txPower,
      rssi: rssi
    )
  }

  /// How long the next operation on the link takes; drawn anew each time.
  public func latency() -> Duration {
    let link = definition.link
    let again = radio { $0.delay(elapsed: $1) }
    guard link.latencySpread > .zero else { return link.latency + again }
    let fraction = loop.enter { [state] in Double.random(in: 0..<1, using: &state.latency) }
    return link.latency + link.latencySpread * fraction + again
  }

  /// Reads or changes the radio's state: SimulatedDevice+Radio.swift.
  @discardableResult
  func radio<Answer: Sendable>(
    _ body: @escaping @Sendable (inout RadioState, _ elapsed: Duration) -> Answer
  ) -> Answer {
    loop.enter { [self] in body(&state.radio, loop.now - start) }
  }

  /// The address that the device uses now: its own, or a private one.
  public func airAddress() -> (address: BluetoothAddress, type: AddressType) {
    guard let privacy = definition.privateAddress else {
      return (definition.address, definition.addressType)
    }
    let period = (loop.now - start).periods(of: privacy.every)
    return (privacy.address(period: period, generator: generator), .random)
  }

  /// Counts an operation, and returns the fault that affects it. The caller carries it out.
  public func nextFault(_ operation: FaultOperation) -> OperationFault {
    loop.enter { [self] in
      let surroundings = state.surroundings
      let (now, around) = (loop.now - start, surroundings())
      let planned = state.faults.next(operation, at: now, in: around, of: table)
      return (operation == .connect ? state.nextConnect.take() : nil) ?? planned
    }
  }

  /// Sets the fault of the next attempt to connect, whatever the rules are.
  public func setNextConnect(_ action: OperationFault) {
    loop.enter { [state] in state.nextConnect = action }
  }

  /// Sets where the conditions of faults look up the scan and the number of connections.
  public func setSurroundings(_ surroundings: @escaping @Sendable () -> Surroundings) {
    loop.enter { [state] in state.surroundings = surroundings }
  }

  /// Sets what happens to notifications from now on.
  public func setNotificationFault(_ fault: NotificationFault) {
    loop.enter { [state] in state.notificationFault = fault }
  }

  /// Replaces the rules of the definition; all counts begin again.
  public func setFaults(_ rules: [FaultRule]) {
    let plan = FaultPlan(rules, generator: generator.split("faults"))
    loop.enter { [state] in state.faults = plan }
  }

  /// Adds a rule behind those that are there, whose counts go on.
  public func addFault(_ rule: FaultRule) {
    let generator = generator.split("faults")
    loop.enter { [state] in state.faults.add(rule, generator: generator) }
  }

  /// Does something to the device as it is now, and what follows from it.
  @discardableResult
  func steer<Answer: Sendable>(
    _ body: @escaping @Sendable (inout DeviceState) -> (answer: Answer, actions: [DeviceAction])
  ) -> Answer {
    loop.enter { [self] in
      state.device.now = loop.now
      let (answer, actions) = body(&state.device)
      carryOut(actions)
      return answer
    }
  }

  /// Looks at the device as it is now.
  func look<Answer: Sendable>(_ body: @escaping @Sendable (DeviceState) -> Answer) -> Answer {
    steer { state in (body(state), []) }
  }

  // MARK: What is due

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
    if let presence { state.presence?(presence) }
    if let wake = due.action.wake { woken(wake) }
  }
}
