// A simulated peripheral that runs on a loop.
//
// A thin shell: DeviceState and FaultPlan decide, this holds the lock, the timers and the handler.
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

  typealias Sent = (handle: UInt16, value: [UInt8])

  /// An action that is due; the number shows whether it was cancelled.
  private struct Due {
    let number: UInt64
    let action: DeviceAction
    var timer: LoopTimer?
  }

  /// Timers to arm and to disarm, outside the lock.
  private struct Change {
    var armed: [(number: UInt64, instant: Instant)] = []
    var cancelled: [LoopTimer] = []
  }

  /// What to report after an action was performed.
  private struct Fired {
    let sent: Sent?
    let isDoubled: Bool
    let presence: DevicePresence?
    /// The timer of the logic that is over.
    let wake: String?
    let change: Change
    let handler: NotificationHandler?
    let presenceHandler: PresenceHandler?
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

    mutating func schedule(_ actions: [DeviceAction], now: Instant) -> Change {
      var change = Change()
      for action in actions {
        switch action {
        case .notify(_, _, let delay), .store(_, _, let delay), .timer(_, let delay),
          .leave(_, let delay), .comeBack(let delay):
          change.armed.append((add(action), now + delay))
        case .watchLink:
          guard !due.contains(where: { $0.action == .watchLink }) else { continue }
          change.armed.append((add(action), now + RadioState.supervisionTimeout))
        case .tick(_, let instant):
          change.armed.append((add(action), instant))
        case .stopTicks(let index):
          change.cancelled += cancel { $0.isTick(of: index) }
        case .wake(let name, let delay):
          change.armed.removeAll { number, _ in
            due.first { $0.number == number }?.action.isWake(name) == true
          }
          change.cancelled += cancel { $0.isWake(name) }
          change.armed.append((add(action), now + delay))
        case .stopWakes: change.cancelled += cancel { $0.isWake(nil) }
        case .stopTimers(let machine):
          change.armed.removeAll { number, _ in
            due.first { $0.number == number }?.action.isTimer(of: machine) == true
          }
          change.cancelled += cancel { $0.isTimer(of: machine) }
        }
      }
      return change
    }

    private mutating func cancel(_ isMeant: (DeviceAction) -> Bool) -> [LoopTimer] {
      let stopped = due.filter { isMeant($0.action) }
      due.removeAll { isMeant($0.action) }
      return stopped.compactMap(\.timer)
    }

    private mutating func add(_ action: DeviceAction) -> UInt64 {
      numbers += 1
      due.append(Due(number: numbers, action: action))
      return numbers
    }
  }

  private let described: Guarded<(definition: DeviceDefinition, table: AttributeTable)>
  /// What answers for its attributes: SimulatedDevice+Program.swift.
  let program: Confined<DeviceProgram?>
  let loop: Loop
  private let start: Instant
  let generator: SeededGenerator
  private let state: Guarded<State>
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
    state = Guarded(
      State(
        device: device,
        faults: faults,
        radio: RadioState(definition, generator: generator),
        passkeys: generator.split("passkeys"),
        latency: generator.split("latency")
      )
    )
    decide { ((), $0.device.beginMachines()) }
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
    let dropped = state.withLock { state in
      let before = state.device.characteristics.map(\.handle)
      state.device.serve(table, generator: generator)
      let after = state.device.characteristics.map(\.handle)
      let isDropped: (Due) -> Bool = { due in
        guard let index = due.action.characteristic else { return false }
        return !after.indices.contains(index) || after[index] != before[index]
      }
      defer { state.due.removeAll(where: isDropped) }
      return state.due.filter(isDropped)
    }
    for due in dropped { due.timer?.cancel() }
    advertise(definition.advertisement)
  }

  // MARK: Attributes

  /// The value at a value's or a descriptor's handle, or the error that the read is refused with.
  ///
  /// - Parameter offset: Where the client begins to read. The value is returned from its beginning.
  public func read(_ handle: UInt16, from offset: Int = 0) -> Result<[UInt8], ATTErrorCode> {
    loop.enter { [self] in
      let now = loop.now
      if let attribute = attribute(at: handle), reachesLogic(reading: handle) {
        switch ask(.read(attribute, offset: offset)) {
        case .usual: break
        case .value(let value): return .success(value)
        case .refused(let code): return .failure(code)
        }
      }
      return decide { $0.device.read(handle, now: now) }
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
    _ handle: UInt16,
    _ value: [UInt8],
    at offset: Int = 0,
    withResponse: Bool
  ) -> Result<Void, ATTErrorCode> {
    loop.enter { [self] in
      let now = loop.now
      if let attribute = attribute(at: handle),
        let whole = reachesLogic(writing: value, to: handle, at: offset, withResponse)
      {
        switch ask(.write(attribute, value: whole, withResponse: withResponse)) {
        case .usual: break
        case .value(let value):
          keep(value, at: handle)
          return .success(())
        case .refused(let code): return .failure(code)
        }
      }
      return reportingSubscription(at: handle) {
        decide { state in
          state.device.write(handle, value, at: offset, withResponse: withResponse, now: now)
        }
      }
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
    _ valueHandle: UInt16,
    _ mode: SubscriptionMode?
  ) -> Result<Void, ATTErrorCode> {
    loop.enter { [self] in
      let now = loop.now
      return reportingSubscription(at: valueHandle) {
        decide { $0.device.subscribe(valueHandle, mode, now: now) }
      }
    }
  }

  /// Has `handler` called for every notification and indication, on the loop, as long as the link
  /// is up and the characteristic subscribed to. The next handler replaces it.
  public func onNotification(_ handler: @escaping NotificationHandler) {
    state.withLock { $0.handler = handler }
  }

  // MARK: Link

  /// The link is there.
  public func linkUp() {
    loop.enter { [self] in
      let now = loop.now
      decide { ((), $0.device.linkUp(now: now)) }
      watchLink()
      ask(.connected)
    }
  }

  /// Sees from time to time whether the link is too weak, as long as it can come to be.
  func watchLink() {
    decide { ((), $0.device.isLinked && $0.radio.canBeWeak ? [.watchLink] : []) }
  }

  /// Whether there is a link, whoever made it.
  public var isLinked: Bool { state.withLock { $0.device.isLinked } }

  /// Whether there was a link at any time.
  package var wasEverLinked: Bool { state.withLock { $0.device.wasEverLinked } }

  /// How secure the link is.
  public var security: LinkSecurity { state.withLock { $0.device.security } }

  /// The link is encrypted, or not any more.
  public func secure(_ level: LinkSecurity) {
    state.withLock { $0.device.secure(level) }
  }

  /// The number of its present keys: a bond that was made with an earlier number is lost.
  public var keyring: Int { state.withLock { $0.keyring } }

  /// It no longer has the keys of its bonds, as after a reset.
  public func loseBonds() { state.withLock { $0.keyring += 1 } }

  /// The passkey, or the number to compare, of the next pairing: 0 to 999999.
  public func nextPasskey() -> UInt32 {
    if let passkey = definition.pairing.passkey { return passkey }
    return state.withLock { UInt32.random(in: 0...999_999, using: &$0.passkeys) }
  }

  /// The link is gone: subscriptions and everything that was due on it are forgotten. Values stay,
  /// and so do the timers of machines.
  public func linkDown() {
    loop.enter { [self] in
      let now = loop.now
      let wasLinked = isLinked
      let subscriptions = subscriptions
      let ended = state.withLock { state in
        defer { state.due.removeAll { $0.action.isOfLink } }
        return state.due.filter { $0.action.isOfLink }
      }
      for due in ended { due.timer?.cancel() }
      decide { ((), $0.device.linkDown(now: now)) }
      if wasLinked { ask(.disconnected) }
      for handle in subscriptions { tellProgram(handle, isSubscribed: false) }
    }
  }

  /// Has `handler` called when the device itself ends the link, goes away or comes back, on the
  /// loop. The next handler replaces it.
  public func onPresence(_ handler: @escaping PresenceHandler) {
    state.withLock { $0.presence = handler }
  }

  // MARK: Air and faults

  /// Whether it sends advertisements while it is not connected: it does unless told otherwise.
  public var isAdvertising: Bool {
    get { state.withLock { $0.isAdvertising } }
    set { state.withLock { $0.isAdvertising = newValue } }
  }

  /// What a host receives from the device now; the RSSI is drawn anew each time.
  ///
  /// - Parameter number: The index of the advertisement, from 0; beyond the last it is the first.
  public func advertisement(_ number: Int = 0) -> AdvertisedData {
    let advertised = advertised(number)
    let elapsed = loop.now - start
    let (live, rssi) = state.withLock { state in
      (
        state.device.live(advertised, elapsed: elapsed),
        state.radio.rssi(
          state.radio.advertisements.indices.contains(number) ? number : 0,
          elapsed: elapsed
        )
      )
    }
    return AdvertisedData(
      name: advertised.name(of: definition),
      appearance: advertised.appearance ?? (advertised.includesName ? definition.appearance : nil),
      services: advertised.services,
      manufacturerData: advertised.manufacturerData + live.manufacturerData,
      serviceData: advertised.serviceData + live.serviceData,
      txPower: advertised.txPower,
      rssi: rssi
    )
  }

  /// How long the next operation on the link takes; drawn anew each time.
  public func latency() -> Duration {
    let link = definition.link
    let again = radio { $0.delay(elapsed: $1) }
    guard link.latencySpread > .zero else { return link.latency + again }
    let fraction = state.withLock { Double.random(in: 0..<1, using: &$0.latency) }
    return link.latency + link.latencySpread * fraction + again
  }

  /// Reads or changes the radio's state: SimulatedDevice+Radio.swift.
  @discardableResult
  func radio<Answer>(_ body: (inout RadioState, _ elapsed: Duration) -> Answer) -> Answer {
    let elapsed = loop.now - start
    return state.withLock { body(&$0.radio, elapsed) }
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
      let elapsed = loop.now - start
      let surroundings = state.withLock { $0.surroundings }()
      return state.withLock { state in
        let planned = state.faults.next(
          operation,
          at: elapsed,
          in: surroundings,
          of: table
        )
        guard operation == .connect, let next = state.nextConnect else { return planned }
        state.nextConnect = nil
        return next
      }
    }
  }

  /// Sets the fault of the next attempt to connect, whatever the rules are.
  public func setNextConnect(_ action: OperationFault) {
    state.withLock { $0.nextConnect = action }
  }

  /// Sets where the conditions of faults look up the scan and the number of connections.
  public func setSurroundings(_ surroundings: @escaping @Sendable () -> Surroundings) {
    state.withLock { $0.surroundings = surroundings }
  }

  /// Sets what happens to notifications from now on.
  public func setNotificationFault(_ fault: NotificationFault) {
    state.withLock { $0.notificationFault = fault }
  }

  /// Replaces the rules of the definition; all counts begin again.
  public func setFaults(_ rules: [FaultRule]) {
    let plan = FaultPlan(rules, generator: generator.split("faults"))
    state.withLock { $0.faults = plan }
  }

  /// Adds a rule behind those that are there, whose counts go on.
  public func addFault(_ rule: FaultRule) {
    state.withLock { $0.faults.add(rule, generator: generator.split("faults")) }
  }

  /// Does something to the device from outside of its link: SimulatedDevice+Steering.swift.
  func steer<Answer>(
    _ body: (inout DeviceState) -> (answer: Answer, actions: [DeviceAction])
  ) -> Answer {
    let now = loop.now
    return decide { state in
      state.device.now = now
      return body(&state.device)
    }
  }

  /// Looks at the device as it is now.
  func look<Answer>(_ body: (DeviceState) -> Answer) -> Answer {
    steer { state in (body(state), []) }
  }

  // MARK: What is due

  @discardableResult
  private func decide<Answer>(
    _ body: (inout State) -> (answer: Answer, actions: [DeviceAction])
  ) -> Answer {
    let now = loop.now
    let (answer, change) = state.withLock { state in
      let (answer, actions) = body(&state)
      return (answer, state.schedule(actions, now: now))
    }
    carryOut(change)
    return answer
  }

  private func carryOut(_ change: Change) {
    for timer in change.cancelled { timer.cancel() }
    for (number, instant) in change.armed {
      let timer = loop.at(instant) { [weak self] in self?.fire(number) }
      let isDue = state.withLock { state in
        guard let index = state.due.firstIndex(where: { $0.number == number }) else { return false }
        state.due[index].timer = timer
        return true
      }
      if !isDue { timer.cancel() }
    }
  }

  private func fire(_ number: UInt64) {
    let now = loop.now
    let fired = state.withLock { state -> Fired? in
      guard let index = state.due.firstIndex(where: { $0.number == number }) else { return nil }
      let action = state.due.remove(at: index).action
      var (sent, actions) = state.device.perform(action, now: now)
      var presence = DevicePresence(action)
      if action == .watchLink {
        if state.radio.losesLink(elapsed: now - start) {
          presence = .losesLink
        } else if state.radio.canBeWeak {
          actions.append(.watchLink)
        }
      }
      let change = state.schedule(actions, now: now)
      let wake: String? = if case .wake(let name, _) = action { name } else { nil }
      return Fired(
        sent: state.notificationFault == .lost ? nil : sent,
        isDoubled: state.notificationFault == .doubled,
        presence: presence,
        wake: wake,
        change: change,
        handler: state.handler,
        presenceHandler: state.presence
      )
    }
    guard let fired else { return }
    carryOut(fired.change)
    if let sent = fired.sent {
      for _ in 0..<(fired.isDoubled ? 2 : 1) { fired.handler?(sent.handle, sent.value) }
      confirm(sent.handle)
    }
    if let presence = fired.presence { fired.presenceHandler?(presence) }
    if let wake = fired.wake { woken(wake) }
  }
}
