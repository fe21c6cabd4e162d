// Access to attributes at each link security level.

import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Security of a simulated device")
struct SecurityTests {
  static let value = BluetoothUUID(short: 0x2a06)
  static let note = BluetoothUUID(short: 0x2901)

  func device(_ security: AttributeSecurity) throws -> (SimulatedDevice, CharacteristicEntry) {
    let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
    let definition = DeviceDefinition(
      address: address,
      services: [
        ServiceDefinition(
          uuid: BluetoothUUID(short: 0x1802),
          characteristics: [
            CharacteristicDefinition(
              uuid: Self.value, properties: [.read, .write, .notify],
              descriptors: [
                DescriptorDefinition(
                  uuid: Self.note, value: [1], isWritable: true, security: security
                )
              ],
              security: security
            )
          ]
        )
      ]
    )
    let generator = SeededGenerator(seed: 0, name: "device")
    let device = SimulatedDevice(definition, on: VirtualTimeLoop(), generator: generator)
    device.linkUp()
    let entries = device.table.services.flatMap(\.characteristics)
    return (device, try #require(entries.first { $0.uuid == Self.value }))
  }

  /// The errors of reading, writing and subscribing, then of reading and writing the descriptor.
  func refusals(_ device: SimulatedDevice, _ entry: CharacteristicEntry) throws -> [ATTErrorCode?] {
    func error<Value>(_ result: Result<Value, ATTErrorCode>) -> ATTErrorCode? {
      if case .failure(let code) = result { code } else { nil }
    }
    let note = try #require(entry.descriptors.first { $0.uuid == Self.note }).handle
    return [
      error(device.read(entry.handle)),
      error(device.write(entry.handle, [2], withResponse: true)),
      error(device.subscribe(entry.handle, .notification)),
      error(device.read(note)), error(device.write(note, [2], withResponse: true)),
    ]
  }

  @Test(
    "each link level permits attributes up to that level, and refuses others by what is missing"
  )
  func levels() throws {
    for demanded in LinkSecurity.allCases {
      let (device, entry) = try device(AttributeSecurity(read: demanded, write: demanded))
      let refusal: ATTErrorCode =
        demanded == .authenticated ? .insufficientAuthentication : .insufficientEncryption
      for level in LinkSecurity.allCases {
        device.secure(level)
        let expected: [ATTErrorCode?] = Array(repeating: level < demanded ? refusal : nil, count: 5)
        #expect(try refusals(device, entry) == expected, "\(demanded) on \(level)")
      }
    }
  }

  @Test("reads and writes can have different levels; subscribing needs the level of reads")
  func apart() throws {
    let (device, entry) = try device(AttributeSecurity(read: .none, write: .encrypted))
    let code = ATTErrorCode.insufficientEncryption
    #expect(try refusals(device, entry) == [nil, code, nil, nil, code])
  }

  @Test("a new link is not secure")
  func newLink() throws {
    let (device, entry) = try device(AttributeSecurity(read: .encrypted))
    device.secure(.authenticated)
    device.linkDown()
    device.linkUp()
    #expect(device.security == .none)
    #expect(try refusals(device, entry)[0] == .insufficientEncryption)
  }

  @Test("passkeys come from the definition, otherwise from the seed")
  func passkeys() throws {
    let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
    func passkeys(_ pairing: PairingDefinition, seed: UInt64) -> [UInt32] {
      let device = SimulatedDevice(
        DeviceDefinition(address: address, pairing: pairing), on: VirtualTimeLoop(),
        generator: SeededGenerator(seed: seed, name: "device")
      )
      return (0..<3).map { _ in device.nextPasskey() }
    }
    #expect(passkeys(PairingDefinition(.confirm, passkey: 7), seed: 0) == [7, 7, 7])
    let drawn = passkeys(PairingDefinition(.confirm), seed: 0)
    #expect(Set(drawn).count == 3)
    #expect(drawn.allSatisfy { $0 <= 999_999 })
    #expect(drawn == passkeys(PairingDefinition(.confirm), seed: 0))
    #expect(drawn != passkeys(PairingDefinition(.confirm), seed: 1))
  }
}
