// Reads and writes of values and descriptors.

import Bluetooth
import SimulatedDevices
import Testing

@Suite("Reading and writing")
struct ReadAndWriteTests {
  @Test("a value written to a constant is read back, even over the next link")
  func constant() throws {
    let bench = DeviceBench(CharacteristicDefinition([.read, .write], .constant([1])))
    #expect(try bench.read(12) == [1])
    try bench.write(12, [2, 3])
    bench.device.linkDown()
    bench.device.linkUp()
    #expect(try bench.read(12) == [2, 3])
  }

  @Test("only operations named by the properties are permitted")
  func permissions() {
    let bench = DeviceBench(
      CharacteristicDefinition(.read), CharacteristicDefinition(.write, uuid: .second)
    )
    #expect(bench.device.write(12, [], withResponse: true).error == .writeNotPermitted)
    #expect(bench.device.read(14) == .failure(.readNotPermitted))
    #expect(bench.device.write(14, [], withResponse: true).error == nil)
    #expect(bench.device.write(14, [], withResponse: false).error == .writeNotPermitted)
    let others: [(CharacteristicProperties, withResponse: Bool)] = [
      (.authenticatedSignedWrites, false), ([.reliableWrite, .extendedProperties], true),
    ]
    for (properties, withResponse) in others {
      let device = DeviceBench(CharacteristicDefinition(properties)).device
      #expect(device.write(12, [], withResponse: withResponse).error == nil)
      #expect(device.write(12, [], withResponse: !withResponse).error == .writeNotPermitted)
    }
  }

  @Test(
    "handles of declarations and unused handles are invalid", arguments: [0, 1, 10, 11, 15, 999])
  func invalidHandles(handle: UInt16) {
    let bench = DeviceBench(CharacteristicDefinition([.read, .write, .notify]))
    #expect(bench.device.read(handle) == .failure(.invalidHandle))
    #expect(bench.device.write(handle, [], withResponse: true).error == .invalidHandle)
    #expect(bench.device.subscribe(handle, .notification).error == .invalidHandle)
  }

  @Test("an operation that the definition refuses fails with its code and changes nothing")
  func refused() throws {
    var characteristic = CharacteristicDefinition([.read, .write], .constant([7]))
    characteristic.writeError = ATTErrorCode(rawValue: 0x80)
    var unreadable = CharacteristicDefinition(.read, uuid: .second)
    unreadable.readError = .insufficientAuthentication
    let bench = DeviceBench(characteristic, unreadable)
    #expect(bench.device.write(12, [1], withResponse: true).error?.rawValue == 0x80)
    #expect(try bench.read(12) == [7])
    #expect(bench.device.read(14) == .failure(.insufficientAuthentication))
  }

  @Test("descriptors can be read, and written only where that is permitted")
  func descriptors() throws {
    let uuid = BluetoothUUID(short: 0x2901)
    var characteristic = CharacteristicDefinition(.read)
    characteristic.descriptors = [
      DescriptorDefinition(uuid: uuid, value: [1]),
      DescriptorDefinition(uuid: uuid, value: [2], isWritable: true),
    ]
    let bench = DeviceBench(characteristic)
    #expect(bench.device.write(13, [9], withResponse: true).error == .writeNotPermitted)
    try bench.write(14, [9])
    #expect(try bench.read(13) == [1])
    #expect(try bench.read(14) == [9])
    let long = bench.device.write(14, Array(repeating: 0, count: 513), withResponse: true)
    #expect(long.error == .invalidAttributeValueLength)
  }

  @Test("a write to a moving value is accepted and changes nothing")
  func moving() throws {
    let series = Behaviour.series(Series(values: [[1]]))
    let bench = DeviceBench(CharacteristicDefinition([.read, .write], series))
    try bench.write(12, [5])
    #expect(try bench.read(12) == [1])
  }
}
