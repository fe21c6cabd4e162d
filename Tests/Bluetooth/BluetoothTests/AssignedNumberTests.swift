// The tables of names, and finding one in them.

import Testing

@testable import Bluetooth

@Suite("Assigned numbers")
struct AssignedNumberTests {
  static let tables = [
    AssignedNumbers.services, AssignedNumbers.characteristics, AssignedNumbers.descriptors,
  ]

  @Test("each UUID, name and identifier appears once in its table", arguments: tables.indices)
  func unique(index: Int) {
    let entries = Self.tables[index].entries
    #expect(Set(entries.map(\.uuid)).count == entries.count)
    var seen: Set<String> = []
    for entry in entries {
      let isNew = seen.insert(entry.identifier).inserted
      #expect(isNew, "\(entry.identifier) is a duplicate")
    }
  }

  @Test("every identifier consists of words of ASCII letters and digits", arguments: tables.indices)
  func identifiers(index: Int) {
    for entry in Self.tables[index].entries {
      let words = entry.identifier.split(separator: "-", omittingEmptySubsequences: false)
      let areWords = words.allSatisfy { word in
        !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
      }
      #expect(areWords, "\(entry.identifier)")
    }
  }

  @Test("every entry is found by its UUID and by its identifier", arguments: tables.indices)
  func found(index: Int) {
    let table = Self.tables[index]
    for entry in table.entries {
      #expect(table.name(entry.uuid) == entry.name)
      #expect(table.uuid(entry.identifier) == entry.uuid)
      #expect(table.uuid(entry.uuid.text) == entry.uuid)
    }
  }

  @Test("every line of a table has a UUID and a name", arguments: tables.indices)
  func lines(index: Int) {
    #expect(Self.tables[index].malformed == [])
    #expect(Self.tables[index].entries.count >= 16)
  }

  @Test("a malformed line defines no name and is listed as malformed")
  func malformed() {
    let table = NameTable(Array("# Services\n\n180d Heart Rate\n180f\nxyz Battery\n".utf8))
    #expect(table.entries.map(\.name) == ["Heart Rate"])
    #expect(table.malformed == ["180f", "xyz Battery"])
  }

  @Test("the tables are sorted by number", arguments: tables.indices)
  func order(index: Int) {
    let shorts = Self.tables[index].entries.compactMap(\.uuid.short).filter { $0 < 0x3000 }
    #expect(shorts == shorts.sorted())
  }

  @Test(
    "services are found by name",
    arguments: [
      ("heart-rate", "180d"), ("battery", "180f"), ("environmental-sensing", "181a"),
      ("hearing-access", "1854"), ("mesh-proxy-solicitation", "1859"),
      ("nordic-uart", "6e400001-b5a3-f393-e0a9-e50e24dcca9e"), ("nordic-secure-dfu", "fe59"),
      ("google-eddystone", "feaa"), ("mcumgr-smp", "8d53dc1d-1db7-4cd3-868b-8a527460aa84"),
      ("thingy-motion", "ef680400-9b35-4933-9b10-52ffa9740042"),
      ("apple-notification-center", "7905f431-b5ce-4e99-a40f-4b1e122d00d0"),
      ("sensortag-movement", "f000aa80-0451-4000-b000-000000000000"),
      ("micro-bit-temperature", "e95d6100-251d-470a-a062-fa1922dfa9a8"),
      ("HEART-RATE", "180d"), ("0x180D", "180d"),
    ]
  )
  func services(name: String, uuid: String) {
    #expect(AssignedNumbers.service(named: name) == BluetoothUUID(uuid))
  }

  @Test(
    "characteristics are found by name",
    arguments: [
      ("device-name", "2a00"), ("magnetic-declination", "2a2c"),
      ("magnetic-flux-density-3d", "2aa1"), ("illuminance", "2afb"),
      ("battery-level-status", "2bed"), ("particulate-matter-pm2-5-concentration", "2bd6"),
      ("nordic-uart-tx", "6e400003-b5a3-f393-e0a9-e50e24dcca9e"),
      ("thingy-gravity-vector", "ef68040a-9b35-4933-9b10-52ffa9740042"),
      ("sensortag-luxometer-data", "f000aa71-0451-4000-b000-000000000000"),
    ]
  )
  func characteristics(name: String, uuid: String) {
    #expect(AssignedNumbers.characteristic(named: name) == BluetoothUUID(uuid))
  }

  @Test("an unknown name has no UUID")
  func none() {
    #expect(AssignedNumbers.service(named: "heart") == nil)
    #expect(AssignedNumbers.characteristicName(BluetoothUUID(short: 0x2fff)) == nil)
    #expect(AssignedNumbers.descriptorIdentifier(BluetoothUUID(short: 0x2a00)) == nil)
  }

  @Test("every standard value belongs to a named characteristic or descriptor")
  func standardValues() {
    for short in StandardValues.shortUUIDs {
      let uuid = BluetoothUUID(short: short)
      let name =
        AssignedNumbers.characteristicName(uuid) ?? AssignedNumbers.descriptorName(uuid)
      #expect(name != nil, "\(uuid)")
    }
  }
}
