// What is recorded beside the steps of a run.

public import Bluetooth

/// Something that explains a run and belongs to no step.
public enum RunRemark: Equatable, Sendable {
  /// What this program and bluetoothd sent each other; only where that is recorded.
  case message(BlueZMessage)
  /// A packet of a trace; only where a trace is recorded and messages are.
  case packet(RecordedPacket)
  /// The recording has reached its limit, in octets; later messages and packets are only counted. It
  /// comes once when that happens, and once more at the end of the run with the number.
  case recordingStopped(limit: Int, leftOut: Int)
  /// What a person noted at this moment.
  case note(String)

  /// Its name in output.
  package var name: String {
    switch self {
    case .message: "bluez-message"
    case .packet: "hci-packet"
    case .recordingStopped: "recording-stopped"
    case .note: "note"
    }
  }

  /// Its keys in output.
  package var members: [(key: String, value: JSONValue)] {
    switch self {
    case .message(let message): message.members
    case .packet(let packet): packet.members
    case .recordingStopped(let limit, let leftOut):
      [("limit", JSONValue(limit)), ("leftOut", JSONValue(leftOut))]
    case .note(let text): [("text", .string(text))]
    }
  }
}

/// A packet of a trace as part of a run.
public struct RecordedPacket: Equatable, Sendable {
  /// The packet.
  public let packet: TracePacket
  /// The name of the file that has it.
  public let file: String
  /// How many packets before it are in the trace alone, because too many came at once.
  public let leftOut: Int

  /// A packet of a trace.
  public init(_ packet: TracePacket, file: String, leftOut: Int = 0) {
    self.packet = packet
    self.file = file
    self.leftOut = leftOut
  }

  /// Its keys in output, without the time.
  var members: [(key: String, value: JSONValue)] {
    [("file", .string(file)), ("number", JSONValue(packet.number)), ("text", .string(packet.text))]
      + (leftOut > 0 ? [("leftOut", JSONValue(leftOut))] : [])
  }

  /// What it takes in a record, in octets.
  var octets: Int { 100 + file.utf8.count + packet.text.utf8.count }
}

extension BlueZMessage {
  /// Its keys in output, without the time.
  package var members: [(key: String, value: JSONValue)] {
    let parts: [(String, JSONValue?)] = [
      ("kind", .string(kind.rawValue)), ("number", number.map { JSONValue($0) }),
      ("object", object.map { .string($0) }), ("interface", interface.map { .string($0) }),
      ("member", .string(member)), ("error", error.map { .string($0) }),
      ("arguments", .string(arguments)),
    ]
    return parts.compactMap { key, value in value.map { (key: key, value: $0) } }
  }

  /// What it takes in a record, in octets.
  var octets: Int {
    100 + arguments.utf8.count + member.utf8.count + (object?.utf8.count ?? 0)
      + (interface?.utf8.count ?? 0) + (error?.utf8.count ?? 0)
  }
}
