import Bluetooth
import Documents
import Recording
import SimulatedDevices
import Testing

@Suite("Traces as device files")
struct SnoopTests {
  private static let file = """
    # A trace.
    name: Soil-7
    address: C0:00:5E:00:00:01
    address-type: random
    advertisement:
      services: [health-thermometer]
      manufacturer-data:
        0xffff: "01 02"
      rssi: -60
      rssi-spread: 0
      interval: 250ms
    link: { mtu: 185, connect-time: 40ms, discovery-time: 90ms, latency: 15ms }
    security: { pairing: just-works } # how it pairs is not known
    services:
      - service: battery
        characteristics:
          - characteristic: battery-level
            properties: [read, notify]
            series:
              values:
                - { u8: 87 }
                - { u8: 86 }
                - { u8: 85 }
              every: 3s
            descriptors:
              - { descriptor: characteristic-presentation-format, value: { hex: "04 00 ad 27 01 00 00" } }
      - service: fff0
        characteristics:
          - characteristic: fff1
            properties: [write]
            responses:
              - when: { hex: "01" }
                then:
                  - { notify: { utf8: "one" }, on: fff2, after: 35ms }
              - when: { hex: "09" }
                refuse: 0x80
          - characteristic: fff2
            properties: [read, write, notify]
            # Its value is not known: insufficient encryption.
            security: encrypted
            descriptors:
              - { descriptor: characteristic-user-description, value: { utf8: "The answers of the control point" } }
    """

  private static func lines(_ octets: [UInt8]) throws -> [String] {
    let recording = try SnoopRecording(try SnoopFile(octets)).recording { $0.isConnected }
    return DeviceText.lines(of: recording, source: "A trace.")
  }

  @Test("a trace of each format becomes a device file", arguments: Trace.Format.allCases)
  func formats(_ format: Trace.Format) throws {
    let lines = try Self.lines(Trace.thermometer(format).octets)
    #expect(lines.joined(separator: "\n") == Self.file)
    let device = try DeviceFile.parse(lines.joined(separator: "\n"), file: "the test")
    #expect(device.map(\.address.description) == ["C0:00:5E:00:00:01"])
  }

  /// A variation of the trace, and lines of its device file; a leading minus means an absent line.
  private struct Variant: CustomTestStringConvertible {
    let testDescription: String
    let lines: [String]
    let build: @Sendable (inout Trace) -> Void

    init(_ name: String, _ lines: [String], _ build: @escaping @Sendable (inout Trace) -> Void) {
      (testDescription, self.lines, self.build) = (name, lines, build)
    }
  }

  private static let unknownInterval =
    "# Not learned: the advertising interval: no scan received the advertisement twice within 10.24 s."

