// Files of HCI packets: btsnoop, as the kernel, btmon, an Android phone or blerun's --trace writes
// it, and Apple's PacketLogger.

import Bluetooth

/// The reason why a file cannot be read as a trace.
package struct SnoopError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

/// The packets of a btsnoop or PacketLogger file.
///
/// - Source: RFC 1761 for the form of btsnoop; BlueZ `src/shared/btsnoop.h` for its data links, and
///   `src/shared/btsnoop.c` for PacketLogger.
package struct SnoopFile: Sendable {
  /// The kind of a packet.
  enum Kind: Hashable, Sendable {
    case command, event
    case data(isSent: Bool)
  }

  struct Packet: Sendable {
    let kind: Kind
    /// The index of the controller; 0 if the format does not store it.
    let controller: UInt16
    let octets: [UInt8]
    /// The time since the first packet.
    let at: Duration
    /// Whether octets are missing at its end.
    let isCut: Bool
  }

  let packets: [Packet]
  /// Whether the file ends within a packet, as when its writer was killed.
  package let endsEarly: Bool

  /// The form of the records.
  private enum Form {
    case btsnoop(DataLink)
    /// PacketLogger, whose numbers may be in either octet order.
    case packetLogger(isBigEndian: Bool)
  }

  private enum DataLink: UInt64 {
    case hci = 1001
    case uart = 1002
    case monitor = 2001
  }

  private struct Record {
    let microseconds: Int64
    var controller: UInt16 = 0
    /// The packet without the header of the format; nil for a record that is not used here.
    let content: (kind: Kind, octets: [UInt8])?
    var isCut = false
  }

  private static let magic = Array("btsnoop".utf8) + [0]

  /// The maximum length of a record, somewhat above the longest packet of all formats.
  private static let longest = 1 << 17
  private static let longestPause = Duration.seconds(86_400)

  /// Whether a file begins as a btsnoop or PacketLogger file.
  package static func isTrace(_ octets: [UInt8]) -> Bool {
    octets.starts(with: magic) || packetLogger(octets) != nil
  }

  /// The form of a PacketLogger file; nil if the file is not one. It has no header, so its first
  /// record must be valid in one of the octet orders.
  private static func packetLogger(_ octets: [UInt8]) -> Form? {
    [true, false].lazy.map { Form.packetLogger(isBigEndian: $0) }.first { form in
      var reader = PacketReader(octets.prefix(longest))
      return record(&reader, form) != nil
    }
  }

  /// Describes a file of another known kind, and how to get a trace from it; nil for an unknown
  /// kind.
  package static func otherKind(_ octets: [UInt8]) -> String? {
    let wireshark =
      "editcap -F btsnoop FILE trace.log, a part of Wireshark, converts it if it has HCI packets; what a radio "
      + "sniffer received has none"
    let kinds: [([UInt8], String)] = [
      ([0x0a, 0x0d, 0x0d, 0x0a], "it is a pcapng file: " + wireshark),
      ([0xd4, 0xc3, 0xb2, 0xa1], "it is a pcap file: " + wireshark),
      ([0xa1, 0xb2, 0xc3, 0xd4], "it is a pcap file: " + wireshark),
      ([0x4d, 0x3c, 0xb2, 0xa1], "it is a pcap file: " + wireshark),
      (
        Array("PK".utf8) + [3, 4],
        "it is a zip file: unpack it; the bug report of an Android phone has btsnoop_hci.log, often in "
          + "FS/data/misc/bluetooth/logs"
      ),
      ([0x1f, 0x8b], "it is a gzip file: unpack it"),
    ]
    return kinds.first { octets.starts(with: $0.0) }?.1
  }

  /// - Throws: ``SnoopError`` for another kind of file.
  package init(_ octets: [UInt8]) throws(SnoopError) {
    var reader = PacketReader(octets)
    let form = try Self.form(&reader)
    var packets: [Packet] = []
    var latest: Int64?
    var now = Duration.zero
    var isComplete = true
    while !reader.isAtEnd {
      guard let record = Self.record(&reader, form) else {
        isComplete = false
        break
      }
      let microseconds = record.microseconds
      let passed = microseconds.subtractingReportingOverflow(latest ?? microseconds).partialValue
      // If the clock was set back, the time stands still; if it was set forward, the gap is
      // bounded.
      now += min(max(.zero, .microseconds(passed)), Self.longestPause)
      latest = microseconds
      guard let (kind, octets) = record.content else { continue }
      packets.append(
        Packet(
          kind: kind, controller: record.controller, octets: octets, at: now, isCut: record.isCut
        )
      )
    }
    self.packets = packets
    endsEarly = !isComplete
  }

  /// Reads the header of a file, and returns its form.
  private static func form(_ reader: inout PacketReader) throws(SnoopError) -> Form {
    let octets = Array(reader.rest.prefix(longest))
    if let form = packetLogger(octets) { return form }
    guard reader.bytes(magic.count) == magic else {
      throw SnoopError(
        description: otherKind(octets) ?? "it is neither a btsnoop nor a PacketLogger file"
      )
    }
    guard let version = reader.bigEndian(4), let link = reader.bigEndian(4) else {
      throw SnoopError(description: "it ends within its header")
    }
    guard version == 1 else {
      throw SnoopError(description: "its version is \(version); expected 1")
    }
    guard let link = DataLink(rawValue: link) else {
      throw SnoopError(
        description: "its data link is \(link); expected 1001 (HCI), 1002 (UART) or 2001 (monitor)"
      )
    }
    return .btsnoop(link)
  }

  /// Reads the next record; nil if it is incomplete or invalid.
  private static func record(_ reader: inout PacketReader, _ form: Form) -> Record? {
    switch form {
    case .btsnoop(let link):
      guard let original = reader.bigEndian(4), let length = reader.bigEndian(4),
        let flags = reader.bigEndian(4), reader.bigEndian(4) != nil, let time = reader.bigEndian(8),
        length <= longest, let payload = reader.bytes(Int(length))
      else { return nil }
      return Record(
        microseconds: Int64(bitPattern: time),
        controller: link == .monitor ? UInt16(truncatingIfNeeded: flags >> 16) : 0,
        content: content(payload, UInt32(flags), link), isCut: original > length
      )
    case .packetLogger(let isBigEndian):
      func number() -> UInt64? { isBigEndian ? reader.bigEndian(4) : reader.number(4) }
      // The length counts what follows the length itself.
      guard let length = number(), let seconds = number(), let microseconds = number(),
        microseconds < 1_000_000, let type = reader.uint8(), length >= 9, length <= longest,
        let payload = reader.bytes(Int(length) - 9)
      else { return nil }
      return Record(
        microseconds: Int64(seconds * 1_000_000 + microseconds), content: content(payload, type)
      )
    }
  }

  private static func content(_ payload: [UInt8], _ type: UInt8) -> (Kind, [UInt8])? {
    switch type {
    case 0x00: (.command, payload)
    case 0x01: (.event, payload)
    case 0x02: (.data(isSent: true), payload)
    case 0x03: (.data(isSent: false), payload)
    // open: notes, and other kinds of packets
    default: nil
    }
  }

  private static func content(
    _ payload: [UInt8], _ flags: UInt32, _ link: DataLink
  ) -> (Kind, [UInt8])? {
    let isReceived = flags & 1 != 0
    switch link {
    case .monitor:
      switch flags & 0xffff {
      case 2: return (.command, payload)
      case 3: return (.event, payload)
      case 4: return (.data(isSent: true), payload)
      case 5: return (.data(isSent: false), payload)
      // open: kinds of the kernel
      default: return nil
      }
    case .uart:
      guard let type = payload.first else { return nil }
      let octets = Array(payload.dropFirst())
      switch type {
      case 1: return (.command, octets)
      case 2: return (.data(isSent: !isReceived), octets)
      case 4: return (.event, octets)
      // open: SCO, ISO and others
      default: return nil
      }
    case .hci:
      let isControl = flags & 2 != 0
      if isControl { return (isReceived ? .event : .command, payload) }
      return (.data(isSent: !isReceived), payload)
    }
  }
}
