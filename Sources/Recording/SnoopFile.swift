// btsnoop files: what the kernel, btmon, an Android phone or blerun's --trace wrote.

import Bluetooth

/// Why a file is no recording.
package struct SnoopError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

/// The packets of a btsnoop file.
///
/// - Source: RFC 1761 for the form; BlueZ `src/shared/btsnoop.h` for the data links.
package struct SnoopFile: Sendable {
  /// What a packet is.
  enum Kind: Hashable, Sendable {
    case command, event
    case data(isSent: Bool)
  }

  struct Packet: Sendable {
    let kind: Kind
    /// The ordinal of the controller; 0 where the format does not have it.
    let controller: UInt16
    let octets: [UInt8]
    /// Since the first packet.
    let at: Duration
    /// Whether octets are missing at its end.
    let isCut: Bool
  }

  let packets: [Packet]
  /// Whether the file ends within a packet, as when its writer was killed.
  package let endsEarly: Bool

  private enum DataLink {
    static let hci: UInt64 = 1001
    static let uart: UInt64 = 1002
    static let monitor: UInt64 = 2001
  }

  private static let magic = Array("btsnoop".utf8) + [0]

  /// The longest packet that any of the formats can have, and some more.
  private static let longest = 1 << 17
  private static let longestPause = Duration.seconds(86_400)

  /// Whether a file begins as one.
  package static func isOne(_ octets: [UInt8]) -> Bool { octets.starts(with: magic) }

  /// What a file of another kind is, and where a btsnoop file comes from; nil for one that is not known.
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
    guard Self.isOne(octets) else {
      throw SnoopError(description: Self.otherKind(octets) ?? "it is not a btsnoop file")
    }
    var reader = PacketReader(octets.dropFirst(Self.magic.count))
    guard let version = reader.bigEndian(4), let link = reader.bigEndian(4) else {
      throw SnoopError(description: "it ends within its header")
    }
    guard version == 1 else {
      throw SnoopError(description: "its version is \(version); expected 1")
    }
    guard [DataLink.hci, DataLink.uart, DataLink.monitor].contains(link) else {
      throw SnoopError(
        description: "its data link is \(link); expected 1001 (HCI), 1002 (UART) or 2001 (monitor)"
      )
    }
    var packets: [Packet] = []
    var latest: Int64?
    var now = Duration.zero
    var isComplete = true
    while !reader.isAtEnd {
      guard let original = reader.bigEndian(4), let length = reader.bigEndian(4),
        let flags = reader.bigEndian(4), reader.bigEndian(4) != nil, let time = reader.bigEndian(8),
        length <= Self.longest, let payload = reader.take(Int(length))
      else {
        isComplete = false
        break
      }
      let microseconds = Int64(bitPattern: time)
      let passed = microseconds.subtractingReportingOverflow(latest ?? microseconds).partialValue
      // A clock that is set back does not make time negative, nor one that is set forward years of it.
      now += min(max(.zero, .microseconds(passed)), Self.longestPause)
      latest = microseconds
      guard let (kind, octets) = Self.kind(payload, UInt32(flags), link) else { continue }
      packets.append(
        Packet(
          kind: kind,
          controller: link == DataLink.monitor ? UInt16(truncatingIfNeeded: flags >> 16) : 0,
          octets: octets,
          at: now,
          isCut: original > length
        )
      )
    }
    self.packets = packets
    endsEarly = !isComplete
  }

  /// What a record is, without what the format puts before it; nil for what is of no use here.
  private static func kind(
    _ payload: [UInt8],
    _ flags: UInt32,
    _ link: UInt64
  ) -> (Kind, [UInt8])? {
    let isReceived = flags & 1 != 0
    switch link {
    case DataLink.monitor:
      switch flags & 0xffff {
      case 2: return (.command, payload)
      case 3: return (.event, payload)
      case 4: return (.data(isSent: true), payload)
      case 5: return (.data(isSent: false), payload)
      // open: kinds of the kernel
      default: return nil
      }
    case DataLink.uart:
      guard let type = payload.first else { return nil }
      let octets = Array(payload.dropFirst())
      switch type {
      case 1: return (.command, octets)
      case 2: return (.data(isSent: !isReceived), octets)
      case 4: return (.event, octets)
      // open: SCO, ISO and others
      default: return nil
      }
    // open: HCI alone
    default:
      let isControl = flags & 2 != 0
      if isControl { return (isReceived ? .event : .command, payload) }
      return (.data(isSent: !isReceived), payload)
    }
  }
}
