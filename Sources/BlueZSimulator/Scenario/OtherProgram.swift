// Another program on the same bus, which interferes in scenarios.

import BlueZInterfaces
import DBus
import Signals
import SimulatedDevices

/// A client that calls bluetoothd and ignores the replies.
final class OtherProgram: Sendable {
  private let bus: MessageBus
  /// The devices that it has started to connect to.
  private let connecting = Guarded<[RemoteDevice]>([])
  /// Replies with descriptors that it keeps open.
  private let held = Guarded<[Message]>([])

  init(_ bus: MessageBus) { self.bus = bus }

  func connect(_ device: RemoteDevice) {
    connecting.withLock { $0.append(device) }
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
    let answer = try await bus.call(call, limit: .seconds(60))
    held.withLock { $0.append(answer) }
  }

  /// It ends normally: its connection attempts end. Its connections stay.
  func leave() {
    let devices = connecting.withLock { devices in
      defer { devices = [] }
      return devices
    }
    for device in devices where !device.isConnected {
      call(device.path, Device1.interface, Device1.disconnect.name)
    }
    die()
  }

  /// It is killed: what it has started at bluetoothd stays.
  func die() {
    held.withLock { $0 = [] }
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
