// A device with every kind of attribute, shared by the attribute tests.

import BlueZ
import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Glibc
import Signals
import SimulatedDevices
import Testing

extension DeviceDefinition {
  /// Two services of the same UUID, descriptors of all kinds, a stream, an echo, a sink.
  ///
  /// A computed property, not a stored one: an enum keeps its case in spare bits of its payload's
  /// address, and the address sanitizer reports memory reachable only through that as leaked.
  static var bench: DeviceDefinition {
    DeviceDefinition(
      name: "Bench", address: thermometerAddress, link: LinkDefinition(mtu: 64),
      services: [
        ServiceDefinition(
          uuid: .battery,
          characteristics: [
            CharacteristicDefinition(
              uuid: .batteryLevel, properties: [.read, .notify], behaviour: .constant([87]),
              descriptors: [
                DescriptorDefinition(
                  uuid: BluetoothUUID(short: 0x2901), value: Array("main".utf8), isWritable: true
                ),
                DescriptorDefinition(uuid: BluetoothUUID(short: 0x2908), value: [1]),
                DescriptorDefinition(uuid: BluetoothUUID(short: 0x2908), value: [2]),
              ]
            )
          ]
        ),
        ServiceDefinition(
          uuid: .battery,
          characteristics: [
            CharacteristicDefinition(
              uuid: .batteryLevel, properties: .read, behaviour: .constant([13])
            )
          ]
        ),
        ServiceDefinition(
          uuid: .alert,
          characteristics: [
            CharacteristicDefinition(
              uuid: .alertLevel, properties: [.read, .write, .writeWithoutResponse, .notify],
              behaviour: .echo
            ),
            CharacteristicDefinition(
              uuid: .stream, properties: .notify,
              behaviour: .series(
                Series(values: (1...200).map { [UInt8($0)] }, every: .milliseconds(100))
              )
            ),
            CharacteristicDefinition(uuid: .sink, properties: .writeWithoutResponse),
          ]
        ),
      ]
    )
  }
}

extension BluetoothUUID {
  static let stream = BluetoothUUID(short: 0xff01)
  static let sink = BluetoothUUID(short: 0xff02)
}

extension CharacteristicSelector {
  static let alert = CharacteristicSelector(characteristic: .alertLevel)
  static let stream = CharacteristicSelector(characteristic: .stream)
  static let sink = CharacteristicSelector(characteristic: .sink)
}

extension Simulation {
  static func bench(log: MessageObserver? = nil) throws -> Simulation {
    try Simulation(definition: .bench, log: log)
  }

  /// Connects, runs a signal to its first value, disconnects.
  @discardableResult
  func first<Value: Sendable>(
    within limit: Duration = .seconds(100),
    _ body: @escaping @Sendable (BlueZDevice) -> Signal<Value>
  ) throws -> Value {
    let service = service
    let outcome = service.session { body(service).take(1) }
      .map { Optional($0) }
      .firstOrDefault(nil, within: limit)
    if let error = outcome.error { throw error }
    return try #require(outcome.value)
  }

  /// The failure of a signal on a connected device.
  func failure<Value: Sendable>(
    _ body: @escaping @Sendable (BlueZDevice) -> Signal<Value>
  ) throws -> DeviceFailure {
    do {
      try first(body)
    } catch let failure as DeviceFailure {
      return failure
    }
    Issue.record("nothing failed")
    throw NoValue(operation: "a failure")
  }

  /// Another program on the same bus, with the same device.
  ///
  /// - Parameter scheduler: Its own, when nil. A run that uses it beside ``service`` needs both on one;
  ///   bluetoothd tells them apart by their connections to the bus.
  func otherProgram(on scheduler: SerialScheduler? = nil) throws -> BlueZDevice {
    let bus = try bus.connect()
    let client = try loop.run { try await BlueZClient.open(bus: bus) }
    return BlueZDevice(
      client: client, target: .address(device.definition.address),
      scheduler: scheduler ?? SerialScheduler(on: loop)
    )
  }
}

extension Simulation {
  /// A call of another program to the device, which waits for no answer.
  func unanswered(_ member: String) throws -> Message {
    try .methodCall(
      destination: OrgBlueZ.busName, path: devicePath, interface: Device1.interface, member: member,
      noReplyExpected: true
    )
  }

  /// Another program's RemoveDevice, which waits for no answer, either.
  func removal() throws -> Message {
    try .methodCall(
      destination: OrgBlueZ.busName, path: "/org/bluez/hci0", interface: Adapter1.interface,
      member: Adapter1.removeDevice.name, body: [.objectPath(devicePath)], noReplyExpected: true
    )
  }
}

/// The sockets that were passed over a bus, by what tells each from every other of this process.
final class PassedSockets: Sendable {
  private let inodes = Guarded<[ino_t]>([])

  var count: Int { inodes.withLock { $0.count } }

  @Sendable func note(_ message: Message, _: Instant) {
    for value in message.body {
      guard let descriptor = value.asUnixFD?.descriptor, let inode = Self.inode(descriptor) else {
        continue
      }
      inodes.withLock { $0.append(inode) }
    }
  }

  /// The number of open descriptors of these sockets. Other tests in the process open others.
  var open: Int {
    let known = inodes.withLock { $0 }
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let descriptor = Int32(name), let inode = Self.inode(descriptor) else { continue }
      if known.contains(inode) { count += 1 }
    }
    return count
  }

  private static func inode(_ descriptor: Int32) -> ino_t? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_ino : nil
  }
}

extension Simulation {
  /// A StopNotify of another program.
  func stopNotify(_ selector: CharacteristicSelector) -> Signal<Void> {
    let entry = device.table.services.flatMap { service in
      service.characteristics.map { (service, $0) }
    }
    .first { $0.1.uuid == selector.characteristic }
    let bus = bus
    let address = device.definition.address
    return Signal { sink in
      guard let (service, characteristic) = entry else { return }
      let other = try bus.connect()
      let device = BlueZPath.device(address, of: BlueZPath.adapter(BlueZPath.adapterName(index: 0)))
      let call = try MethodCall(
        destination: OrgBlueZ.busName,
        path: BlueZPath.characteristic(
          declaration: characteristic.declaration,
          of: BlueZPath.service(service.handle, of: device)
        ),
        interface: GattCharacteristic1.interface, member: GattCharacteristic1.stopNotify.name
      )
      _ = try await other.call(call, limit: .seconds(5))
      try await sink(())
    }
  }
}
