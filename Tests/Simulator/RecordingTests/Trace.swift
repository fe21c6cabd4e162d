// Traces for tests, in the formats that capture programs write.

import Bluetooth

/// A file that is put together packet by packet.
struct Trace {
  /// The formats; those of btsnoop by their data link.
  enum Format: UInt32, CaseIterable {
    case hci = 1001
    case uart = 1002
    case monitor = 2001
    /// PacketLogger, with its numbers in both orders.
    case bigEndian = 0
    case littleEndian = 1
  }

  let format: Format
  private(set) var octets: [UInt8]
  private var time: UInt64 = 0x00dc_ddb3_0f2f_8000

  static let device: [UInt8] = [0x01, 0x00, 0x00, 0x5e, 0x00, 0xc0]  // C0:00:5E:00:00:01

  init(_ format: Format) {
    self.format = format
    switch format {
    case .hci, .uart, .monitor:
      octets = Array("btsnoop".utf8) + [0] + Self.big(1, 4) + Self.big(UInt64(format.rawValue), 4)
    case .bigEndian, .littleEndian: octets = []
    }
  }

  private static func big(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  mutating func wait(milliseconds: UInt64) { time += milliseconds * 1000 }

  /// The clock of the host, set back by an hour.
  mutating func setBack() { time -= 3_600_000_000 }

  private mutating func add(
    _ packet: [UInt8], uart: UInt8, monitor: UInt64, flags: UInt64, missing: Int = 0
  ) {
    let payload = format == .uart ? [uart] + packet : packet
    switch format {
    case .hci, .uart, .monitor:
      octets += Self.big(UInt64(payload.count + missing), 4) + Self.big(UInt64(payload.count), 4)
      octets += Self.big(format == .monitor ? monitor : flags, 4) + Self.big(0, 4)
      octets += Self.big(time, 8) + payload
    case .bigEndian, .littleEndian:
      let head = [UInt64(packet.count + 9), time / 1_000_000 & 0xffff_ffff, time % 1_000_000]
      for number in head {
        let field = Self.big(number, 4)
        octets += format == .bigEndian ? field : field.reversed()
      }
      // The packet types in another order: command, event, sent and received data.
      octets += [UInt8(monitor - 2)] + packet
    }
  }

  mutating func command(_ packet: [UInt8]) { add(packet, uart: 1, monitor: 2, flags: 2) }

  mutating func event(_ code: UInt8, _ parameters: [UInt8]) {
    add([code, UInt8(parameters.count)] + parameters, uart: 4, monitor: 3, flags: 3)
  }

  /// An advertisement, or a scan response, of the device.
  mutating func advertisement(_ data: [UInt8], isResponse: Bool = false, rssi: Int8 = -60) {
    let head: [UInt8] = [0x02, 1, isResponse ? 4 : 0, 1] + Self.device + [UInt8(data.count)]
    event(0x3e, head + data + [UInt8(bitPattern: rssi)])
  }

  /// A part of an extended advertisement.
  mutating func extended(_ data: [UInt8], isLast: Bool) {
    let head: [UInt8] = [0x0d, 1, isLast ? 1 : 0x21, 0, 1] + Self.device + [1, 1, 1, 0x7f, 0xc4]
    event(0x3e, head + Array(repeating: 0, count: 9) + [UInt8(data.count)] + data)
  }

  /// LE Set Scan Enable, without a filter of duplicates.
  mutating func scan(_ isOn: Bool) { command([0x0c, 0x20, 2, isOn ? 1 : 0, 0]) }

  /// The request to connect, and 40 ms later the connection.
  mutating func connect() {
    command([0x0d, 0x20, 0])
    wait(milliseconds: 40)
    event(0x3e, [0x01, 0, 0x40, 0, 0, 1] + Self.device + [24, 0, 0, 0, 42, 0, 0])
  }

  /// A connection from another host to this one, and the reads over it.
  mutating func accept() {
    event(0x3e, [0x01, 0, 0x40, 0, 1, 1, 9, 0, 0, 0x5e, 0, 0xc0, 24, 0, 0, 0, 42, 0, 0])
    received([0x0a, 0x22, 0])
    sent([0x0b, 7])
    disconnect()
  }

  mutating func disconnect() { event(0x05, [0, 0x40, 0, 0x13]) }

  /// A packet of ATT of which a filter left nothing but the headers.
  mutating func filtered() {
    add([0x40, 0x20, 7, 0, 3, 0, 4, 0], uart: 2, monitor: 5, flags: 1, missing: 3)
  }

  /// A packet of a channel, ATT unless it is another one, in fragments of `size` octets.
  mutating func packet(_ octets: [UInt8], isSent: Bool, on channel: UInt8 = 4, size: Int = 27) {
    var rest = ([UInt8(octets.count), 0, channel, 0] + octets)[...]
    var isFirst = true
    while !rest.isEmpty {
      let part = rest.prefix(size)
      let flags: UInt8 = isFirst ? (isSent ? 0 : 0x20) : 0x10
      add(
        [0x40, flags, UInt8(part.count), 0] + part, uart: 2, monitor: isSent ? 4 : 5,
        flags: isSent ? 0 : 1
      )
      rest = rest.dropFirst(size)
      isFirst = false
    }
  }

  /// A packet to the device.
  mutating func sent(_ octets: [UInt8]) { packet(octets, isSent: true) }

  mutating func received(_ octets: [UInt8]) { packet(octets, isSent: false) }

  /// A request, and 15 ms later its response.
  mutating func exchange(_ request: [UInt8], _ response: [UInt8]) {
    sent(request)
    wait(milliseconds: 15)
    received(response)
  }

  /// A pairing with LE Secure Connections by a host with keys and a display.
  ///
  /// - Parameters:
  ///   - capability: That of the device, by its number.
  ///   - demands: Its flags: 1 for a bond, 4 for authentication, 8 for Secure Connections.
  mutating func pair(capability: UInt8, demands: UInt8) {
    packet([0x01, 4, 0, 0x0d, 16, 7, 7], isSent: true, on: 6)
    packet([0x02, capability, 0, demands, 16, 7, 7], isSent: false, on: 6)
    encrypt()
  }

  /// Two more bearers of ATT, to 0x50 and 0x52 and from 0x40 and 0x42; a third one is not granted.
  mutating func openBearers() {
    packet(
      [0x17, 1, 14, 0, 0x27, 0, 64, 0, 64, 0, 5, 0, 0x40, 0, 0x41, 0, 0x42, 0], isSent: true, on: 5
    )
    packet(
      [0x18, 1, 14, 0, 64, 0, 64, 0, 5, 0, 4, 0, 0x50, 0, 0, 0, 0x52, 0], isSent: false, on: 5)
  }

  /// A write over one of the bearers, and meanwhile a read over the other one, of a value in two packets.
  mutating func useBearers() {
    packet([5, 0, 0x12, 0x22, 0, 1, 2], isSent: true, on: 0x50)
    packet([3, 0, 0x0a, 0x22, 0], isSent: true, on: 0x52)
    packet([1, 0, 0x13], isSent: false, on: 0x40)
    wait(milliseconds: 15)
    packet([8, 0, 0x0b] + "six".utf8, isSent: false, on: 0x42)
    packet([4, 0, 0x1b, 0x25, 0, 9], isSent: false, on: 0x40)
    packet(Array("teen".utf8), isSent: false, on: 0x42)
  }

  mutating func encrypt() { event(0x08, [0, 0x40, 0, 1]) }

  /// The discovery of one service at 0x0020 to 0x0026, with fff1 at 0x0022 and fff2 at 0x0025.
  mutating func discover(service uuid: UInt8 = 0xf0) {
    exchange([0x10, 1, 0, 0xff, 0xff, 0, 0x28], [0x11, 6, 0x20, 0, 0x26, 0, uuid, 0xff])
    exchange(
      [0x08, 1, 0, 0xff, 0xff, 0x03, 0x28],
      [0x09, 7, 0x21, 0, 0x0a, 0x22, 0, 0xf1, 0xff, 0x24, 0, 0x10, 0x25, 0, 0xf2, 0xff]
    )
    exchange([0x04, 0x26, 0, 0x26, 0], [0x05, 1, 0x26, 0, 0x02, 0x29])
  }

  /// The discovery of Generic Access at 0x0001 to 0x0005, with the Device Name at 0x0003.
  mutating func discoverName() {
    exchange([0x10, 1, 0, 0xff, 0xff, 0, 0x28], [0x11, 6, 1, 0, 5, 0, 0, 0x18])
    exchange([0x08, 1, 0, 0xff, 0xff, 0x03, 0x28], [0x09, 7, 2, 0, 2, 3, 0, 0, 0x2a])
  }

  /// A thermometer with a control point: advertised, connected, discovered, used.
  static func thermometer(_ format: Format) -> Trace {
    var trace = Trace(format)
    for _ in 0..<3 {
      trace.advertisement([2, 1, 6, 3, 3, 0x09, 0x18, 5, 0xff, 0xff, 0xff, 1, 2])
      trace.advertisement([7, 9] + Array("Soil-7".utf8), isResponse: true)
      trace.wait(milliseconds: 250)
    }
    trace.connect()
    trace.exchange([0x02, 0x05, 0x02], [0x03, 0xb9, 0x00])
    // Services: Battery at 0x0010 to 0x0014, fff0 at 0x0020 to 0x0026.
    let all: [UInt8] = [0x01, 0x00, 0xff, 0xff]
    trace.exchange(
      [0x10] + all + [0x00, 0x28],
      [0x11, 6, 0x10, 0, 0x14, 0, 0x0f, 0x18, 0x20, 0, 0x26, 0, 0xf0, 0xff]
    )
    trace.exchange([0x10, 0x27, 0, 0xff, 0xff, 0, 0x28], [0x01, 0x10, 0x27, 0, 0x0a])
    trace.exchange(
      [0x08] + all + [0x03, 0x28],
      [0x09, 7]
        + [0x11, 0, 0x12, 0x12, 0, 0x19, 0x2a]
        + [0x21, 0, 0x08, 0x22, 0, 0xf1, 0xff]
        + [0x23, 0, 0x1a, 0x24, 0, 0xf2, 0xff]
    )
    trace.exchange([0x04, 0x13, 0, 0x14, 0], [0x05, 1, 0x13, 0, 0x02, 0x29, 0x14, 0, 0x04, 0x29])
    trace.exchange([0x04, 0x25, 0, 0x26, 0], [0x05, 1, 0x25, 0, 0x02, 0x29, 0x26, 0, 0x01, 0x29])
    trace.exchange([0x0a, 0x12, 0], [0x0b, 87])
    trace.exchange([0x0a, 0x14, 0], [0x0b, 4, 0, 0xad, 0x27, 1, 0, 0])
    // A long value, read in parts.
    trace.exchange([0x0a, 0x26, 0], [0x0b] + Array("The answers of the ".utf8))
    trace.exchange([0x0c, 0x26, 0, 19, 0], [0x0d] + Array("control point".utf8))
    trace.exchange([0x0a, 0x24, 0], [0x01, 0x0a, 0x24, 0, 0x0f])
    trace.exchange([0x12, 0x13, 0, 1, 0], [0x13])
    trace.exchange([0x12, 0x25, 0, 1, 0], [0x13])
    for level in [87, 86, 85] as [UInt8] {
      trace.wait(milliseconds: 3000)
      trace.received([0x1b, 0x12, 0, level])
    }
    trace.wait(milliseconds: 3000)
    trace.exchange([0x12, 0x22, 0, 1], [0x13])
    trace.wait(milliseconds: 35)
    trace.received([0x1b, 0x24, 0] + Array("one".utf8))
    trace.wait(milliseconds: 2500)
    trace.exchange([0x12, 0x22, 0, 9], [0x01, 0x12, 0x22, 0, 0x80])
    trace.disconnect()
    return trace
  }
}
