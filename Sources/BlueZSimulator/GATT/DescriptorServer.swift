// One GattDescriptor1 object.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Serves a descriptor of a device.
final class DescriptorServer: Sendable {
  /// The Client Characteristic Configuration, which belongs to bluetoothd.
  private static let configuration = BluetoothUUID(short: 0x2902)

  let path: ObjectPath
  private let entry: DescriptorEntry
  private let characteristic: ObjectPath
  private let access: AttributeAccess
  private let value = Guarded<[UInt8]>([])

  init(_ entry: DescriptorEntry, of characteristic: ObjectPath, access: AttributeAccess) {
    self.entry = entry
    self.characteristic = characteristic
    self.access = access
    path = BlueZPath.descriptor(entry.handle, of: characteristic)
  }

  /// The interface, with the properties that bluetoothd gives it.
  var interface: ExportedInterface {
    typealias Property = GattDescriptor1.Property
    let (entry, characteristic) = (entry, characteristic)
    let options = ExportedArgument("options", "a{sv}")
    return ExportedInterface(
      GattDescriptor1.interface,
      methods: [
        ExportedMethod(
          GattDescriptor1.Method.readValue,
          takes: [options],
          returns: [.init("value", "ay")],
          read
        ),
        ExportedMethod(
          GattDescriptor1.Method.writeValue,
          takes: [.init("value", "ay"), options],
          write
        ),
      ],
      properties: [
        ExportedProperty(Property.uuid, "s") { .string(entry.uuid.text) },
        ExportedProperty(Property.characteristic, "o") { .objectPath(characteristic) },
        ExportedProperty(Property.value, "ay") { .bytes(self.value.withLock { $0 }) },
      ]
    )
  }

  /// The object is removed.
  func forget() { value.withLock { $0 = [] } }

  @Sendable private func read(_ call: Invocation) {
    guard let options = AccessOptions(call.message.body.first) else {
      return call.refuse(.invalidArguments)
    }
    guard access.link().isConnected else { return call.refuse(.gattNotConnected) }
    let (device, handle) = (access.device, entry.handle)
    access.queue.submit(.read(entry.uuid)) { () -> Result<[UInt8], ATTErrorCode> in
      device.read(handle).flatMap { value in
        options.offset <= value.count
          ? .success(Array(value.dropFirst(options.offset))) : .failure(.invalidOffset)
      }
    } _: { result in
      switch result {
      case .success(let value):
        self.value.withLock { $0 = value }
        self.access.host.server.announce(
          GattDescriptor1.Property.value,
          of: GattDescriptor1.interface,
          at: self.path
        )
        call.reply([.bytes(value)])
      case .failure(let code): call.refuse(.refused(by: code))
      }
    }
  }

  @Sendable private func write(_ call: Invocation) {
    let value = call.message.body.first?.asBytes ?? []
    guard AccessOptions(call.message.body.last) != nil else {
      return call.refuse(.invalidArguments)
    }
    guard access.link().isConnected else { return call.refuse(.gattNotConnected) }
    guard entry.uuid != Self.configuration else { return call.refuse(.writeNotPermitted) }
    let (device, handle) = (access.device, entry.handle)
    access.queue.submit(.write(entry.uuid)) { () -> Result<Void, ATTErrorCode> in
      device.write(handle, value, withResponse: true)
    } _: { result in
      switch result {
      case .success: call.reply()
      case .failure(let code): call.refuse(.refused(by: code))
      }
    }
  }
}
