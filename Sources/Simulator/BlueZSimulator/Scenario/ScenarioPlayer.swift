// Plays a scenario on a bus: the simulated bluetoothd, its successors, and the faults that affect
// them.
//
// A thin shell: FaultSchedule decides when, this runs the timers.

import BlueZInterfaces
import Bluetooth
public import DBus
public import Signals
public import SimulatedDevices

/// Plays the faults of a scenario on simulated devices.
///
/// The time of the scenario starts with ``start()``. It ends with ``stop()``, or with its last
/// reference. In real time its methods can be called on any thread.
public final class ScenarioPlayer: Sendable {
  /// Opens a new connection to the bus.
  public typealias Connect = @Sendable () async throws -> MessageBus

  struct State {
    var simulator: BlueZSimulator?
    var schedule: FaultSchedule
    var timers: [Int: LoopTimer] = [:]
    var numbers = 0
    var treatments = CallTreatments()
    /// Lasting changes, to be applied to a new bluetoothd or adapter.
    var services: [(device: BluetoothAddress, resolution: ServiceResolution)] = []
    var missing: [(service: BluetoothUUID, device: BluetoothAddress)] = []
    var replaced: [(service: BluetoothUUID, device: BluetoothAddress)] = []
    var absent: [BluetoothAddress] = []
    var scans = 0
    var others: [OtherProgram] = []
    /// The sockets of attached logic, by device.
    var sockets: [BluetoothAddress: String] = [:]
    var hasEnded = false
  }

  let connect: Connect
  let closeBus: @Sendable () -> Void
  package let devices: [SimulatedDevice]
  let loop: Loop
  let state: Confined<State>
  /// The state of the world that conditions of device faults read.
  private let surroundings: Confined<Surroundings>
  private let identities: Set<BluetoothAddress>
  private let settings: SimulatorSettings
  private let log: SimulatorLog?
  /// Opens the logic of a device.
  let openLogic: DeviceLogic.Open
  private let observer: @Sendable (SimulatorEvent) -> Void

  /// Creates a player. It uses the bus only after ``start()``.
  ///
  /// ```swift
  /// let loop = VirtualTimeLoop()
  /// let scenario = try ScenarioFile.load(path: "office.yaml")
  /// let devices = scenario.devices.map {
  ///   SimulatedDevice($0, on: loop, generator: SeededGenerator(seed: 1, name: "\($0.address)"))
  /// }
  /// let bus = LoopbackBus(on: loop)
  /// let player = ScenarioPlayer(
  ///   scenario, devices: devices, on: loop, generator: SeededGenerator(seed: 1)
  /// ) { try bus.connect() }
  /// ```
  ///
  /// - Parameters:
  /// - scenario: The scenario to play.
  ///   - devices: The devices of the scenario, created on `loop`.
  ///   - loop: The loop that everything runs on.
  ///   - generator: The generator for faults, and for adapters in the role of devices.
  ///   - connect: Opens connections to the bus: for bluetoothd, its successors, other programs.
  ///   - closeBus: Closes the bus, for scenarios that require it.
  ///   - settings: Replaces the settings of the scenario's host.
  ///   - log: Receives clients' calls and devices' events, across restarts of bluetoothd.
  ///   - observer: Receives events at the devices, on the loop.
  ///   - openLogic: Opens the logic that a device file names; refuses by default.
  public init(
    _ scenario: ScenarioDefinition, devices: [SimulatedDevice], on loop: Loop,
    generator: SeededGenerator, connect: @escaping Connect,
    closeBus: @escaping @Sendable () -> Void = {}, settings: SimulatorSettings? = nil,
    log: SimulatorLog? = nil, observer: @escaping @Sendable (SimulatorEvent) -> Void = { _ in },
    openLogic: @escaping DeviceLogic.Open = { _, _ throws(LogicError.Reason) in
      throw .unsupported
    }
  ) {
    self.openLogic = openLogic
    self.devices = devices
    identities = Set(devices.map(\.definition.address))
    self.loop = loop
    self.connect = connect
    self.closeBus = closeBus
    self.observer = observer
    self.log = log
    var settings = settings ?? SimulatorSettings(scenario.host)
    var seeds = generator.split("adapters")
    for index in settings.adapters.indices { settings.adapters[index].seed = seeds.next() }
    self.settings = settings
    let schedule = FaultSchedule(scenario.faults, generator: generator)
    state = Confined(State(schedule: schedule), to: loop)
    surroundings = Confined(Surroundings(), to: loop)
    for device in devices {
      device.setSurroundings { [surroundings] in surroundings.contents }
    }
  }

  deinit { loop.performSoon(end) }

