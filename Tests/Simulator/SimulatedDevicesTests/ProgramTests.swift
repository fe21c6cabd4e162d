// Devices whose services change, and whose requests a program answers.

import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Devices made by programs")
struct ProgramTests {
  private func service(
    _ number: UInt16, at handle: UInt16, _ security: AttributeSecurity = AttributeSecurity()
  ) -> ServiceDefinition {
    ServiceDefinition(
      uuid: BluetoothUUID(short: number),
      characteristics: [
        CharacteristicDefinition(
          uuid: BluetoothUUID(short: number + 1), properties: [.read, .write, .notify],
          security: security
        )
      ],
      handle: handle
    )
  }

  private func device(_ services: ServiceDefinition...) -> DeviceDefinition {
    DeviceDefinition(address: BluetoothAddress(number: 0xc0ff_ee00_0001), services: services)
  }

  @Test(
    "a service gets its requested handle unless it is in use; one that does not fit is left out"
  )
  func handles() throws {
    let table = AttributeTable(device(service(0xa000, at: 0x20), service(0xb000, at: 0x21)))
    #expect(table.services.suffix(2).map(\.handle) == [0x20, 0x24])
    let bench = DeviceBench(device(service(0xa000, at: 0x20)))
    #expect(bench.device.read(0x1f) == .failure(.invalidHandle))
  }

  @Test("a device that is replaced keeps its remaining attributes, with values and subscriptions")
  func redefined() throws {
    let bench = DeviceBench(device(service(0xa000, at: 0x20), service(0xb000, at: 0x30)))
    try bench.write(0x32, [1])
    try bench.subscribe(0x22)
    try bench.subscribe(0x32)
    bench.device.redefine(device(service(0xb000, at: 0x30), service(0xc000, at: 0x40)))
    #expect(bench.device.read(0x22) == .failure(.invalidHandle))
    #expect(try bench.read(0x32) == [1])
    bench.device.setValue([2], at: 0x32)
    bench.device.setValue([3], at: 0x42)
    try bench.run(to: 1)
    #expect(bench.sent(on: 0x32).map(\.value) == [[2]])
    #expect(bench.sent(on: 0x42) == [])
  }

  @Test("a program can answer late; requests refused by properties or security do not reach it")
  func asked() throws {
    let protected = service(0xb000, at: 0x30, AttributeSecurity(read: .encrypted))
    let bench = DeviceBench(device(service(0xa000, at: 0x20), protected))
    let asked = Guarded<[String]>([])
    let answers = Guarded<[DeviceProgram.Answer<[UInt8]>]>([])
    @Sendable func note(_ text: String) { asked.withLock { $0.append(text) } }
    bench.device.setProgram(
      DeviceProgram(
        serves: { $0 >= 0x20 },
        read: { handle, offset, done in
          note("read \(handle) \(offset)")
          answers.withLock { $0.append(done) }
        },
        write: { handle, value, offset, done in
          note("write \(handle) \(value) \(offset)")
          done(.success(()))
        },
        subscription: { note("subscription \($0) \($1)") }, confirmed: { note("confirmed \($0)") }
      )
    )
    let results = Guarded<[Result<[UInt8], ATTErrorCode>]>([])
    for handle: UInt16 in [0x22, 0x32, 3] {
      bench.device.read(handle, from: 0) { result in results.withLock { $0.append(result) } }
    }
    #expect(results.withLock { $0 } == [.failure(.insufficientEncryption), .success([])])
    for answer in answers.withLock({ $0 }) { answer(.success([7])) }
    #expect(results.withLock { $0.last } == .success([7]))
    bench.device.write(0x22, [1], at: 2, withResponse: true) { _ in }
    bench.device.write(0x22, [1], withResponse: false) { _ in }
    try bench.subscribe(0x22)
    bench.device.linkDown()
    #expect(
      asked.withLock { $0 } == [
        "read 34 0", "write 34 [1] 2", "subscription 34 true", "subscription 34 false",
      ]
    )
  }
}
