// Parsing device files.

import Bluetooth
import Documents
import SimulatedDevices
import Testing

@Suite("Device files")
struct DeviceFileTests {
  func device(_ text: String) throws -> DeviceDefinition {
    let all = try DeviceFile.parse(text, file: "device.yaml")
    #expect(all.count == 1)
    return try #require(all.first)
  }

  /// The characteristic made of these keys.
  func characteristic(
    _ keys: String, properties: String = "[read, write, notify]"
  ) throws -> CharacteristicDefinition {
    let text = """
      address: C0:FF:EE:00:00:01
      services:
        - service: battery
          characteristics:
            - { characteristic: fff1, properties: \(properties), \(keys) }
      """
    return try #require(try device(text).services.first?.characteristics.first)
  }

  @Test("a device needs only an address; everything else has a default")
  func minimal() throws {
    let device = try device("address: c0-ff-ee-00-00-01")
    #expect(device == DeviceDefinition(address: BluetoothAddress(number: 0xc0ff_ee00_0001)))
  }

  @Test("a Device Name different from the advertised name is served, numbered in copies")
  func gapName() throws {
    let text = """
      name: Tag-1
      gap-name: "Model 7 (#)"
      address: C0:FF:EE:00:00:01
      count: 2
      """
    let devices = try DeviceFile.parse(text, file: "device.yaml")
    #expect(devices.map(\.name) == ["Tag-1", "Tag-2"])
    #expect(devices.map(\.gapName) == ["Model 7 (1)", "Model 7 (2)"])
    let bench = DeviceBench(devices[0])
    let handle = try bench.handle(BluetoothUUID(short: 0x2a00))
    #expect(try bench.read(handle) == Array("Model 7 (1)".utf8))
    #expect(bench.device.advertisement().name == "Tag-1")
  }

