// Custom names for UUIDs, beside the assigned names.

import Bluetooth
import Testing

@Suite("Names of attributes")
struct AttributeNamesTests {
  static let soil = BluetoothUUID("0000a001-1212-efde-1523-785feabcd123")
  static let pump = BluetoothUUID("0000a002-1212-efde-1523-785feabcd123")

  private let soil: BluetoothUUID
  private let pump: BluetoothUUID

  init() throws {
    soil = try #require(Self.soil)
    pump = try #require(Self.pump)
  }

  private func names(_ entries: (String, BluetoothUUID)...) throws -> AttributeNames {
    AttributeNames(try entries.map { try AttributeName($0.0, $0.1) })
  }

  @Test("a custom name is parsed and printed for every kind of attribute, ignoring case")
  func given() throws {
    let names = try names(("Soil-Moisture", soil))
    for kind in AttributeKind.allCases {
      #expect(names.uuid("soil-moisture", kind) == soil)
      #expect(names.name(of: soil, kind) == "Soil-Moisture")
      #expect(names.name(of: pump, kind) == nil)
      #expect(names.title(of: pump, kind) == pump.text)
      #expect(names.nearest(to: "soil-moistur", kind) == "Soil-Moisture")
    }
  }

  @Test("assigned names remain known beside custom names, each for its kind of attribute")
  func assigned() throws {
    let names = try names(("soil", soil))
    #expect(names.uuid("battery", .service) == BluetoothUUID(short: 0x180f))
    #expect(names.uuid("battery", .characteristic) == nil)
    #expect(names.title(of: BluetoothUUID(short: 0x2a19), .characteristic) == "battery-level")
    #expect(names.nearest(to: "battery-levl", .characteristic) == "battery-level")
  }

  @Test("an assigned UUID can have a custom name, and its assigned name is still parsed")
  func another() throws {
    let level = BluetoothUUID(short: 0x2a19)
    let names = try names(("charge", level))
    #expect(names.title(of: level, .characteristic) == "charge")
    #expect(names.uuid("battery-level", .characteristic) == level)
  }

  @Test("later names override earlier names, for parsing and for printing")
  func layers() throws {
    let names = try names(("soil", pump)).over(try names(("soil", soil), ("moist", pump)))
    #expect(names.uuid("soil", .characteristic) == pump)
    #expect(names.uuid("moist", .characteristic) == pump)
    #expect(names.title(of: pump, .characteristic) == "soil")
    // Its name means something else here.
    #expect(names.title(of: soil, .characteristic) == soil.text)
    #expect(names.entries.map(\.name) == ["soil", "moist"])
    #expect(AttributeNames.assigned.over(names) == names)
    #expect(names.over(.assigned) == names)
  }

  @Test(
    "an invalid name, or a name that already has a meaning, is refused",
    arguments: [
      ("beef", "'beef' is a UUID, and not a name"),
      ("deadbeef", "'deadbeef' is a UUID, and not a name"),
      ("AA-BB-CC-DD-EE-FF", "'AA-BB-CC-DD-EE-FF' is an address, and not a name"),
      ("battery-level", "'battery-level' is the assigned name of the characteristic 2a19"),
      ("Battery", "'Battery' is the assigned name of the service 180f"),
      ("nordic-uart", "'nordic-uart' is the assigned name of the service 6e400001"),
      ("", "of at most 64 bytes, found ''"), ("two words", "found 'two words'"),
      ("a/b", "found 'a/b'"), ("a#1", "found 'a#1'"), ("@18", "found '@18'"),
      ("1a", "found '1a'"), ("{a}", "found '{a}'"), ("bodenfeuchtigkeit-über", "found"),
      (String(repeating: "a", count: 65), "of at most 64 bytes"),
    ]
  )
  func refused(name: String, complaint: String) throws {
    let soil = soil
    let error = #expect(throws: InvalidAttributeName.self) { try AttributeName(name, soil) }
    #expect(error?.description.contains(complaint) == true, "\(error?.description ?? "")")
  }

  @Test("a name that shadows an assigned one is another UUID's, and the assigned UUID has no name")
  func shadowed() throws {
    let level = BluetoothUUID(short: 0x2a19)
    var reports: [AttributeNames.EntryProblem] = []
    let names = AttributeNames.read(
      [("battery-level", DescriptionNode(.scalar(soil.text, isPlain: true)), "1:1")],
      over: .assigned, mayShadow: true
    ) { reports.append($1) }
    #expect(
      reports == [
        .shadow(
          "'battery-level' is the assigned name of the characteristic 2a19, and of another UUID in "
            + "this file"
        )
      ]
    )
    #expect(names.uuid("Battery-Level", .characteristic) == soil)
    #expect(names.title(of: soil, .characteristic) == "battery-level")
    #expect(names.title(of: level, .characteristic) == "2a19")
    // Its files and other programs mean the assigned one.
    #expect(names.withoutShadows == .assigned)
    #expect(names.withoutShadows.title(of: level, .characteristic) == "battery-level")
  }

  @Test("a custom name equal to the UUID's assigned name, or 64 bytes long, is accepted")
  func taken() throws {
    #expect(
      try AttributeName("battery-level", BluetoothUUID(short: 0x2a19)).name == "battery-level"
    )
    #expect(try AttributeName(String(repeating: "a", count: 64), soil).uuid == soil)
  }

  @Test("selectors are parsed and printed with custom names in each of their parts")
  func selectors() throws {
    let names = try names(("garden", pump), ("soil", soil))
    func characteristic(_ text: String) throws -> String {
      try CharacteristicSelector(parsing: text, names: names).description
    }
    #expect(try characteristic("garden/soil#1") == "garden/soil#1")
    #expect(try characteristic(soil.text) == "soil")
    #expect(try ServiceSelector(parsing: pump.text, names: names).description == "garden")
    let descriptor = try DescriptorSelector(parsing: "battery-level/SOIL", names: names)
    #expect(descriptor.description == "battery-level/soil")
    let error = #expect(throws: SelectorError.self) { try characteristic("garden/siol") }
    #expect(error?.description == "unknown characteristic 'siol' (did you mean 'soil'?)")
  }

  @Test("selectors that select the same attribute are equal, whatever its name")
  func equal() throws {
    let names = try names(("soil", soil))
    let named = try CharacteristicSelector(parsing: "soil", names: names)
    let plain = try CharacteristicSelector(parsing: soil.text)
    #expect(named == plain && Set([named, plain]).count == 1)
    #expect(ServiceSelector(soil, names: names) == ServiceSelector(soil))
    let descriptors = [named, plain].map { DescriptorSelector(of: $0, descriptor: pump) }
    #expect(descriptors[0] == descriptors[1])
  }

  @Test("a service in a selector can be given by its UUID")
  func uuids() {
    #expect(ScanFilter(services: [soil]) == ScanFilter(services: [ServiceSelector(soil)]))
    #expect(ScanFilter(services: []) == ScanFilter())
    #expect(DeviceTarget.service(soil) == .service(ServiceSelector(soil)))
    let pattern = ServiceDataPattern(service: soil, prefix: [1])
    #expect(pattern == ServiceDataPattern(service: ServiceSelector(soil), prefix: [1]))
  }
}
