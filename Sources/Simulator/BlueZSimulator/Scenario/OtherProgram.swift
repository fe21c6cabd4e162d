// Another program on the same bus, which interferes in scenarios.

import BlueZInterfaces
import DBus
import Signals
import SimulatedDevices

/// A client that calls bluetoothd and ignores the replies.
final class OtherProgram: Sendable {
  private let bus: MessageBus
  private let state: Confined<State>

  private struct State {
    /// The devices that it has started to connect to.
    var connecting: [RemoteDevice] = []
    /// Replies whose descriptors it keeps open.
    var held: [Message] = []
  }

  init(_ bus: MessageBus) {
    self.bus = bus
    state = Confined(State(), to: bus.loop)
  }

  func connect(_ device: RemoteDevice) {
    state.connecting.append(device)
    send(Device1.connect, (), on: device.path)
  }

  func remove(_ device: ObjectPath, from adapter: ObjectPath) {
    send(Adapter1.removeDevice, device, on: adapter)
  }

  func scan(_ adapter: ObjectPath) { send(Adapter1.startDiscovery, (), on: adapter) }

  /// Acquires notifications or writes, and holds the socket until it leaves.
  func acquire(_ side: OtherProgramAction.AcquiredSide, of characteristic: ObjectPath) async throws
  {
    let method =
      side == .notify ? GattCharacteristic1.acquireNotify : GattCharacteristic1.acquireWrite
    let call = try MethodCall(method, [:], on: characteristic, of: OrgBlueZ.busName)
    state.held.append(try await bus.call(call, limit: .seconds(60)))
  }

  /// Leaves the bus normally: its connection attempts end, its connections stay.
  func leave() {
    for device in state.connecting where !device.isConnected {
      send(Device1.disconnect, (), on: device.path)
    }
    state.connecting = []
    die()
  }

  /// Leaves the bus as if killed: everything that it started in bluetoothd stays.
  func die() {
    state.held = []
    bus.close()
  }

  private func send<Input>(_ method: Method<Input, Void>, _ input: Input, on path: ObjectPath) {
    bus.send(method, input, on: path, of: OrgBlueZ.busName)
  }
}