  /// Exports the objects, requests the name `org.bluez`, and starts the scenario.
  ///
  /// - Throws: The errors of ``BlueZSimulator/start()``; `LogicError` for logic that cannot be
  ///   started.
  public func start() async throws {
    for device in devices {
      if let logic = device.definition.logic { try open(logic, of: device) }
    }
    let simulator = BlueZSimulator(
      bus: try await connect(), devices: devices, settings: settings, log: log
    ) { [weak self] event, handle in self?.happened(event, at: handle) }
    try await start(simulator)
    loop.performAndWait { [self] in
      for firing in state.schedule.begin() { schedule(firing) }
    }
  }

  func start(_ simulator: BlueZSimulator) async throws {
    simulator.treatCalls { [weak self] call in
      self?.state.treatments.treatment(of: call) ?? .take
    }
    try await simulator.start()
    loop.performAndWait { [self] in
      guard !state.hasEnded else { return simulator.stop() }
      state.simulator = simulator
      restoreLasting()
    }
  }

  /// Ends the simulation, and cancels every timer.
  public func stop() { loop.performAndWait(end) }

  /// Ends everything that could outlive this object. The closure does not refer to it.
  private var end: @Sendable () -> Void {
    { [state, devices] in
      let (simulator, others) = (state.simulator, state.others)
      for timer in state.timers.values { timer.cancel() }
      state.simulator = nil
      state.timers = [:]
      state.others = []
      state.hasEnded = true
      for other in others { other.die() }
      for device in devices { device.endLogic() }
      simulator?.stop()
    }
  }

  /// Ends the logic of all devices: processes, and connections to sockets.
  public func endLogic() { for device in devices { device.endLogic() } }

  /// Opens logic, and attaches it to a device.
  func open(
    _ logic: LogicDefinition, of device: SimulatedDevice, handling events: LogicEvents? = nil
  ) throws(LogicError) {
    let opened: DeviceLogic
    do throws(LogicError.Reason) {
      opened = try openLogic(logic, device.title)
    } catch {
      throw LogicError(device: device.title, event: nil, error, at: logic.place)
    }
    try device.setLogic(opened, handling: events, at: logic.place)
  }

  /// The current bluetoothd; nil while none runs.
  public var simulator: BlueZSimulator? { loop.performAndWait { [state] in state.simulator } }

  // MARK: Events

  private func happened(_ event: SimulatorEvent, at handle: UInt16?) {
    observer(event)
    let (kind, device, characteristic, _) = event.parts
    let found = WorldEvent(
      kind, device: device.map { identity($0) }, characteristic: characteristic, handle: handle
    )
    switch kind {
    case .connected: surroundings.links += 1
    case .disconnected: surroundings.links = max(0, surroundings.links - 1)
    case .scanning: state.scans += 1
    case .scanned: state.scans = max(0, state.scans - 1)
    case .read, .written, .subscribed, .unsubscribed, .notified, .paired, .securityRequested: break
    }
    surroundings.isScanning = state.scans > 0
    for firing in state.schedule.happened(found) { schedule(firing) }
  }

  /// The identity address of the device that uses an address.
  private func identity(_ address: BluetoothAddress) -> BluetoothAddress {
    if identities.contains(address) { return address }
    return simulator?.device(address)?.device.definition.address ?? address
  }

  // MARK: Time

  private func schedule(_ firing: FaultSchedule.Firing) {
    after(firing.delay) { player in player.fire(firing.fault) }
  }

  private func fire(_ fault: Int) {
    let (actions, again) = state.schedule.fire(fault)
    for timed in actions {
      after(timed.delay) { player in player.perform(timed.action) }
    }
    if let again { schedule(again) }
  }

  /// Runs an action later, unless the scenario has ended by then.
  func after(_ delay: Duration, _ body: @escaping @Sendable (ScenarioPlayer) -> Void) {
    guard !state.hasEnded else { return }
    state.numbers += 1
    let number = state.numbers
    state.timers[number] = loop.after(delay) { [weak self] in
      guard let self, state.timers.removeValue(forKey: number) != nil else { return }
      body(self)
    }
  }
}

extension SimulatorSettings {
  /// The settings of a scenario's host.
  public init(_ host: HostDefinition) {
    self.init()
    if let release = host.release { version = BlueZVersion(release.major, release.minor) }
    if !host.adapters.isEmpty { adapters = host.adapters }
    offersMonitors = host.offersMonitors
    disconnectDelay = host.disconnectDelay ?? disconnectDelay
    attTimeout = host.answerTimeout ?? attTimeout
  }
}

// MARK: - Actions

extension ScenarioPlayer {
  func perform(_ action: WorldAction) {
    switch action {
    case .device(let device, let change):
      state.contents.remember(change, of: device)
      simulator?.apply(change, to: device)
    case .adapter(let adapter, let change):
      simulator?.apply(change, toAdapter: adapter)
      switch change {
      case .plugIn: restoreLasting()
      case .power, .unplug: break
      }
    case .endDaemon(let isKilled): simulator?.end(isKilled: isKilled)
    case .startDaemon: startDaemon()
    case .closeBus: closeBus()
    case .calls(let selection, let treatment):
      state.treatments.set(selection, treatment)
    case .otherProgram(let action): other(action)
    case .otherProgramsLeave:
      for other in state.others { other.leave() }
      state.others = []
    }
  }

