// A packet of a trace in words. What carries values or keys is named, not printed.

/// Describes packets of the monitor channel.
///
/// - Source: Bluetooth Core 5.4, Vol 4, Part E §5.4, §7 (HCI); Vol 3, Part A §3.1 (L2CAP), Part F
///   §3.4.8 (ATT opcodes), Part H §3.3 (SMP).
enum PacketText {
  /// The direction, `<` to the controller or `>` from it, and what it is; the number of a kind that
  /// has no name here.
  static func text(of packet: MonitorPacket) -> String {
    var reader = FrameReader(packet.payload)
    switch packet.opcode {
    case 2: return "< \(command(&reader))"
    case MonitorPacket.event: return "> \(event(&reader))"
    case 4: return "< \(data(&reader))"
    case 5: return "> \(data(&reader))"
    // open: kinds of the kernel
    default: return "= note of kind \(packet.opcode)"
    }
  }

  private static func hex(_ number: some BinaryInteger, digits: Int) -> String {
    let text = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  private static func named(_ number: UInt64, _ names: [UInt64: String], digits: Int) -> String {
    names[number] ?? hex(number, digits: digits)
  }

  // MARK: HCI

  private static func command(_ reader: inout FrameReader) -> String {
    "command \(reader.number(2).map { named($0, commands, digits: 4) } ?? "(cut off)")"
  }

  private static func event(_ reader: inout FrameReader) -> String {
    guard let code = reader.number(1), reader.number(1) != nil else { return "event (cut off)" }
    switch code {
    case 0x05:
      guard reader.number(3) != nil, let reason = reader.number(1) else { break }
      return "event Disconnection Complete, reason \(hex(reason, digits: 2))"
    case 0x0e:
      guard reader.number(1) != nil, let opcode = reader.number(2) else { break }
      let status = reader.number(1).map { ", status \(hex($0, digits: 2))" } ?? ""
      return "event Command Complete, \(named(opcode, commands, digits: 4))\(status)"
    case 0x0f:
      guard let status = reader.number(1), reader.number(1) != nil, let opcode = reader.number(2)
      else { break }
      let name = named(opcode, commands, digits: 4)
      return "event Command Status, \(name), status \(hex(status, digits: 2))"
    case 0x3e:
      guard let kind = reader.number(1) else { break }
      return "event \(named(kind, leEvents, digits: 2))"
    // open: numbers of the specification
    default: break
    }
    return "event \(named(code, events, digits: 2))"
  }

  // MARK: Data

  private static func data(_ reader: inout FrameReader) -> String {
    guard let header = reader.number(2), reader.number(2) != nil else { return "data (cut off)" }
    // 01: a packet that continues another one.
    guard header >> 12 & 3 != 1, reader.number(2) != nil, let channel = reader.number(2) else {
      return "data, continued"
    }
    guard let opcode = reader.number(1) else { return "data (cut off)" }
    switch channel {
    case 4: return "ATT \(attribute(opcode, &reader))"
    case 5: return "L2CAP signalling \(hex(opcode, digits: 2))"
    case 6: return "SMP \(named(opcode, pairing, digits: 2))"
    // open: channels
    default: return "data on channel \(hex(channel, digits: 4))"
    }
  }

  private static func attribute(_ opcode: UInt64, _ reader: inout FrameReader) -> String {
    let name = named(opcode, attributes, digits: 2)
    switch opcode {
    case 0x01:
      guard let request = reader.number(1), let handle = reader.number(2),
        let code = reader.number(1)
      else { return name }
      return "\(name), \(named(request, attributes, digits: 2)) to \(hex(handle, digits: 4)): "
        + hex(code, digits: 2)
    case 0x0a, 0x0c, 0x12, 0x16, 0x1b, 0x1d, 0x52:
      return name + (reader.number(2).map { " \(hex($0, digits: 4))" } ?? "")
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
    0x2041: "LE Set Extended Scan Parameters", 0x2042: "LE Set Extended Scan Enable",
    0x2043: "LE Extended Create Connection",
  ]
  private static let events: [UInt64: String] = [
    0x08: "Encryption Change", 0x0c: "Read Remote Version Information Complete",
    0x13: "Number Of Completed Packets", 0x30: "Encryption Key Refresh Complete",
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