  @Test("every key of a device, its advertisement and its link is parsed")
  func everything() throws {
    let device = try device(
      """
      name: Everything
      address: C0:FF:EE:00:00:01
      address-type: public
      appearance: 0x0341
      advertisement:
        services: [heart-rate, "180f", 6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40]
        manufacturer-data: { 0x004c: "01 ff", 89: "" }
        service-data: { battery: 57 }
        tx-power: -4
        rssi: -70
        rssi-spread: 0
        interval: 1s
        connectable: false
      link:
        mtu: 23
        connect-time: 1s
        discovery-time: 0s
        latency: 2ms
        phys: [2m, 1m]
        speed: { interval: 15ms, phy: 2m, packets: 4 }
      """
    )
    #expect(device.name == "Everything")
    #expect(device.addressType == .public)
    #expect(device.appearance == 0x0341)
    let echo = try #require(BluetoothUUID("6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40"))
    let battery = BluetoothUUID(short: 0x180f)
    #expect(
      device.advertisement
        == AdvertisementDefinition(
          services: [BluetoothUUID(short: 0x180d), battery, echo],
          manufacturerData: [
            ManufacturerData(company: 0x004c, octets: [1, 255]),
            ManufacturerData(company: 89, octets: []),
          ],
          serviceData: [ServiceData(service: battery, octets: [0x57])], txPower: -4, rssi: -70,
          rssiSpread: 0, interval: .seconds(1), isConnectable: false
        )
    )
    var link = LinkDefinition(
      mtu: 23, connectTime: .seconds(1), discoveryTime: .zero, latency: .milliseconds(2),
      speed: LinkSpeed(interval: .milliseconds(15), phy: .twoMegabit, packets: 4)
    )
    link.phys = [.twoMegabit, .oneMegabit]
    #expect(device.link == link)
  }

  @Test("a file can hold several devices, and can be JSON")
  func several() throws {
    let text = #"""
      {"devices": [{"name": "A", "address": "C0:FF:EE:00:00:01"},
                   {"name": "B", "address": "C0:FF:EE:00:00:02"}]}
      """#
    #expect(try DeviceFile.parse(text, file: "two.json").map(\.name) == ["A", "B"])
  }

  @Test("services, descriptors and refusals are parsed")
  func services() throws {
    let found = try characteristic(
      """
      value: { u8: 1 }, longest: 4, refuse-read: insufficient-encryption, refuse-write: 0x80,
      descriptors: [{ descriptor: valid-range, value: { hex: "00 64" }, writable: true }]
      """,
      properties: "[read, write-without-response]"
    )
    #expect(
      found
        == CharacteristicDefinition(
          uuid: .first, properties: [.read, .writeWithoutResponse], behaviour: .constant([1]),
          descriptors: [
            DescriptorDefinition(
              uuid: BluetoothUUID(short: 0x2906), value: [0, 100], isWritable: true
            )
          ],
          readError: .insufficientEncryption, writeError: ATTErrorCode(rawValue: 0x80), longest: 4
        )
    )
  }

  @Test(
    "values are given in formats, one or several in sequence",
    arguments: [
      ("{ u8: 87 }", [87]), ("{ u16be: 0x0102 }", [1, 2]), ("{ i8: -1 }", [255]),
      (#"{ utf8: "ACME" }"#, [65, 67, 77, 69]), (#"{ hex: "01 ff" }"#, [1, 255]),
      ("{ medfloat: 36.60 }", [0x4c, 0x0e, 0x00, 0xfe]), ("{ medfloat16: 40 }", [40, 0]),
      ("{ medfloat16: 204.7 }", [0xff, 0xf7]),
      ("{ medfloat: 838860.7 }", [0xff, 0xff, 0x7f, 0xff]),
      (#"[{ u8: 1 }, { utf8: "a" }, { hex: "" }]"#, [1, 97]), (#"{ utf8: "" }"#, []),
      ("{ utf8: null }", [110, 117, 108, 108]), ("{ f32: 0.5 }", [0, 0, 0, 0x3f]),
    ] as [(String, [UInt8])]
  )
  func values(written: String, octets: [UInt8]) throws {
    #expect(try characteristic("value: \(written)").behaviour == .constant(octets))
  }

  @Test("a counter is parsed")
  func counter() throws {
    let counter = Counter(
      format: try format("u8"), from: 100, to: 0, step: -1, every: .seconds(30), repeats: false,
      beginsAtOnce: true
    )
    let keys = "format: u8, from: 100, to: 0, step: -1, every: 30s, repeats: false, first: now"
    #expect(try characteristic("counter: { \(keys), wraps: false }").behaviour == .counter(counter))
    let widest = "format: i64, from: -9223372036854775808, to: 9223372036854775807"
    #expect(throws: Never.self) { try characteristic("counter: { \(widest) }") }
    let plain = try characteristic("counter: { format: i16 }").behaviour
    #expect(plain == .counter(Counter(format: try format("i16"))))
  }

  @Test("a wave is parsed; medical floats keep the written number of decimals")
  func wave() throws {
    let parts = """
      { hex: "16" }, { u8: { low: 62, high: 88 } }, { u16: { low: 1, high: 2, dividend: 6 } },
      { medfloat: { low: 36.4, high: 37 } }, { medfloat16: { low: 0, high: 1, decimals: 2 } }
      """
    let found = try characteristic(
      "wave: { parts: [\(parts)], period: 20s, every: 1s, noise: 0.5, first: now }"
    )
    let u16 = NumberFormat.plain(try format("u16"))
    let wave = Wave(
      parts: [
        .octets([0x16]),
        .number(MovingNumber(format: .plain(try format("u8")), low: 62, high: 88)),
        .number(MovingNumber(format: u16, low: 1, high: 2, dividend: 6)),
        .number(MovingNumber(format: .medicalFloat(decimals: 1), low: 36.4, high: 37)),
        .number(MovingNumber(format: .shortMedicalFloat(decimals: 2), low: 0, high: 1)),
      ],
      period: .seconds(20), every: .seconds(1), noise: 0.5, beginsAtOnce: true
    )
    #expect(found.behaviour == .wave(wave))
  }

  @Test("a series and an echo are parsed")
  func seriesAndEcho() throws {
    let series = Series(values: [[1], [2, 3]], every: .seconds(1), repeats: false)
    let keys = #"values: [{ u8: 1 }, { hex: "02 03" }], every: 1s, repeats: false, first: later"#
    #expect(try characteristic("series: { \(keys) }").behaviour == .series(series))
    #expect(try characteristic("echo: true").behaviour == .echo)
  }

  @Test("responses are parsed")
  func responses() throws {
    let found = try characteristic(
      """
      value: { u8: 9 },
      responses: [
        { when: { u8: 1 }, then: { notify: written, after: 50ms } },
        { when-begins: { hex: "02" }, then: [{ set: { u8: 3 }, on: fff1 }, { notify: { u8: 4 } }] },
        { refuse: value-not-allowed }
      ]
      """
    )
    let rules = [
      ResponseRule(
        pattern: .exactly([1]),
        actions: [ResponseAction(.notify, value: .written, after: .milliseconds(50))]
      ),
      ResponseRule(
        pattern: .beginning([2]),
        actions: [
          ResponseAction(.set, characteristic: .first, value: .octets([3])),
          ResponseAction(.notify, value: .octets([4])),
        ]
      ),
      ResponseRule(refusal: .valueNotAllowed),
    ]
    #expect(found.behaviour == .response(Response(initial: [9], rules: rules)))
  }

  @Test("faults are parsed")
  func faults() throws {
    let device = try device(
      """
      address: C0:FF:EE:00:00:01
      faults:
        - { on: read, characteristic: device-name, nth: 2, do: refuse 0x80 }
        - { on: write, every: 3, do: lose-link }
        - { on: any, probability: 0.5, do: lose-link-after }
        - { on: subscribe, do: never-answer }
        - { on: connect, do: refuse-connection }
        - { on: discover, do: vanish }
        - { on: disconnect, do: slow 1.5s }
        - { on: any, do: refuse unlikely-error }
      """
    )
    let name = BluetoothUUID(short: 0x2a00)
    #expect(
      device.faults == [
        FaultRule(
          on: .read, characteristic: name, occurrence: .nth(2),
          action: .refuse(ATTErrorCode(rawValue: 0x80))
        ),
        FaultRule(on: .write, occurrence: .every(3), action: .loseLinkBefore),
        FaultRule(on: .any, occurrence: .probability(0.5), action: .loseLinkAfter),
        FaultRule(on: .subscribe, action: .neverAnswer),
        FaultRule(on: .connect, action: .refuseConnection),
        FaultRule(on: .discover, action: .vanish),
        FaultRule(on: .disconnect, action: .slow(.milliseconds(1500))),
        FaultRule(on: .any, action: .refuse(.unlikelyError)),
      ]
    )
  }

  @Test("the error for an unreadable file names the file")
  func unreadable() {
    for (path, reason) in [("/no/such.yaml", "No such file"), ("/", "Is a directory")] {
      #expect {
        _ = try DeviceFile.load(path: path)
      } throws: { error in
        let text = (error as? DocumentErrors)?.description ?? ""
        return text.hasPrefix("\(path): the file cannot be read: \(reason)")
      }
    }
  }
}
