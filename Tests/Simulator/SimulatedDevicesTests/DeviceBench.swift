// A simulated device on a virtual loop, with everything it sends written down.

import Bluetooth
import Signals
import SimulatedDevices
import Testing

/// One notification and when it came, in milliseconds of the loop.
struct Sent: Equatable, CustomStringConvertible {
  let at: Int
  let value: [UInt8]

  init(_ at: Int, _ value: [UInt8]) {
    self.at = at
    self.value = value
  }

  var description: String { "\(at) ms: \(value)" }
}

/// A device, linked from the start.
struct DeviceBench {
  let loop: VirtualTimeLoop
  let device: SimulatedDevice
  private let notes = Guarded<[(handle: UInt16, sent: Sent)]>([])

  init(_ definition: DeviceDefinition, seed: UInt64 = 0) {
    let loop = VirtualTimeLoop()
    self.loop = loop
    device = SimulatedDevice(definition, on: loop, generator: SeededGenerator(seed: seed))
    device.linkUp()
    device.onNotification { [notes] handle, value in
      let milliseconds = Int(loop.now.sinceStart / .milliseconds(1))
      notes.withLock { $0.append((handle, Sent(milliseconds, value))) }
    }
  }

  init(_ characteristics: CharacteristicDefinition..., seed: UInt64 = 0) {
    self.init(.with(characteristics), seed: seed)
  }

  /// The handle of the first value with this UUID.
  func handle(_ uuid: BluetoothUUID) throws -> UInt16 {
    let all = device.table.services.flatMap(\.characteristics)
    return try #require(all.first { $0.uuid == uuid }).handle
  }

  func handle(_ name: String) throws -> UInt16 {
    try handle(#require(AssignedNumbers.characteristic(named: name)))
  }

  /// Lets time pass until so long after the loop's start.
  func run(to milliseconds: Int) throws {
    let isOver = Guarded(false)
    loop.at(.start + .milliseconds(milliseconds)) { isOver.withLock { $0 = true } }
    try loop.drive { isOver.withLock { $0 } }
  }

  func sent(on handle: UInt16) -> [Sent] {
    notes.withLock { $0.filter { $0.handle == handle }.map(\.sent) }
  }

  func read(_ handle: UInt16) throws -> [UInt8] { try device.read(handle).get() }

  func write(_ handle: UInt16, _ value: [UInt8]) throws {
    try device.write(handle, value, withResponse: true).get()
  }

  func subscribe(_ handle: UInt16, _ mode: SubscriptionMode? = .notification) throws {
    try device.subscribe(handle, mode).get()
  }
}

extension DeviceDefinition {
  /// A device with one service.
  static func with(_ characteristics: [CharacteristicDefinition]) -> DeviceDefinition {
    DeviceDefinition(
      name: "Bench", address: BluetoothAddress(number: 0xc0ff_ee00_0099),
      services: [ServiceDefinition(uuid: .service, characteristics: characteristics)]
    )
  }
}

extension CharacteristicDefinition {
  init(
    _ properties: CharacteristicProperties, _ behaviour: Behaviour = .constant([]),
    uuid: BluetoothUUID = .first
  ) {
    self.init(uuid: uuid, properties: properties, behaviour: behaviour)
  }
}

extension BluetoothUUID {
  static let service = BluetoothUUID(short: 0xfff0)
  static let first = BluetoothUUID(short: 0xfff1)
  static let second = BluetoothUUID(short: 0xfff2)
}

extension Result where Success == Void, Failure == ATTErrorCode {
  var error: ATTErrorCode? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
}

/// The format called `name`.
func format(_ name: String) throws -> ValueFormat { try #require(ValueFormat(name)) }
