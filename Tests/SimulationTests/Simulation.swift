// Our client and the simulated org.bluez on one bus, in memory unless told otherwise.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

/// A client and a simulator with one device, on a loop.
struct Simulation {
  let loop: Loop
  let simulator: BlueZSimulator
  let device: SimulatedDevice
  let scheduler: SerialScheduler
  let service: BlueZDevice
  /// What happened at the device.
  let events: Recorded<SimulatorEvent>
  /// The bus in memory; one that nobody is on when there is a daemon.
  let bus: LoopbackBus
  /// The simulator's connection and the client's.
  let connections: [MessageBus]
  private let ending: Ending
  var simulatorBus: MessageBus { connections[0] }
  /// The unique name of our client.
  var clientName: String { connections[1].uniqueName }

  /// - Parameters:
  ///   - loop: Driven by this initializer until both parts stand.
  ///   - daemon: A bus to use instead of one in memory.
  ///   - hold: How long the simulated bluetoothd takes to take up a call; nil: it never does.
  init(
    on loop: Loop = VirtualTimeLoop(),
    over daemon: PrivateDaemon? = nil,
    definition: DeviceDefinition = .thermometer,
    faults: [FaultRule] = [],
    settings: SimulatorSettings = SimulatorSettings(),
    seed: UInt64 = 0,
    options: ConnectOptions = ConnectOptions(),
    hasMeter: Bool = true,
    ledger: (any LinkLedger)? = nil,
    log: MessageObserver? = nil,
    hold: @escaping @Sendable (Message) -> Duration? = { _ in .zero }
  ) throws {
    self.loop = loop
    let generator = SeededGenerator(seed: seed, name: "device")
    device = SimulatedDevice(definition, on: loop, generator: generator)
    device.setFaults(faults)
    let events = Recorded<SimulatorEvent>()
    self.events = events
    bus = LoopbackBus(on: loop, observer: log)
    connections = try Self.connect(on: loop, over: daemon, else: bus)
    let (theirs, ours) = (connections[0], connections[1])
    ending = Ending(loop) { [bus, connections] in
      for connection in connections { connection.close() }
      bus.shutDown()
    }
    let simulator = BlueZSimulator(
      bus: theirs,
      devices: [device],
      settings: settings
    ) { events.add($0) }
    self.simulator = simulator
    simulator.treatCalls { call in
      guard let delay = hold(call) else { return .ignore }
      return delay > .zero ? .delay(delay) : .take
    }
    let client = try loop.run {
      try await simulator.start()
      return try await BlueZClient.open(bus: ours, ledger: ledger)
    }
    scheduler = SerialScheduler(on: loop)
    service = BlueZDevice(
      client: client,
      target: .address(definition.address),
      options: options,
      scheduler: scheduler,
      meter: hasMeter ? simulator : nil
    )
  }

  private static func connect(
    on loop: Loop,
    over daemon: PrivateDaemon?,
    else bus: LoopbackBus
  ) throws -> [MessageBus] {
    if let daemon {
      let address = BusAddress.given(daemon.address)
      return try loop.run {
        [
          try await MessageBus.open(address: address, on: loop),
          try await MessageBus.open(address: address, on: loop),
        ]
      }
    }
    return [try bus.connect(), try bus.connect()]
  }

  /// The links and operations so far, in words.
  var history: [String] { events.all.map(\.description) }

  /// The links so far.
  var ledger: LinkHistory { LinkHistory(events.all) }

  /// The same device for another scheduler.
  func service(on scheduler: SerialScheduler) -> BlueZDevice {
    BlueZDevice(client: service.client, target: service.target, scheduler: scheduler)
  }

  /// Nothing goes wrong from now on.
  func heal() {
    device.setFaults([])
    simulator.appear(device.definition.address)
  }

  /// Lets everything happen that is left, which is to end. For virtual time.
  func drain() {
    let (loop, end) = (loop, loop.now + .seconds(600))
    #expect(throws: LoopIdle.self, "\(history.suffix(4))") {
      try loop.drive { loop.now > end }
    }
  }
}
