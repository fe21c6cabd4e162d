// Our client and the simulated org.bluez with one device: a `SimulatedWorld` that goes wrong as a
// test asks.

import BLETesting
import BlueZ
import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

/// A world with one device, and a service of that.
struct Simulation {
  let world: SimulatedWorld
  let device: SimulatedDevice
  let service: BlueZDevice

  /// - Parameters:
  ///   - loop: Driven by this initializer until both parts stand.
  ///   - daemon: A bus to use instead of one in memory.
  ///   - hold: How long the simulated bluetoothd takes to take up a call; nil: it never does.
  init(
    on loop: Loop = VirtualTimeLoop(), over daemon: PrivateDaemon? = nil,
    definition: DeviceDefinition = .thermometer, faults: [FaultRule] = [],
    settings: SimulatorSettings = SimulatorSettings(version: .debian12), seed: UInt64 = 0,
    options: ConnectOptions = ConnectOptions(), hasMeter: Bool = true,
    ledger: (any LinkLedger)? = nil, log: MessageObserver? = nil,
    hold: @escaping @Sendable (Message) -> Duration? = { _ in .zero }
  ) throws {
    let generator = SeededGenerator(seed: seed, name: "device")
    device = SimulatedDevice(definition, on: loop, generator: generator)
    device.setFaults(faults)
    world = try SimulatedWorld(
      [device], on: loop, settings: settings, over: daemon.map { .given($0.address) },
      ledger: ledger, observer: log
    ) { call in
      guard let delay = hold(call) else { return .ignore }
      return delay > .zero ? .delay(delay) : .take
    }
    service = BlueZDevice(
      client: world.client, target: .address(definition.address), options: options,
      scheduler: world.scheduler, meter: hasMeter ? world.player : nil
    )
  }

  var loop: Loop { world.loop }
  var bus: LoopbackBus { world.bus }
  var simulator: BlueZSimulator { world.simulator }
  var client: BlueZClient { world.client }
  var scheduler: SerialScheduler { world.scheduler }
  /// The events at the device.
  var events: [SimulatorEvent] { world.events }

  /// The links and operations so far, in words.
  var history: [String] { events.map(\.description) }

  /// The links so far.
  var ledger: LinkHistory { LinkHistory(events) }

  /// A service for the device on another scheduler.
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

  /// Lets time pass, and with it all that is due.
  func pass(_ duration: Duration) throws { try world.pass(duration) }
}
