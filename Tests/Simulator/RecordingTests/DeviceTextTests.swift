import Bluetooth
import Documents
import SimulatedDevices
import Testing

@testable import Recording

@Suite("Recordings as device files")
struct DeviceTextTests {
  /// A device with one characteristic of each kind.
  private func device(name: String? = "Soil-7") throws -> DeviceRecording {
    let address = try #require(BluetoothAddress("C0:00:5E:00:00:01"))
    var recording = DeviceRecording(address: address, addressType: .random, name: name)
    var service = RecordedService(uuid: BluetoothUUID(short: 0xfff0), handle: 0x10)
    service.characteristics = [0x12, 0x14].map { handle in
      RecordedCharacteristic(
        uuid: BluetoothUUID(short: 0xffe0 + handle), handle: handle,
        properties: [.read, .write, .notify]
      )
    }
    recording.services = [service]
    return recording
  }

  private func notified(_ values: [(Int, [UInt8])], handle: UInt16 = 0x12) -> [RecordedValue] {
    values.map { RecordedValue(handle: handle, octets: $0.1, at: .milliseconds($0.0)) }
  }

  /// The lines of the first characteristic, without its name and properties.
  private func behaviour(_ recording: DeviceRecording) throws -> [String] {
    let lines = DeviceText.lines(of: recording, source: "A test.")
    _ = try DeviceFile.parse(lines.joined(separator: "\n"), file: "the test")
    let own = lines.drop { !$0.contains("characteristic: fff2") }.dropFirst(2)
      .prefix { !$0.contains("characteristic: fff4") }
    return own.map { String($0.drop { $0 == " " }) }
  }

