// Shared parts of the service tests: a virtual loop with a bus and a scripted bluetoothd.

import BlueZ
import Bluetooth
import DBus
import Fixtures
import Signals
import Testing

/// A client and a scripted bluetoothd on one bus in virtual time.
///
/// Not a world of `BLETesting`: no simulator, and replies that no real bluetoothd sends.
struct Bench {
  let loop = VirtualTimeLoop()
  let bus: LoopbackBus
  let bluez: ScriptedBlueZ
  let ours: MessageBus
  let scheduler: SerialScheduler
  private let ending: LoopEnding

  init() throws {
    bus = LoopbackBus(on: loop)
    bluez = ScriptedBlueZ(on: try bus.connect())
    ours = try bus.connect()
    ending = LoopEnding(loop) { [bus] in bus.shutDown() }
    scheduler = SerialScheduler(on: loop)
  }

  /// The service of the scripted device, with bluetoothd on the bus.
  func service(
    _ target: DeviceTarget? = nil, limits: BlueZLimits = BlueZLimits(),
    options: ConnectOptions = ConnectOptions(), ledger: (any LinkLedger)? = nil
  ) throws -> BlueZDevice {
    let address = try #require(BluetoothAddress(ScriptedBlueZ.address))
    let (bluez, ours) = (bluez, ours)
    let client = try loop.run {
      try await bluez.start()
      return try await BlueZClient.open(bus: ours, limits: limits, ledger: ledger)
    }
    return BlueZDevice(
      client: client, target: target ?? .address(address), options: options, scheduler: scheduler
    )
  }

  /// Runs a signal in a turn to its first value.
  @discardableResult
  func first<Value: Sendable>(
    _ signal: Signal<Value>, within limit: Duration = .seconds(60)
  ) throws -> Value {
    let outcome = signal.map { Optional($0) }.firstOrDefault(nil, within: limit)
    if let error = outcome.error { throw error }
    return try #require(outcome.value)
  }

  /// The failure of a signal that runs in a turn.
  func failure<Value: Sendable>(
    _ signal: Signal<Value>, within limit: Duration = .seconds(60)
  ) throws -> DeviceFailure {
    let outcome = signal.map { Optional($0) }.firstOrDefault(nil, within: limit)
    let error = try #require(outcome.error)
    return try #require(error as? DeviceFailure, "\(error)")
  }

  /// Lets everything happen that is left.
  func drain() {
    #expect(throws: LoopIdle.self) { try loop.drive { false } }
  }
}