  private static let variants = [
    Variant(
      "a connection that began before the trace",
      [
        "# Not learned: its address, which is made up: the trace begins within a connection.",
        "- service: fff0",
      ]
    ) { trace in
      trace.discover()
      trace.disconnect()
      trace.received([0x1b, 0x25, 0, 1])
    },
    Variant(
      "packets that a filter has cut off",
      [
        "# Not learned: its services: the trace has packets in part only; a phone has a setting for all of them, "
          + "and one that filters.",
        "# Not learned: what was in 1 packet, which the trace has in part only.",
      ]
    ) { trace in
      trace.connect()
      trace.filtered()
    },
    Variant("a client of this host", [#"value: { hex: "05" }"#]) { trace in
      trace.accept()
      trace.connect()
      trace.discover()
      trace.exchange([0x0a, 0x22, 0], [0x0b, 5])
    },
    Variant("an extended advertisement in parts", [#"0xffff: "01 02""#, #"name: "Soil-7!""#]) {
      trace in
      trace.extended([8, 9] + Array("Soil-7".utf8), isLast: false)
      trace.extended([0x21, 5, 0xff, 0xff, 0xff, 1, 2], isLast: true)
      trace.connect()
    },
    Variant("one advertisement in each of several scans", [unknownInterval, "-interval: 5s"]) {
      trace in
      for _ in 0..<3 {
        trace.scan(true)
        trace.advertisement([2, 1, 6])
        trace.scan(false)
        trace.wait(milliseconds: 5000)
      }
      trace.connect()
    },
    Variant("an advertisement before and after a connection", [unknownInterval, "-interval: 3s"]) {
      trace in
      trace.scan(true)
      trace.advertisement([2, 1, 6])
      trace.connect()
      trace.wait(milliseconds: 3000)
      trace.disconnect()
      trace.advertisement([2, 1, 6])
    },
    Variant(
      "advertisements that are received rarely", [unknownInterval, "-interval: 10240ms"]
    ) { trace in
      for _ in 0..<3 {
        trace.advertisement([2, 1, 6])
        trace.wait(milliseconds: 60_000)
      }
      trace.connect()
    },
    Variant("the same interval in two scans", ["interval: 250ms", "-\(unknownInterval)"]) { trace in
      for _ in 0..<2 {
        trace.scan(true)
        for _ in 0..<2 {
          trace.advertisement([2, 1, 6])
          trace.wait(milliseconds: 250)
        }
        trace.scan(false)
        trace.wait(milliseconds: 5000)
      }
      trace.connect()
    },
    Variant(
      "two kinds of advertisements, one of which came once",
      [
        "# Not learned: 1 of the advertising intervals: no scan received the advertisement twice "
          + "within 10.24 s.",
        "interval: 250ms",
      ]
    ) { trace in
      trace.advertisement([2, 1, 6])
      trace.wait(milliseconds: 250)
      trace.advertisement([2, 1, 6])
      trace.advertisement([5, 0xff, 0xff, 0xff, 1, 2])
      trace.connect()
    },
    Variant(
      "a Device Name that is not the advertised one", ["name: Soil-7", #"gap-name: "Soil 9""#]
    ) {
      trace in
      trace.advertisement([7, 9] + Array("Soil-7".utf8))
      trace.connect()
      trace.discoverName()
      trace.exchange([0x0a, 3, 0], [0x0b] + Array("Soil 9".utf8))
    },
    Variant(
      "a Device Name that is the advertised one, with a NUL", ["name: Soil-7", "-gap-name: Soil-7"]
    ) {
      trace in
      trace.advertisement([7, 9] + Array("Soil-7".utf8))
      trace.connect()
      trace.discoverName()
      trace.exchange([0x0a, 3, 0], [0x0b] + Array("Soil-7".utf8) + [0])
    },
    Variant("a Device Name of a device that advertises none", ["name: Soil-7", "name: false"]) {
      trace in
      trace.advertisement([2, 1, 6])
      trace.connect()
      trace.discoverName()
      trace.exchange([0x0a, 3, 0], [0x0b] + Array("Soil-7".utf8))
    },
    Variant("a name that is shortened later", ["name: Soil-7"]) { trace in
      trace.advertisement([7, 9] + Array("Soil-7".utf8))
      trace.advertisement([5, 8] + Array("Soil".utf8))
      trace.connect()
    },
    Variant(
      "an MTU that the device asks for",
      ["link: { mtu: 185, connect-time: 40ms, discovery-time: 0s }"]
    ) { trace in
      trace.connect()
      trace.received([0x02, 0xb9, 0])
      trace.sent([0x03, 0x05, 0x02])
    },
    Variant("a service that is found by its UUID", ["- service: fff0", "- characteristic: fff1"]) {
      trace in
      trace.connect()
      trace.exchange([0x06, 1, 0, 0xff, 0xff, 0, 0x28, 0xf0, 0xff], [0x07, 0x20, 0, 0x26, 0])
      trace.exchange(
        [0x08, 0x20, 0, 0x26, 0, 0x03, 0x28], [0x09, 7, 0x21, 0, 0x0a, 0x22, 0, 0xf1, 0xff]
      )
    },
    Variant(
      "a secondary service that is known from its inclusion",
      ["includes: [device-information]", "# It is a secondary service."]
    ) { trace in
      trace.connect()
      trace.discover()
      trace.exchange(
        [0x08, 1, 0, 0xff, 0xff, 0x02, 0x28], [0x09, 8, 0x23, 0, 0x30, 0, 0x33, 0, 0x0a, 0x18]
      )
    },
    Variant(
      "attributes that change",
      [
        "# Not learned: what its attributes were before it changed them in the trace.",
        "- service: fff9", "-- service: fff0", #"-value: { hex: "05" }"#,
      ]
    ) { trace in
      trace.connect()
      trace.discover()
      trace.exchange([0x0a, 0x22, 0], [0x0b, 5])
      trace.connect()
      trace.discover(service: 0xf9)
    },
    Variant(
      "several values that are read at once, after a client that was out of date",
      [#"value: { hex: "05" }"#, "-refuse-read: database-out-of-sync"]
    ) { trace in
      trace.connect()
      trace.discover()
      trace.exchange([0x0a, 0x22, 0], [0x01, 0x0a, 0x22, 0, 0x12])
      trace.exchange([0x20, 0x25, 0, 0x22, 0], [0x21, 1, 0, 4, 1, 0, 5])
    },
    Variant(
      "a long write that is refused when it is executed",
      [#"- when: { utf8: "long" }"#, "refuse: invalid-attribute-value-length"]
    ) { trace in
      trace.connect()
      trace.discover()
      trace.exchange([0x16, 0x22, 0, 0, 0] + "lo".utf8, [0x17, 0x22, 0, 0, 0] + "lo".utf8)
      trace.exchange([0x16, 0x22, 0, 2, 0] + "ng".utf8, [0x17, 0x22, 0, 2, 0] + "ng".utf8)
      trace.exchange([0x18, 1], [0x01, 0x18, 0x22, 0, 0x0d])
    },
    Variant("a subscription that is refused", ["security: encrypted"]) { trace in
      trace.connect()
      trace.discover()
      trace.exchange([0x12, 0x26, 0, 1, 0], [0x01, 0x12, 0x26, 0, 0x0f])
    },
    Variant(
      "a value that a pairing without authentication opens",
      ["security: { pairing: just-works }", "security: encrypted", #"value: { hex: "05" }"#]
    ) { trace in
      trace.connect()
      trace.discover()
      trace.exchange([0x0a, 0x22, 0], [0x01, 0x0a, 0x22, 0, 0x05])
      trace.pair(capability: 3, demands: 0x09)
      trace.exchange([0x0a, 0x22, 0], [0x0b, 5])
    },
    Variant(
      "a write and a subscription that want authentication",
      [
        "security: { pairing: passkey-entry, passkey: 123456 } # its own passkey is not recorded",
        "security: { write: authenticated }", "security: authenticated",
      ]
    ) { trace in
      trace.connect()
      trace.encrypt()
      trace.discover()
      trace.exchange([0x12, 0x22, 0, 1], [0x01, 0x12, 0x22, 0, 0x05])
      trace.exchange([0x12, 0x26, 0, 1, 0], [0x01, 0x12, 0x26, 0, 0x05])
      trace.pair(capability: 0, demands: 0x0d)
      trace.exchange([0x12, 0x22, 0, 1], [0x13])
    },
    Variant(
      "a client that was paired already",
      [
        "# Not learned: what it demands of a connection: the client was paired before the trace; forget the "
          + "device there, and trace again."
      ]
    ) { trace in
      trace.connect()
      trace.encrypt()
      trace.discover()
    },
    Variant(
      "a refusal that ended without encryption", [#"value: { hex: "05" }"#, "-security: encrypted"]
    ) { trace in
      trace.connect()
      trace.discover()
      trace.exchange([0x0a, 0x22, 0], [0x01, 0x0a, 0x22, 0, 0x05])
      trace.exchange([0x12, 0x22, 0, 1], [0x13])
      trace.exchange([0x0a, 0x22, 0], [0x0b, 5])
    },
    Variant(
      "a device that pairs before anything is refused",
      [
        "# Not learned: what it demands of a connection: it was encrypted before anything was refused.",
        "security: { pairing: confirm }",
      ]
    ) { trace in
      trace.connect()
      trace.pair(capability: 1, demands: 0x0d)
      trace.discover()
    },
    Variant(
      "a device that tells its identity when it is paired, and is connected under it later",
      [
        "address: 00:00:5E:00:53:09", "address-type: public",
        "# Seen at C0:00:5E:00:00:01, too.", #"value: { hex: "05" }"#,
        "security: { pairing: confirm }",
      ]
    ) { trace in
      let identity: [UInt8] = [9, 0x53, 0, 0x5e, 0, 0]
      trace.connect()
      trace.pair(capability: 1, demands: 0x0d)
      trace.packet([0x09, 0] + identity, isSent: false, on: 6)
      trace.discover()
      trace.disconnect()
      trace.event(0x3e, [0x01, 0, 0x40, 0, 0, 2] + identity + [24, 0, 0, 0, 42, 0, 0])
      trace.exchange([0x0a, 0x22, 0], [0x0b, 5])
    },
    Variant(
      "a device that is forgotten and paired anew",
      ["# Seen at C0:00:5E:00:00:01, too.", #"value: { hex: "05" }"#]
    ) { trace in
      for isFirst in [true, false] {
        trace.connect()
        trace.pair(capability: 1, demands: 0x0d)
        trace.packet([0x09, 0, 9, 0x53, 0, 0x5e, 0, 0], isSent: false, on: 6)
        guard isFirst else { continue }
        trace.discover()
        trace.exchange([0x0a, 0x22, 0], [0x0b, 5])
        trace.disconnect()
      }
    },
    Variant(
      "a pairing with out-of-band data after one that failed", ["-security: { pairing: confirm }"]
    ) { trace in
      trace.connect()
      for hasData in [0, 1] as [UInt8] {
        trace.packet([0x01, 4, hasData, 0x0d, 16, 7, 7], isSent: true, on: 6)
        trace.packet([0x02, 1, hasData, 0x0d, 16, 7, 7], isSent: false, on: 6)
      }
      trace.encrypt()
    },
    Variant("a device that refuses to pair", ["security: { pairing: reject }"]) { trace in
      trace.connect()
      trace.discover()
      trace.packet([0x01, 4, 0, 0x0d, 16, 7, 7], isSent: true, on: 6)
      trace.packet([0x05, 5], isSent: false, on: 6)
    },
    Variant(
      "bearers of Enhanced ATT, with a value in two packets and requests at the same time",
      [
        #"value: { utf8: "sixteen" }"#,
        #"- when: { hex: "01 02" }"#, #"- { notify: { hex: "09" }, on: fff2 }"#,
      ]
    ) { trace in
      trace.connect()
      trace.discover()
      trace.openBearers()
      trace.useBearers()
    },
    Variant("a bearer that is granted in place of the fixed channel", [#"value: { hex: "05" }"#]) {
      trace in
      trace.connect()
      trace.discover()
      trace.packet([0x17, 1, 10, 0, 0x27, 0, 64, 0, 64, 0, 5, 0, 4, 0], isSent: true, on: 5)
      trace.packet([0x18, 1, 10, 0, 64, 0, 64, 0, 5, 0, 0, 0, 4, 0], isSent: false, on: 5)
      trace.exchange([0x0a, 0x22, 0], [0x0b, 5])
    },
    Variant("a service that includes itself", ["-includes: [fff0]"]) { trace in
      trace.connect()
      trace.discover()
      trace.exchange(
        [0x08, 1, 0, 0xff, 0xff, 0x02, 0x28], [0x09, 8, 0x23, 0, 0x20, 0, 0x26, 0, 0xf0, 0xff]
      )
    },
    Variant(
      "a clock that is set back", [#"- { notify: { hex: "09" }, on: fff2, after: 35ms }"#]
    ) { trace in
      trace.connect()
      trace.discover()
      trace.setBack()
      trace.exchange([0x12, 0x22, 0, 1], [0x13])
      trace.wait(milliseconds: 35)
      trace.received([0x1b, 0x25, 0, 9])
    },
  ]

  @Test(
    "other programs' and devices' variations of the protocol are recorded in the file",
    arguments: variants)
  private func variant(_ variant: Variant) throws {
    var trace = Trace(.uart)
    variant.build(&trace)
    let lines = try Self.lines(trace.octets)
    _ = try DeviceFile.parse(lines.joined(separator: "\n"), file: "the test")
    let trimmed = Set(lines.map { $0.drop { $0 == " " } })
    for line in variant.lines {
      let isMeant = !line.hasPrefix("-") || line.hasPrefix("- ")
      #expect(
        trimmed.contains(isMeant ? line[...] : line.dropFirst()) == isMeant, "\(line) in \(lines)"
      )
    }
  }

  @Test("a truncated trace is recorded up to its end, and its file says so")
  func cutOff() throws {
    let whole = Trace.thermometer(.monitor).octets
    for count in stride(from: 16, to: whole.count, by: 7) {
      let file = try SnoopFile(Array(whole.prefix(count)))
      guard let recording = try? SnoopRecording(file).recording(of: { _ in true }) else { continue }
      let lines = DeviceText.lines(of: recording, source: "A trace.")
      _ = try DeviceFile.parse(lines.joined(separator: "\n"), file: "the test")
      let isComplete = !file.endsEarly
      #expect(lines.contains { $0.contains("the trace ends within a packet") } != isComplete)
    }
  }

  @Test("damaged packets neither stop the program nor produce an unreadable file")
  func damaged() throws {
    let whole = Trace.Format.allCases.map { format in
      var trace = Trace.thermometer(format)
      trace.connect()
      trace.pair(capability: 0, demands: 0x0d)
      trace.openBearers()
      trace.useBearers()
      return trace.octets
    }
    var state: UInt64 = 1
    for round in 0..<2_000 {
      var octets = whole[round % whole.count]
      for _ in 0..<4 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let place = 16 + Int(state >> 33) % (octets.count - 16)
        octets[place] = UInt8(truncatingIfNeeded: state >> 25)
      }
      guard let recording = try? SnoopRecording(try SnoopFile(octets)).recording(of: { _ in true })
      else { continue }
      let lines = DeviceText.lines(of: recording, source: "A trace.")
      let text = lines.joined(separator: "\n")
      #expect(throws: Never.self, "\(text)") { try DeviceFile.parse(text, file: "the test") }
    }
  }

  @Test(
    "a file of another kind is refused with its detected kind",
    arguments: [
      ([], "it is neither a btsnoop nor a PacketLogger file"),
      ([0x1f, 0x8b, 8], "it is a gzip file: unpack it"),
      (Array("btsnoop".utf8) + [0, 0, 0, 0, 2, 0, 0, 3, 0xea], "its version is 2; expected 1"),
      (
        Array("btsnoop".utf8) + [0, 0, 0, 0, 1, 0, 0, 0, 9],
        "its data link is 9; expected 1001 (HCI), 1002 (UART) or 2001 (monitor)"
      ),
    ] as [([UInt8], String)]
  )
  func other(_ octets: [UInt8], _ problem: String) {
    #expect {
      try SnoopFile(octets)
    } throws: { "\($0)" == problem }
  }

  @Test("a recording over a connection is completed from a trace once")
  func completed() throws {
    var trace = Trace(.monitor)
    trace.advertisement([2, 1, 6])
    trace.connect()
    trace.exchange([0x0a, 0x22, 0], [0x01, 0x0a, 0x22, 0, 0x0f])
    trace.exchange([0x0a, 0x24, 0], [0x01, 0x0a, 0x24, 0, 0x0f])
    trace.pair(capability: 2, demands: 0x0d)
    trace.exchange([0x12, 0x22, 0, 1], [0x01, 0x12, 0x22, 0, 0x05])
    let address = try #require(BluetoothAddress("C0:00:5E:00:00:01"))
    var recording = DeviceRecording(address: address, addressType: .random)
    var service = RecordedService(uuid: BluetoothUUID(short: 0xfff0), handle: 0x20)
    service.characteristics = [0x22, 0x24].map {
      RecordedCharacteristic(uuid: BluetoothUUID(short: 0xfff1), handle: $0, properties: .read)
    }
    recording.services = [service]
    recording.learn(.unanswered, of: 0x22)
    recording.learn(.refused(.insufficientAuthentication), of: 0x24)
    let traced = SnoopRecording(try SnoopFile(trace.octets))
    traced.complete(&recording)
    let once = recording
    traced.complete(&recording)
    #expect(recording == once)
    #expect(
      recording.characteristics.map(\.reading) == [
        .refused(.insufficientEncryption), .refused(.insufficientEncryption),
      ]
    )
    #expect(recording.characteristics.map(\.authenticated) == [[.write], []])
    #expect(recording.pairing == .tried(.passkeyDisplay))
    #expect(recording.advertisements.count == 1 && recording.hasScanResponses)
  }

  @Test("a trace without the device, or with several, lists the devices in it")
  func listed() throws {
    var trace = Trace.thermometer(.monitor)
    // A device with the same name at another static address is a different device.
    trace.event(
      0x3e, [0x02, 1, 0, 1, 2, 0, 0, 0x5e, 0, 0xc0, 8, 7, 9] + Array("Soil-7".utf8) + [0xc4]
    )
    let recording = SnoopRecording(try SnoopFile(trace.octets))
    #expect {
      try SnoopRecording(try SnoopFile(Trace(.uart).octets)).recording(of: nil)
    } throws: { "\($0)".hasPrefix("the trace has no Bluetooth LE device") }
    #expect {
      try recording.recording { $0.name == "Soil-8" }
    } throws: { error in
      "\(error)".hasPrefix("no such device is in the trace:\n  C0:00:5E:00:00:01 Soil-7 (")
    }
    #expect {
      try recording.recording { $0.name == "Soil-7" }
    } throws: { "\($0)".contains("several devices are in the trace: name one with -d:") }
  }
}

@Suite("bluetoothd's cache as a device file")
struct CacheTests {
  @Test("services, characteristics and descriptors are recorded; missing values have a reason")
  func cache() throws {
    let text = """
      [General]
      Name=Soil-7

      [Attributes]
      0001=2800:0005:1801
      0010=2800:0014:180f
      0011=2803:0012:12:00002a19-0000-1000-8000-00805f9b34fb
      0013=00002902-0000-1000-8000-00805f9b34fb
      0020=2801:0026:fff0
      0021=2802:0010:0014:180f
      0022=2803:0023:80:fff1
      0024=0001:00002900-0000-1000-8000-00805f9b34fb
      """
    let address = try #require(BluetoothAddress("C0:00:5E:00:00:01"))
    let recording = BlueZCache.recording(text, address: address)
    let lines = DeviceText.lines(of: recording, source: "A cache.")
    let services = lines.drop { !$0.hasPrefix("services:") }.joined(separator: "\n")
    #expect(
      services == """
        services:
          - service: battery
            characteristics:
              - characteristic: battery-level
                properties: [read, notify]
                # Its value is not known: it was not read.
          - service: fff0
            # It is a secondary service.
            includes: [battery]
            characteristics:
              - characteristic: fff1
                properties: [extended-properties, reliable-write]
        """
    )
    _ = try DeviceFile.parse(lines.joined(separator: "\n"), file: "the test")
  }
}
