// Handles of attributes.

import Bluetooth
import SimulatedDevices
import Testing

@Suite("Attribute table")
struct AttributeTableTests {
  @Test("Generic Access and Generic Attribute come first, followed by the application's services")
  func order() {
    let table = AttributeTable(.with([CharacteristicDefinition(.read)]))
    #expect(table.services.map(\.uuid.short) == [0x1800, 0x1801, 0xfff0])
    #expect(table.services.map(\.handle) == [1, 6, 10])
    #expect(table.services.map(\.lastHandle) == [5, 9, 12])
  }

  @Test("handles have no gaps, and a value follows its declaration")
  func gaps() throws {
    let descriptor = DescriptorDefinition(uuid: BluetoothUUID(short: 0x2901), value: [1])
    var notifying = CharacteristicDefinition([.read, .notify])
    notifying.descriptors = [descriptor]
    let table = AttributeTable(.with([notifying, CharacteristicDefinition(.read, uuid: .second)]))
    let service = try #require(table.services.last)
    #expect(service.characteristics.map(\.declaration) == [11, 15])
    #expect(service.characteristics.map(\.handle) == [12, 16])
    #expect(service.characteristics[0].descriptors.map(\.handle) == [13, 14])
    #expect(service.characteristics[0].descriptors.map(\.uuid.short) == [0x2902, 0x2901])
    #expect(service.lastHandle == 16)
  }

  @Test(
    "only characteristics that notify or indicate have a configuration descriptor",
    arguments: [
      (CharacteristicProperties.notify, 1), (.indicate, 1), ([.notify, .indicate], 1),
      (.read, 0), ([.write, .writeWithoutResponse], 0),
    ] as [(CharacteristicProperties, Int)]
  )
  func configuration(properties: CharacteristicProperties, count: Int) {
    let table = AttributeTable(.with([CharacteristicDefinition(properties)]))
    let descriptors = table.characteristic(at: 12)?.descriptors
    #expect(descriptors?.count { $0.uuid.short == 0x2902 } == count)
  }

  @Test("a configuration that is also defined explicitly appears once")
  func definedConfiguration() {
    var characteristic = CharacteristicDefinition(.notify)
    let uuid = BluetoothUUID(short: 0x2902)
    characteristic.descriptors = [DescriptorDefinition(uuid: uuid, value: [1, 0])]
    let table = AttributeTable(.with([characteristic]))
    #expect(table.characteristic(at: 12)?.descriptors.count == 1)
  }

  @Test("extended properties have their descriptor")
  func extended() throws {
    let bench = DeviceBench(CharacteristicDefinition([.write, .reliableWrite]))
    let entry = try #require(bench.device.table.characteristic(at: 12))
    #expect(entry.properties.contains(.extendedProperties))
    #expect(entry.descriptors.map(\.uuid.short) == [0x2900])
    #expect(try bench.read(13) == [1, 0])
  }

  @Test("handles are found by the attribute they belong to")
  func lookup() {
    let table = AttributeTable(.with([CharacteristicDefinition(.notify)]))
    #expect(table.characteristic(at: 12)?.uuid == .first)
    #expect(table.descriptor(at: 13)?.uuid.short == 0x2902)
    for handle in [0, 10, 11, 13, 14, UInt16.max] {
      #expect(table.characteristic(at: handle) == nil)
    }
    for handle in [0, 10, 11, 12, 14, UInt16.max] {
      #expect(table.descriptor(at: handle) == nil)
    }
  }

  @Test("a service that no longer fits is left out, and the others remain")
  func full() {
    let many = Array(repeating: CharacteristicDefinition(.read), count: 32_000)
    var definition = DeviceDefinition.with(many)
    definition.services.append(definition.services[0])
    definition.services.append(ServiceDefinition(uuid: .second))
    let table = AttributeTable(definition)
    #expect(table.services.map(\.uuid.short) == [0x1800, 0x1801, 0xfff0, 0xfff2])
  }
}