  @Test("a described value is written by its fields, with the descriptions that it needs")
  func described() throws {
    let given = """
      address: C0:00:5E:00:00:01
      names:
        other: { fields: [{ a: u8 }] }
        part: { fields: [{ level: u8, unit: "%" }, { text: utf8, size: 2 }] }
        record:
          uuid: fff2
          fields:
            - { sequence: u16be }
            - { state: u8, names: { 0: idle, 1..3: busy } }
            - { flags: u8, bits: { low: 0, mode: 4..5 } }
            - { rest: part, when: state = 1 and flags.low }
      """
    let names = try #require(try DeviceFile.parse(given, file: "names").first).names
    var recording = try device()
    let octets: [UInt8] = [1, 2, 1, 0x21, 40, 0x22, 0x5c]
    recording.services[0].characteristics[0].reading = .octets(octets)
    let lines = DeviceText.lines(of: recording, source: "A test.", names: names)
      .map { String($0.drop { $0 == " " }) }
    #expect(
      lines.contains(
        #"part: { fields: [{ level: u8, unit: "%" }, { text: utf8, size: 2 }] }"#
      ),
      "\(lines)"
    )
    #expect(!lines.contains { $0.hasPrefix("other") })
    #expect(
      lines.contains(
        #"value: { fields: { sequence: 258, state: busy, flags: { low: true, mode: 2 }, rest: "#
          + #"{ level: 40, text: "\"\\" } } }"#
      ),
      "\(lines)"
    )
    let again = try #require(
      try DeviceFile.parse(
        DeviceText.lines(of: recording, source: "A test.", names: names).joined(separator: "\n"),
        file: "the recording"
      ).first
    )
    #expect(again.services[0].characteristics[0].behaviour == .constant(octets))
    recording.services[0].characteristics[0].reading = .octets([1, 2, 9])
    let short = DeviceText.lines(of: recording, source: "A test.", names: names)
    #expect(!short.contains { $0.contains("value: { fields:") }, "\(short)")
  }

  @Test(
    "notified values become a counter if they count evenly, otherwise a list",
    arguments: [
      (
        (0..<5).map { (1000 * $0, [UInt8(10 + 2 * $0)]) },
        ["counter: { format: u8, from: 10, step: 2, every: 1s }"]
      ),
      (
        (0..<5).map { (250 * $0, [0, UInt8(9 - $0)]) },
        ["counter: { format: u16be, from: 9, step: -1, every: 250ms }"]
      ),
      (
        [(0, [254]), (1000, [255]), (2000, [0]), (3000, [1]), (4000, [2])],
        ["counter: { format: u8, from: 254, step: 1, every: 1s, wraps: true }"]
      ),
      (
        [
          (0, [1, 0]), (1000, [0, 0]), (2000, [255, 255]), (3000, [254, 255]), (4000, [253, 255]),
        ],
        ["counter: { format: u16, from: 1, step: -1, every: 1s, wraps: true }"]
      ),
      (
        [
          (0, [254, 255, 255]), (1000, [255, 255, 255]), (2000, [0, 0, 0]), (3000, [1, 0, 0]),
          (4000, [2, 0, 0]),
        ],
        ["counter: { format: u24, from: 16777214, step: 1, every: 1s, wraps: true }"]
      ),
      (
        (0..<5).map { (250 * $0, [0, 0, 0, 0, 0, 0, 0, UInt8(9 - $0)]) },
        ["counter: { format: u64be, from: 9, step: -1, every: 250ms }"]
      ),
      // There is no format of 40 bits.
      (
        (0..<5).map { (1000 * $0, [UInt8($0), 0, 0, 0, 0]) },
        ["series:", "values:"] + (0..<5).map { #"- { hex: "0\#($0) 00 00 00 00" }"# } + [
          "every: 1s"
        ]
      ),
      (
        [(0, [1]), (2000, [5])],
        ["series:", "values:", #"- { hex: "01" }"#, #"- { hex: "05" }"#, "every: 2s"]
      ),
      (
        [(0, [1]), (15, [5])],
        [
          #"# It sent { hex: "01" }, and { hex: "05" }: too few values for an interval."#,
          #"value: { hex: "00" }"#,
        ]
      ),
      (
        [3, 1, 4, 3, 1, 4, 3].enumerated().map { (1000 * $0.offset, [$0.element]) },
        [
          "series:", "values:", #"- { hex: "03" }"#, #"- { hex: "01" }"#, #"- { hex: "04" }"#,
          "every: 1s",
        ]
      ),
      // Two steps alone are chance.
      (
        [(0, [1]), (1000, [2]), (2000, [3])],
        [
          "series:", "values:", #"- { hex: "01" }"#, #"- { hex: "02" }"#, #"- { hex: "03" }"#,
          "every: 1s",
        ]
      ),
      (
        [(0, [7]), (1000, [7]), (2500, [7])],
        [
          "# Between two values: 1s to 1500ms, as median 1500ms, of nine in ten at most 1500ms.",
          "series:", "values:", #"- { hex: "07" }"#, "every: 1500ms", "every-spread: 500ms",
        ]
      ),
    ] as [([(Int, [UInt8])], [String])]
  )
  func motion(_ values: [(Int, [UInt8])], _ expected: [String]) throws {
    var recording = try device()
    recording.services[0].characteristics[0].reading = .octets([0])
    recording.notifications = notified(values)
    #expect(try behaviour(recording) == expected)
  }

  @Test(
    "values that stopped before the subscription ended become a list that plays once",
    arguments: [[7, 7, 7, 7, 7], [1, 2, 3, 4, 5]] as [[UInt8]]
  )
  func stopped(_ values: [UInt8]) throws {
    var recording = try device()
    recording.notifications = notified(values.enumerated().map { (1000 * $0.offset, [$0.element]) })
    recording.observedUntil = .seconds(30)
    let list = values.map { "- { hex: \"0\($0)\" }" }
    let expected = ["series:", "values:"] + list + ["every: 1s", "repeats: false"]
    #expect(try behaviour(recording) == expected)
  }

  @Test("a value shortly after a write is recorded as caused by the write")
  func caused() throws {
    var recording = try device()
    recording.services[0].characteristics[0].reading = .octets([0])
    recording.writes = [
      RecordedWrite(handle: 0x12, octets: [1], at: .seconds(1)),
      RecordedWrite(handle: 0x12, octets: [2], at: .seconds(4), error: .valueNotAllowed),
      RecordedWrite(handle: 0x12, octets: [1], at: .seconds(8)),
      RecordedWrite(handle: 0x12, octets: [3], at: .seconds(12)),
    ]
    recording.notifications = notified([(1050, [9]), (1100, [8]), (8050, [9])], handle: 0x14)
    #expect(
      try behaviour(recording) == [
        #"value: { hex: "00" }"#, "# 1 other value was accepted, and nothing followed.",
        "responses:", #"- when: { hex: "01" }"#,
        "# Something else came of it once: a machine can tell them apart.", "then:",
        #"- { notify: { hex: "09" }, on: fff4, after: 50ms }"#,
        #"- { notify: { hex: "08" }, on: fff4, after: 100ms }"#, #"- when: { hex: "02" }"#,
        "refuse: value-not-allowed",
      ]
    )
  }

  @Test("a changed value that is read after a write is recorded as caused by the write")
  func readAfterwards() throws {
    var recording = try device()
    recording.services[0].characteristics[0].reading = .octets([0])
    recording.services[0].characteristics[1].reading = .octets([5])
    recording.writes = [(1, [1]), (3, [2]), (5, [2]), (7, [3])].map {
      RecordedWrite(handle: 0x12, octets: $0.1, at: .seconds($0.0))
    }
    recording.notifications = notified([(3010, [9])], handle: 0x14)
    recording.reads = [
      // As it was; written; sent; another one, before and at the same time as the next write.
      (0x14, [5], 2), (0x12, [1], 2), (0x14, [9], 4), (0x14, [8], 5), (0x14, [7], 6),
      (0x12, [6], 8),
    ].map { RecordedValue(handle: $0.0, octets: $0.1, at: .seconds($0.2)) }
    #expect(
      try behaviour(recording) == [
        #"value: { hex: "00" }"#, "# 1 other value was accepted, and nothing followed.",
        "responses:", #"- when: { hex: "02" }"#,
        "# Something else came of it once: a machine can tell them apart.", "then:",
        #"- { notify: { hex: "09" }, on: fff4, after: 10ms }"#,
        #"- { set: { hex: "08" }, on: fff4, after: 2s }"#, #"- when: { hex: "03" }"#, "then:",
        #"- { set: { hex: "06" } }"#,
      ]
    )
  }

  @Test(
    "a value that changes between reads without a write becomes a series or a counter",
    arguments: [
      ([0, 1, 3], ["series:", "values:"] + [0, 1, 3].map { "- { hex: \"0\($0)\" }" }),
      ([0, 1, 0, 1, 0], ["series:", "values:"] + [0, 1].map { "- { hex: \"0\($0)\" }" }),
      ([3, 4, 5, 6, 7], ["counter: { format: u8, from: 3, step: 1 }"]),
    ] as [([UInt8], [String])]
  )
  func changing(_ values: [UInt8], _ expected: [String]) throws {
    var recording = try device()
    recording.services[0].characteristics[0].reading = .octets([values[0]])
    recording.reads = values.enumerated().map {
      RecordedValue(handle: 0x12, octets: [$0.element], at: .seconds($0.offset))
    }
    let comment = "# It changed between reads: each read returns the next value."
    #expect(try behaviour(recording) == [comment] + expected)
  }

  @Test("too many values of several characteristics are left out, and the file stays valid")
  func tooMany() throws {
    var recording = try device()
    recording.notifications = [0x12, 0x14].flatMap { handle in
      notified(
        (0..<6_000).map {
          (100 * $0, [UInt8($0 >> 8)] + Array(repeating: UInt8($0 & 0xff), count: 39))
        },
        handle: handle
      )
    }
    let lines = DeviceText.lines(of: recording, source: "A test.")
    _ = try DeviceFile.parse(lines.joined(separator: "\n"), file: "the test")
    #expect(lines.contains { $0.hasSuffix("more values came, too many for a file.") })
    #expect(lines.contains { $0.hasSuffix("# It sent 6000 values, too many for a file.") })
  }

  @Test(
    "values are texts if all values of the characteristic are texts",
    arguments: [
      (["ok", "1.0\n"], [#"- { utf8: "ok" }"#, #"- { utf8: "1.0\n" }"#]),
      (["ab", "c"], [#"- { hex: "61 62" }"#, #"- { hex: "63" }"#]),
      (["abcd", "\u{1}"], [#"- { hex: "61 62 63 64" }"#, #"- { hex: "01" }"#]),
    ]
  )
  func texts(_ values: [String], _ expected: [String]) throws {
    var recording = try device()
    recording.notifications = notified(
      values.enumerated().map { (1000 * $0.offset, Array($0.element.utf8)) }
    )
    #expect(try behaviour(recording) == ["series:", "values:"] + expected + ["every: 1s"])
  }

  @Test("a characteristic that returns what is written becomes an echo")
  func echo() throws {
    var recording = try device()
    recording.writes = [1, 2].map {
      RecordedWrite(handle: 0x12, octets: [$0], at: .seconds(Int($0)))
    }
    recording.notifications = notified([(1020, [1]), (2020, [2])])
    #expect(try behaviour(recording) == ["echo: true"])
  }

  @Test("a descriptor that requires a bond demands it, and an appearance has its name")
  func descriptor() throws {
    var recording = try device()
    recording.appearance = 0x0340
    var descriptor = RecordedDescriptor(uuid: BluetoothUUID(short: 0x2901), handle: 0x13)
    descriptor.reading = .refused(.insufficientEncryption)
    recording.services[0].characteristics[0].descriptors = [descriptor]
    let expected =
      "- { descriptor: characteristic-user-description, value: { hex: \"\" }, security: encrypted } "
      + "# its value is not known: insufficient encryption"
    #expect(try behaviour(recording).last == expected)
    #expect(
      DeviceText.lines(of: recording, source: "A test.").contains(
        "appearance: 0x0340 # Heart Rate Sensor"
      )
    )
  }

  @Test(
    "names that mean something in YAML or could break a line are quoted",
    arguments: [
      ("Soil-7", "name: Soil-7"), ("true", #"name: "true""#), ("# x", ##"name: "# x""##),
      ("a\"b\\c", #"name: "a\"b\\c""#), ("a\n\u{202e}b", #"name: "a\n\u202eb""#),
      ("12", #"name: "12""#), ("ä 🌡", #"name: "ä 🌡""#),
    ]
  )
  func quoted(_ name: String, _ line: String) throws {
    let lines = DeviceText.lines(of: try device(name: name), source: "A test.")
    #expect(lines.contains(line), "\(lines)")
    let device = try DeviceFile.parse(lines.joined(separator: "\n"), file: "the test")
    #expect(device.first?.name == name)
  }
}

@Suite("Advertisements in recordings")
struct RecordedAdvertisementTests {
  @Test("an advertisement too long for legacy packets is recorded and read as an extended one")
  func extended() throws {
    let address = try #require(BluetoothAddress("C4:7C:8D:6A:11:02"))
    for (count, isExtended) in [(24, false), (40, true)] {
      var recording = DeviceRecording(address: address, addressType: .public, name: "Air")
      var advertisement = RecordedAdvertisement()
      advertisement.manufacturerData = [.init(0x0499, [UInt8](repeating: 0xe1, count: count))]
      recording.advertisements = [advertisement]
      let text = DeviceText.lines(of: recording, source: "a test").joined(separator: "\n")
      #expect(text.contains("extended: true") == isExtended, "\(text)")
      let read = try #require(DeviceFile.parse(text, file: "recorded.yaml").first)
      #expect(read.advertisement.manufacturerData[0].octets.count == count)
    }
  }
}

@Suite("Pseudonyms in recordings")
struct RedactionTests {
  private func recording(serial: String) throws -> DeviceRecording {
    let address = try #require(BluetoothAddress("C4:7C:8D:6A:11:02"))
    var recording = DeviceRecording(
      address: address, addressType: .public, name: "Ann Lee's Band 1102"
    )
    var advertisement = RecordedAdvertisement()
    advertisement.manufacturerData = [
      .init(0xffff, [9, 0x02, 0x11, 0x6a, 0x8d, 0x7c, 0xc4, 9]),
      // The address, where a company should be.
      .init(0x1102, [0x6a, 0x8d, 0x7c, 0xc4]),
    ]
    recording.advertisements = [advertisement]
    var service = RecordedService(uuid: BluetoothUUID(short: 0x180a), handle: 0x10)
    var number = RecordedCharacteristic(
      uuid: BluetoothUUID(short: 0x2a25), handle: 0x12, properties: .read
    )
    number.reading = .octets(Array(serial.utf8))
    service.characteristics = [number]
    recording.services = [service]
    recording.writes = [RecordedWrite(handle: 0x12, octets: Array(serial.utf8) + [0], at: .zero)]
    recording.reads = [RecordedValue(handle: 0x12, octets: Array(serial.utf8), at: .zero)]
    return recording
  }

  @Test("addresses, serial numbers and owners are replaced everywhere, consistently")
  func replaced() throws {
    let redacted = Redaction.redacted(try recording(serial: "SN-00412"))
    #expect(redacted == Redaction.redacted(try recording(serial: "SN-00412")))
    #expect("\(redacted.address)".hasPrefix("C0:FF:EE:"))
    #expect(
      redacted.name == "Somebody's Band \("\(redacted.address)".suffix(5).filter { $0 != ":" })"
    )
    let lines = DeviceText.lines(of: redacted, source: "A test.").joined(separator: "\n")
    for secret in ["00412", "C4:7C:8D", "02 11 6a", "6a 8d", "Ann", "Lee", "1102"] {
      #expect(!lines.contains(secret), "\(secret) in \(lines)")
    }
    // The form stays: letters for letters, digits for digits, and the number that is written, too.
    guard case .octets(let number)? = redacted.characteristics.first?.reading else {
      Issue.record("no serial number")
      return
    }
    let text = String(decoding: number, as: UTF8.self)
    #expect(text.count == 8 && text.dropFirst(3).allSatisfy(\.isNumber) && text.contains("-"))
    #expect(redacted.writes[0].octets == number + [0])
    #expect(redacted.reads.map(\.octets) == [number])
    let data = redacted.advertisements[0].manufacturerData[0].data
    #expect(data.first == 9 && data.last == 9 && data.count == 8)
    #expect(Array(data[1...6].reversed()).prefix(3) == [0xc0, 0xff, 0xee])
  }

  @Test(
    "a person's short name is replaced where it was read or written, and elsewhere as a whole word"
  )
  func persons() throws {
    var recording = try recording(serial: "SN-00412")
    let uuid = BluetoothUUID(short: 0x2a8a)
    let name = RecordedCharacteristic(uuid: uuid, handle: 0x14, properties: [.read, .write])
    recording.services[0].characteristics.append(name)
    recording.reads = [RecordedValue(handle: 0x14, octets: Array("Ann".utf8), at: .zero)]
    recording.writes = [
      RecordedWrite(handle: 0x14, octets: Array("Ann".utf8), at: .zero),
      RecordedWrite(handle: 0x13, octets: Array("to ANN".utf8), at: .zero),
      RecordedWrite(handle: 0x13, octets: Array("Annual".utf8), at: .zero),
    ]
    let redacted = Redaction.redacted(recording)
    #expect(redacted.reads[0].octets != Array("Ann".utf8))
    let pseudonym = redacted.reads[0].octets
    #expect(
      redacted.writes.map(\.octets)
        == [pseudonym, Array("to ".utf8) + pseudonym, Array("Annual".utf8)]
    )
    #expect(
      Redaction.replaced(in: recording) == [
        "its address", "the owner in its name", "the number in its name", "serial-number-string",
        "first-name",
      ]
    )
  }

  @Test(
    "an address is replaced in every textual form",
    arguments: [
      ("C4:7C:8D:6A:11:02", "C0:FF:EE:00:EE:FC"), ("c4-7c-8d-6a-11-02", "c0-ff-ee-00-ee-fc"),
      ("C4:7c:8D:6a:11:02", "c0:ff:ee:00:ee:fc"), ("C47C.8D6A.1102", "C0FF.EE00.EEFC"),
      ("x c4 7c 8d 6a 11 02 y", "x c0 ff ee 00 ee fc y"), ("0xC47C8D6A1102", "0xC0FFEE00EEFC"),
      ("02116A8D7CC4", "FCEE00EEFFC0"), ("C47C8D6A1103", "C47C8D6A1103"),
    ]
  )
  func addresses(_ text: String, _ expected: String) throws {
    var recording = try recording(serial: "")
    recording.name = "Sensor \(text)"
    recording.writes = [RecordedWrite(handle: 0x13, octets: Array(text.utf8), at: .zero)]
    recording.unknown = ["what \(text) sends"]
    let redacted = Redaction.redacted(recording)
    #expect(String(decoding: redacted.writes[0].octets, as: UTF8.self) == expected)
    #expect(redacted.unknown == ["what \(expected) sends"])
    // A number of seven digits or more in a name is one of a piece, whichever.
    if text != expected { #expect(redacted.name == "Sensor \(expected)") }
  }

  @Test("an address inside a UUID is replaced everywhere; assigned UUIDs stay")
  func uuids() throws {
    let uuid = try #require(BluetoothUUID("6c610001-1b1a-11e1-8f6b-c47c8d6a1102"))
    var recording = try recording(serial: "")
    var service = RecordedService(uuid: uuid, handle: 0x20)
    var one = RecordedCharacteristic(uuid: uuid, handle: 0x22, properties: .read)
    one.descriptors = [RecordedDescriptor(uuid: uuid, handle: 0x23)]
    service.characteristics = [one]
    recording.services.append(service)
    recording.advertisements[0].services = [uuid, BluetoothUUID(short: 0x180d)]
    recording.advertisements[0].serviceData = [.init(uuid, [1])]
    let redacted = Redaction.redacted(recording)
    let other = try #require(BluetoothUUID("6c610001-1b1a-11e1-8f6b-c0ffee00eefc"))
    let changed = redacted.services[1]
    #expect(changed.uuid == other && changed.characteristics[0].uuid == other)
    #expect(changed.characteristics[0].descriptors[0].uuid == other)
    #expect(redacted.advertisements[0].services == [other, BluetoothUUID(short: 0x180d)])
    #expect(redacted.advertisements[0].serviceData.map(\.key) == [other])
    #expect(redacted.services[0].uuid == BluetoothUUID(short: 0x180a))
  }

  @Test(
    "a short serial number is also replaced elsewhere as a whole word",
    arguments: ["AB12", "7F3"])
  func shortSerials(_ serial: String) throws {
    var recording = try recording(serial: serial)
    recording.name = "Lamp \(serial)"
    recording.gapName = "Lamp No. \(serial)"
    recording.advertisements[0].manufacturerData = [.init(0xffff, [1] + Array(serial.utf8) + [2])]
    recording.writes = ["sn \(serial), red", "X\(serial)", "\(serial)9"].map {
      RecordedWrite(handle: 0x13, octets: Array($0.utf8), at: .zero)
    }
    let redacted = Redaction.redacted(recording)
    let other = try #require(redacted.reads.first).octets
    let text = String(decoding: other, as: UTF8.self)
    #expect(text != serial)
    #expect(redacted.name == "Lamp \(text)" && redacted.gapName == "Lamp No. \(text)")
    #expect(redacted.advertisements[0].manufacturerData[0].data == [1] + other + [2])
    #expect(
      redacted.writes.map { String(decoding: $0.octets, as: UTF8.self) } == [
        "sn \(text), red", "X\(serial)", "\(serial)9",
      ]
    )
  }

  @Test(
    "an owner in a device name is replaced",
    arguments: [
      ("Anna's iPhone", "Somebody's iPhone"), ("Annas iPhone", "Somebody's iPhone"),
      ("Anna iPhone", "Somebody's iPhone"), ("Chris’ Watch", "Somebody's Watch"),
      ("iPhone von Anna Huber", "iPhone von Somebody"), ("iPhone Anna", "iPhone Somebody"),
      ("iPhone de María", "iPhone de Somebody"), ("iPad di Luca 2", "iPad di Somebody 2"),
      ("iPhone d’Anna", "iPhone d’Somebody"), ("Band of Anna Lee", "Band of Somebody"),
      ("Annas Apple Watch", "Somebody's Apple Watch"), ("iPhone 15 Pro", "iPhone 15 Pro"),
      ("Samsung Galaxy S21", "Samsung Galaxy S21"), ("Galaxy Buds2 Pro", "Galaxy Buds2 Pro"),
      ("Soil-7", "Soil-7"), ("", ""), ("O'Neill", "O'Neill"), (" ", " "),
    ]
  )
  func owners(_ name: String, _ expected: String) {
    #expect(Redaction.withoutOwner(name) == expected)
  }

  @Test("names of persons that the device reports are replaced in its name and values")
  func saidNames() throws {
    var recording = try recording(serial: "")
    recording.name = "Scale Huber-2"
    for (uuid, handle, name) in [(0x2a8a, 0x14, "Anna Maria"), (0x2a90, 0x16, "Huber")]
      as [(UInt16, UInt16, String)]
    {
      var one = RecordedCharacteristic(
        uuid: BluetoothUUID(short: uuid), handle: handle, properties: .read
      )
      one.reading = .octets(Array(name.utf8))
      recording.services[0].characteristics.append(one)
    }
    let texts = ["owner Anna Huber", "Hubers scale", "MARIA", "Huberta"]
    recording.writes = texts.map {
      RecordedWrite(handle: 0x13, octets: Array($0.utf8), at: .zero)
    }
    let redacted = Redaction.redacted(recording)
    let shown = redacted.writes.map { String(decoding: $0.octets, as: UTF8.self) }
    #expect(shown[3] == "Huberta")
    let all = shown.dropLast().joined(separator: " ") + (redacted.name ?? "")
    for secret in ["anna", "maria", "huber"] {
      #expect(!all.lowercased().contains(secret), "\(secret) in \(all)")
    }
  }

  @Test(
    "the end of the address and long numbers are removed from a name, whatever precedes them",
    arguments: [
      ("Band 1102", "Band EEFC"), ("h2o6a1102", "h2o00eefc"), ("Blade1102", "BladeEEFC"),
      ("M0RobotED320C98B9", "M0RobotDT791H39L3"), ("Scale 3000", "Scale 3000"),
      ("Decade", "Decade"),
    ]
  )
  func names(_ name: String, _ expected: String) throws {
    let address = try #require(BluetoothAddress("C4:7C:8D:6A:11:02"))
    #expect(Redaction.name(name, of: address) == expected)
  }
}
