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
    /// Replies with descriptors that it keeps open.
    var held: [Message] = []
  }

  init(_ bus: MessageBus) {
    self.bus = bus
    state = Confined(State(), to: bus.loop)
  }

  func connect(_ device: RemoteDevice) {
    state.connecting.append(device)
    call(device.path, Device1.interface, Device1.connect.name)
  }

  func remove(_ device: ObjectPath, from adapter: ObjectPath) {
    call(adapter, Adapter1.interface, Adapter1.removeDevice.name, [.objectPath(device)])
  }

  func scan(_ adapter: ObjectPath) {
    call(adapter, Adapter1.interface, Adapter1.startDiscovery.name)
  }

  /// Acquires notifications or writes, and keeps them until it leaves.
  func acquire(_ side: OtherProgramAction.AcquiredSide, of characteristic: ObjectPath) async throws
  {
    let call = try MethodCall(
      destination: OrgBlueZ.busName,
      path: characteristic,
      interface: GattCharacteristic1.interface,
      member: side == .notify
        ? GattCharacteristic1.acquireNotify.name : GattCharacteristic1.acquireWrite.name,
      body: [.properties([:])]
    )
    state.held.append(try await bus.call(call, limit: .seconds(60)))
  }

  /// It ends normally: its connection attempts end. Its connections stay.
  func leave() {
    for device in state.connecting where !device.isConnected {
      call(device.path, Device1.interface, Device1.disconnect.name)
    }
    state.connecting = []
    die()
  }

  /// It is killed: what it has started at bluetoothd stays.
  func die() {
    state.held = []
    bus.close()
  }

  private func call(
    _ path: ObjectPath,
    _ interface: String,
    _ member: String,
    _ body: [DBusValue] = []
  ) {
    let call = try? Message.methodCall(
      destination: OrgBlueZ.busName,
      path: path,
      interface: interface,
      member: member,
      body: body,
      noReplyExpected: true
    )
    // A program whose bus has ended does nothing any more.
    if let call { try? bus.send(call) }
  }
}
