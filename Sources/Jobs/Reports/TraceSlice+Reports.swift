// A part of a trace, as reports show it.

import Bluetooth

extension TraceSlice {
  /// `packets 17 to 42 of run.btsnoop, 2026-01-01T…Z to 2026-01-01T…Z`.
  var sentence: String {
    "packets \(packets.lowerBound) to \(packets.upperBound) of \(file), "
      + "\(Timestamp.text(times.lowerBound)) to \(Timestamp.text(times.upperBound))"
      + (before == 0 ? "" : ", after \(before) in files before it")
  }

  var json: JSONValue {
    var members: [(key: String, value: JSONValue)] = [
      ("file", .string(file)),
      ("first", JSONValue(packets.lowerBound)),
      ("last", JSONValue(packets.upperBound)),
      ("from", .string(Timestamp.text(times.lowerBound))),
      ("to", .string(Timestamp.text(times.upperBound))),
    ]
    if before > 0 { members.append(("before", JSONValue(before))) }
    if !last.isEmpty { members.append(("packets", .array(last.map(\.json)))) }
    return .object(members)
  }
}

extension TracePacket {
  fileprivate var json: JSONValue {
    .object([
      ("number", JSONValue(number)), ("time", .string(Timestamp.text(time))),
      ("text", .string(text)),
    ])
  }
}
