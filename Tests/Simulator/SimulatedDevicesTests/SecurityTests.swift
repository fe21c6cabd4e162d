// Access to attributes at each link security level.

import Bluetooth
import Fixtures
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

  // MARK: Security Requests

  /// A device with a value that echoes, one that is refused, and this request; and its presences, each
  /// with its time in milliseconds.
  private struct Asking {
    let bench: DeviceBench
    let seen = Recorded<String>()

    init(_ request: SecurityRequest?, keys: String = "") throws {
      var definition = try DeviceText.device(
        DeviceText.keys([
          "characteristic: fff1, properties: [read, write, notify], longest: 2, echo: true",
          "characteristic: fff2, properties: [read, write, notify]",
        ]) + keys
      )
      definition.pairing.request = request
      bench = DeviceBench(definition)
      let (loop, seen) = (bench.loop, seen)
      bench.device.onPresence { presence in
        seen.add("\(Int(loop.now.sinceStart / .milliseconds(1))) \(presence)")
      }
    }

    var first: UInt16 { get throws { try bench.handle(.first) } }
    var second: UInt16 { get throws { try bench.handle(.second) } }
  }

  private static let first = CharacteristicSelector(characteristic: .first)

  @Test("a device asks to pair after the connection, unless it is encrypted by then")
  func asksWhenConnected() throws {
    let plain = try Asking(SecurityRequest(.connected, after: .milliseconds(20)))
    try plain.bench.run(to: 10_000)
    #expect(plain.seen.all == ["20 requestsSecurity"])
    let bonded = try Asking(SecurityRequest(.connected, after: .milliseconds(20)))
    bonded.bench.device.secure(.encrypted)
    try bonded.bench.run(to: 10_000)
    #expect(bonded.seen.all == [])
    let gone = try Asking(SecurityRequest(.connected, after: .milliseconds(20)))
    gone.bench.device.linkDown()
    try gone.bench.run(to: 10_000)
    #expect(gone.seen.all == [])
  }

  @Test("it asks after each accepted request to the characteristic, and after no other")
  func asksAfterRequests() throws {
    let writes = try Asking(SecurityRequest(.written, characteristic: Self.first))
    try writes.bench.run(to: 10)
    let (first, second) = (try writes.first, try writes.second)
    #expect(writes.bench.device.write(first, [1, 2, 3], withResponse: true).error != nil)
    try writes.bench.write(second, [1])
    _ = try writes.bench.read(first)
    try writes.bench.subscribe(first)
    try writes.bench.run(to: 20)
    #expect(writes.seen.all == [])
    try writes.bench.write(first, [1])
    try writes.bench.run(to: 30)
    try writes.bench.write(first, [2])
    try writes.bench.run(to: 40)
    #expect(writes.seen.all == ["20 requestsSecurity", "30 requestsSecurity"])
    let reads = try Asking(SecurityRequest(.read))
    _ = try reads.bench.read(reads.second)
    let subscriptions = try Asking(SecurityRequest(.subscribed))
    for _ in 0..<2 { try subscriptions.bench.subscribe(subscriptions.second) }
    for asking in [reads, subscriptions] {
      try asking.bench.run(to: 10)
      #expect(asking.seen.all == ["0 requestsSecurity"])
    }
  }

  @Test("it disconnects if the connection is not encrypted in time")
  func disconnectsInTime() throws {
    let request = SecurityRequest(.connected, disconnectingAfter: .seconds(5))
    let ignored = try Asking(request)
    try ignored.bench.run(to: 10_000)
    #expect(ignored.seen.all == ["0 requestsSecurity", "5000 endsLink"])
    let paired = try Asking(request)
    try paired.bench.run(to: 1_000)
    paired.bench.device.secure(.encrypted)
    try paired.bench.run(to: 10_000)
    #expect(paired.seen.all == ["0 requestsSecurity"])
  }

  @Test("machines, logic and tests ask, too")
  func asksByOthers() throws {
    let asking = try Asking(
      nil,
      keys: """
        machines:
        - machine: asks
          states:
            idle: { on: { write: fff2, do: { request-security: 30ms } } }
        """
    )
    try asking.bench.write(asking.second, [1])
    try asking.bench.run(to: 100)
    asking.bench.device.requestSecurity()
    try asking.bench.run(to: 200)
    try asking.bench.device.setLogic(
      DeviceLogic { event in
        LogicAnswer(actions: event.title.hasPrefix("write") ? [.requestSecurity] : [])
      }
    )
    try asking.bench.write(asking.first, [1])
    try asking.bench.run(to: 300)
    #expect(
      asking.seen.all == ["30 requestsSecurity", "100 requestsSecurity", "200 requestsSecurity"]
    )
  }
}
