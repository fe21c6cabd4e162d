// One GattDescriptor1 object.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

final class DescriptorServer: Sendable {
  let path: ObjectPath
  private let entry: DescriptorEntry
  /// The UUID by which bluetoothd interprets it.
  private let uuid: BluetoothUUID
  private let characteristic: ObjectPath
  /// bluetoothd has claimed the service, and clients cannot write.
  private let isReadOnly: Bool
  private let access: AttributeAccess
  private let state: Confined<State>

  private struct State {
    var value = AttributeValue<Invocation>()
    var isWriting = false
  }

  init(
    _ entry: DescriptorEntry, isConfiguration: Bool, of characteristic: ObjectPath,
    isReadOnly: Bool, access: AttributeAccess
  ) {
    self.entry = entry
    uuid = isConfiguration ? .clientCharacteristicConfiguration : entry.uuid
    self.characteristic = characteristic
    self.isReadOnly = isReadOnly
    self.access = access
    state = Confined(State(), to: access.host.loop)
    path = BlueZPath.descriptor(entry.handle, of: characteristic)
  }

  /// The interface, with the properties that bluetoothd exports.
  var interface: ExportedInterface {
    let (handle, uuid, characteristic) = (entry.handle, uuid, characteristic)
    return GattDescriptor1.declaration.exported(
      by: access.host.settings.version,
      methods: [
        ExportedMethod(GattDescriptor1.readValue, read),
        ExportedMethod(GattDescriptor1.writeValue) { self.write($0.0, $0.1, $1) },
      ],
      properties: [
        ExportedProperty(GattDescriptor1.handle) { handle },
        ExportedProperty(GattDescriptor1.uuid) { uuid },
        ExportedProperty(GattDescriptor1.characteristic) { characteristic },
        ExportedProperty(GattDescriptor1.value) { self.state.value.octets },
      ]
    )
  }

  func forget() { state.value.octets = [] }

  @Sendable private func read(_ options: PropertyMap, _ call: Invocation) {
    guard let options = AccessOptions(options) else {
      return call.refuse(.invalidArguments)
    }
    let (offset, isConnected) = (options.offset, access.link().isConnected)
    switch state.value.read(call, offset: offset, isConnected: isConnected) {
    case .refuse(let answer): return call.refuse(answer)
    case .wait: return
    case .ask: break
    }
    let (device, handle) = (access.device, entry.handle)
    access.submit(.read(entry.uuid)) { answer in
      device.read(handle, from: offset, answer)
    } _: { result in
      self.endReading(result)
    }
  }

  private func endReading(_ result: Result<[UInt8], ATTErrorCode>) {
    switch result {
    case .success(let octets):
      let calls = state.value.endReading(octets)
      access.host.server.announce(GattDescriptor1.value, at: path)
      for call in calls { call.reply(to: GattDescriptor1.readValue, octets) }
    case .failure(let code):
      for call in state.value.endReading(nil) { call.refuse(by: code) }
    }
  }

  private func write(_ value: [UInt8], _ options: PropertyMap, _ call: Invocation) {
    guard AccessOptions(options) != nil else {
      return call.refuse(.invalidArguments)
    }
    guard access.link().isConnected else { return call.refuse(.gattNotConnected) }
    if isReadOnly { return call.refuse(.notAuthorized) }
    // bluetoothd manages the Client Characteristic Configuration.
    guard uuid != .clientCharacteristicConfiguration else { return call.refuse(.writeNotPermitted) }
    if state.isWriting { return call.refuse(.inProgress) }
    state.isWriting = true
    let (device, handle) = (access.device, entry.handle)
    access.submit(.write(entry.uuid), value) { answer in
      device.write(handle, value, withResponse: true, answer)
    } _: { (result: Result<Void, ATTErrorCode>) in
      self.state.isWriting = false
      switch result {
      case .success: call.reply()
      case .failure(let code): call.refuse(by: code)
      }
    }
  }
}
