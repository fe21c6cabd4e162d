// Describes the packets of a trace. Values and keys are never printed, only what kind of packet
// carries them.

import Bluetooth

/// Describes packets of the monitor channel.
///
/// - Source: Bluetooth Core 5.4, Vol 4, Part E §5.4, §7 (HCI); Vol 3, Part A §3.1 (L2CAP), Part F
///   §3.4.8 (ATT opcodes), Part H §3.3 (SMP).
enum PacketText {
  /// The direction, `<` to the controller or `>` from it, and the kind; a number for kinds without
  /// a name here.
  static func text(of packet: MonitorPacket) -> String {
    var reader = PacketReader(packet.payload)
    switch packet.opcode {
    case 2: return "< command \(reader.name(2, in: commands) ?? "(cut off)")"
    case MonitorPacket.event: return "> event \(event(&reader) ?? "(cut off)")"
    case 4: return "< \(data(&reader) ?? "data (cut off)")"
    case 5: return "> \(data(&reader) ?? "data (cut off)")"
    // open: kinds of the kernel
    default: return "= note of kind \(packet.opcode)"
    }
  }

  private static func event(_ reader: inout PacketReader) -> String? {
    guard let code = reader.number(1), let length = reader.number(1) else { return nil }
    var parts = [events[code] ?? PacketReader.hex(code, octets: 1)]
    switch code {
    case 0x05:
      _ = reader.bytes(3)
      if let reason = reader.hex(1) { parts.append("reason \(reason)") }
    case 0x0e:
      _ = reader.bytes(1)
      if let command = reader.name(2, in: commands) { parts.append(command) }
      if let status = reader.hex(1) { parts.append("status \(status)") }
    case 0x0f:
      let status = reader.hex(1)
      _ = reader.bytes(1)
      if let command = reader.name(2, in: commands), let status {
        parts += [command, "status \(status)"]
      }
    case 0x3e where length > 0: return reader.name(1, in: leEvents)
    // open: numbers of the specification
    default: break
    }
    return parts.joined(separator: ", ")
  }

  private static func data(_ reader: inout PacketReader) -> String? {
    guard let header = reader.number(2), reader.bytes(2) != nil else { return nil }
    // 01 marks a continuation of the previous packet.
    guard header >> 12 & 3 != 1, reader.bytes(2) != nil, let channel = reader.number(2) else {
      return "data, continued"
    }
    switch channel {
    case 4: return attribute(&reader).map { "ATT \($0)" }
    case 5: return reader.hex(1).map { "L2CAP signalling \($0)" }
    case 6: return reader.name(1, in: pairing).map { "SMP \($0)" }
    // open: channels
    default: return "data on channel \(PacketReader.hex(channel, octets: 2))"
    }
  }

  private static func attribute(_ reader: inout PacketReader) -> String? {
    guard let opcode = reader.number(1) else { return nil }
    let name = attributes[opcode] ?? PacketReader.hex(opcode, octets: 1)
    switch opcode {
    case 0x01:
      guard let request = reader.name(1, in: attributes), let handle = reader.hex(2),
        let code = reader.hex(1)
      else { return name }
      return "\(name), \(request) to \(handle): \(code)"
    case 0x0a, 0x0c, 0x12, 0x16, 0x1b, 0x1d, 0x52:
      return name + (reader.hex(2).map { " \($0)" } ?? "")
    // open: numbers of the specification
    default: return name
    }
  }

  private static let commands: [UInt64: String] = [
    0x0406: "Disconnect", 0x0c01: "Set Event Mask", 0x0c03: "Reset",
    0x200b: "LE Set Scan Parameters", 0x200c: "LE Set Scan Enable", 0x200d: "LE Create Connection",
    0x200e: "LE Create Connection Cancel", 0x2011: "LE Add Device To Filter Accept List",
    0x2012: "LE Remove Device From Filter Accept List", 0x2013: "LE Connection Update",
    0x2016: "LE Read Remote Features", 0x2019: "LE Enable Encryption", 0x2022: "LE Set Data Length",
    0x2030: "LE Read PHY", 0x2031: "LE Set Default PHY", 0x2032: "LE Set PHY",
    0x2041: "LE Set Extended Scan Parameters", 0x2042: "LE Set Extended Scan Enable",
    0x2043: "LE Extended Create Connection",
  ]
  private static let events: [UInt64: String] = [
    0x05: "Disconnection Complete", 0x08: "Encryption Change",
    0x0c: "Read Remote Version Information Complete", 0x0e: "Command Complete",
    0x0f: "Command Status", 0x13: "Number Of Completed Packets",
    0x30: "Encryption Key Refresh Complete",
  ]
  private static let leEvents: [UInt64: String] = [
    0x01: "LE Connection Complete", 0x02: "LE Advertising Report",
    0x03: "LE Connection Update Complete", 0x04: "LE Read Remote Features Complete",
    0x07: "LE Data Length Change", 0x0a: "LE Enhanced Connection Complete",
    0x0c: "LE PHY Update Complete", 0x0d: "LE Extended Advertising Report",
  ]
  private static let attributes: [UInt64: String] = [
    0x01: "Error Response", 0x02: "Exchange MTU Request", 0x03: "Exchange MTU Response",
    0x04: "Find Information Request", 0x05: "Find Information Response",
    0x06: "Find By Type Value Request", 0x07: "Find By Type Value Response",
    0x08: "Read By Type Request", 0x09: "Read By Type Response", 0x0a: "Read Request",
    0x0b: "Read Response", 0x0c: "Read Blob Request", 0x0d: "Read Blob Response",
    0x0e: "Read Multiple Request", 0x0f: "Read Multiple Response",
    0x10: "Read By Group Type Request", 0x11: "Read By Group Type Response",
    0x12: "Write Request", 0x13: "Write Response", 0x16: "Prepare Write Request",
    0x17: "Prepare Write Response", 0x18: "Execute Write Request", 0x19: "Execute Write Response",
    0x1b: "Notification", 0x1d: "Indication", 0x1e: "Confirmation", 0x52: "Write Command",
    0xd2: "Signed Write Command",
  ]
  private static let pairing: [UInt64: String] = [
    0x01: "Pairing Request", 0x02: "Pairing Response", 0x03: "Pairing Confirm",
    0x04: "Pairing Random", 0x05: "Pairing Failed", 0x06: "Encryption Information",
    0x07: "Central Identification", 0x08: "Identity Information",
    0x09: "Identity Address Information", 0x0a: "Signing Information", 0x0b: "Security Request",
    0x0c: "Pairing Public Key", 0x0d: "Pairing DHKey Check",
  ]
}

extension PacketReader {
  fileprivate static func hex(_ number: UInt64, octets: Int) -> String {
    let text = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, 2 * octets - text.utf8.count)) + text
  }

  /// Reads the next number, as hexadecimal digits.
  fileprivate mutating func hex(_ octets: Int) -> String? {
    number(octets).map { Self.hex($0, octets: octets) }
  }

  /// Reads the next number, as its name or as hexadecimal digits.
  fileprivate mutating func name(_ octets: Int, in names: [UInt64: String]) -> String? {
    number(octets).map { names[$0] ?? Self.hex($0, octets: octets) }
  }
}