  /// Applies the lasting changes of the scenario to a new bluetoothd, which does not have them.
  private func restoreLasting() {
    for device in state.absent { simulator?.vanish(device) }
    for (device, resolution) in state.services { simulator?.resolve(resolution, at: device) }
    for (service, device) in state.missing { simulator?.offer(service, false, at: device) }
    for (service, device) in state.replaced { simulator?.replace(service, true, at: device) }
  }

  // MARK: bluetoothd

  private func startDaemon() {
    guard let before = simulator else { return }
    begin { player in try await player.start(after: before, on: try await player.connect()) }
  }

  /// Starts a bluetoothd after one that has ended.
  func start(after before: BlueZSimulator, on bus: MessageBus) async throws {
    let old = before.host.bus.uniqueName
    // The bus notices the end of a connection with a delay.
    while try await bus.nameOwner(OrgBlueZ.busName) == old {
      try await loop.sleep(for: .milliseconds(1))
    }
    try await start(before.successor(on: bus))
  }

  /// Runs an asynchronous action, and ignores its errors: they mean that the bus has ended.
  private func begin(_ body: @escaping @Sendable (ScenarioPlayer) async throws -> Void) {
    _ = loop.task { [weak self] in
      guard let self else { return }
      try? await body(self)
    }
  }

  // MARK: Other programs

  private func other(_ action: OtherProgramAction) {
    begin { player in
      let program = OtherProgram(try await player.connect())
      if player.state.hasEnded { return program.die() }
      player.perform(action, by: program)
    }
  }

  private func perform(_ action: OtherProgramAction, by program: OtherProgram) {
    guard let simulator else { return program.die() }
    switch action {
    case .remove(let address):
      if let device = simulator.device(address), device.isExported {
        program.remove(device.path, from: device.adapter)
      }
      after(.milliseconds(1)) { _ in program.die() }
    case .connect(let address):
      guard let device = known(address) else { return program.die() }
      // The attempt lasts for as long as bluetoothd tries.
      device.device.setNextConnect(.neverAnswer)
      program.connect(device)
      state.others.append(program)
    case .leaveLink(let address):
      guard let device = known(address) else { return program.die() }
      program.connect(device)
      after(.milliseconds(1)) { _ in program.die() }
    case .acquire(let characteristic, let side, let address):
      guard let device = known(address) else { return program.die() }
      state.others.append(program)
      program.connect(device)
      acquire(side, of: characteristic, device, by: program)
    case .scan(let index):
      guard let adapter = simulator.path(ofAdapter: index) else { return program.die() }
      state.others.append(program)
      program.scan(adapter)
    }
  }

  /// The object of a device. The other program is assumed to have scanned: the device is known if
  /// it is in range.
  private func known(_ address: BluetoothAddress) -> RemoteDevice? {
    guard let device = simulator?.device(address), device.isInAir else { return nil }
    if !device.isExported {
      device.observe(device.device.advertisement(), reportsAll: false, threshold: 0)
    }
    return device
  }

  /// Acquires a characteristic for the other program as soon as the services are resolved, before
  /// any client is told and could subscribe or write.
  private func acquire(
    _ side: OtherProgramAction.AcquiredSide, of characteristic: CharacteristicSelector,
    _ device: RemoteDevice, by program: OtherProgram
  ) {
    device.whenResolved { [weak self, weak device] in
      guard let self, let device, let handle = device.device.table.handle(of: characteristic),
        let path = device.attributes?.path(of: handle)
      else { return }
      begin { _ in try await program.acquire(side, of: path) }
    }
  }
}

extension ScenarioPlayer.State {
  /// Remembers a change that a new bluetoothd, or a new adapter, must find again.
  fileprivate mutating func remember(_ change: DeviceChange, of device: BluetoothAddress) {
    switch change {
    case .vanish: absent.append(device)
    case .appear: absent.removeAll { $0 == device }
    case .offer(let service, let isOffered):
      missing.removeAll { $0 == (service, device) }
      if !isOffered { missing.append((service, device)) }
    case .replace(let service, let isReplaced):
      replaced.removeAll { $0 == (service, device) }
      if isReplaced { replaced.append((service, device)) }
    case .services(let resolution):
      services.removeAll { $0.device == device }
      services.append((device, resolution))
    // The device itself keeps these.
    case .loseLink, .loseBonds, .requestSecurity, .notifications, .rules, .rule, .move, .follow,
      .stray, .set, .release, .advertise:
      break
    }
  }
}
