// The JSON of a failure, with its evidence. docs/json.md documents the keys.

package import Bluetooth
package import Documents

extension DeviceFailure.Code: JSONForm {}
extension FailureClass: JSONForm {}
extension ATTErrorCode: JSONForm {}
extension BlueZMessage.Kind: JSONForm {}

extension RunFailure: JSONForm {
  package var json: JSONValue {
    .object(
      JSONValue.members([
        "code": code.json, "class": `class`.json, "message": message.json, "what": what.json,
        "why": why.json, "where": source?.description.json, "bluez": bluez.json, "att": att?.json,
        "hint": hint.json, "place": source?.json, "expected": expectation?.expected.json,
        "got": expectation?.got.json,
        "octets": expectation.map { $0.octets.map { HexText($0) }.json }, "trace": trace?.json,
        "messages": messages.isEmpty ? nil : messages.json,
      ])
    )
  }

  package init?(json: JSONValue) {
    guard let code: DeviceFailure.Code = json.read("code"),
      let message: String = json.read("message"),
      let `class`: FailureClass = json.read("class")
    else { return nil }
    // Earlier versions wrote the operation and the reason only as one message.
    let parts = message.split(separator: ": ", maxSplits: 1).map(String.init)
    let (what, why) = parts.count == 2 ? (parts[0], parts[1]) : ("running the chain", message)
    let octets: HexText? = json.read("octets")
    self.init(
      code: code, class: `class`, what: json.read("what") ?? what, why: json.read("why") ?? why,
      bluez: json.read("bluez"), att: json.read("att"), hint: json.read("hint") ?? "",
      trace: json.read("trace"),
      expectation: json.read("expected").map {
        ExpectationFailure(expected: $0, got: json.read("got") ?? "", octets: octets?.octets)
      }
    )
    source = json.read("place")
    messages = json.read("messages") ?? []
  }
}

extension BlueZAnswer: JSONObjectForm {
  package static let form = JSONKeys<BlueZAnswer>(
    { BlueZAnswer(name: $0, text: $1) },
    .key("name", \.name),
    .usual("text", \.text, "", always: true)
  )
}

extension Place: JSONObjectForm {
  package static let form = JSONKeys<Place>(
    { Place(file: $0, line: $1, column: $2) },
    .key("file", \.file),
    .usual("line", \.line, 0),
    .usual("column", \.column, 0)
  )
}

extension BlueZMessage: JSONObjectForm {
  package static let form = JSONKeys<BlueZMessage>(
    {
      BlueZMessage(
        $1, at: $0, number: $2, object: $3, interface: $4, member: $5, error: $6, arguments: $7
      )
    },
    .time("time", \.time),
    .key("kind", \.kind),
    .optional("number", \.number),
    .optional("object", \.object),
    .optional("interface", \.interface),
    .key("member", \.member),
    .optional("error", \.error),
    .usual("arguments", \.arguments, "()", always: true)
  )
}

extension TraceSlice: JSONObjectForm {
  package static let form = JSONKeys<TraceSlice>(
    { file, first, last, from, to, before, packets in
      guard first <= last, from <= to else { return nil }
      return TraceSlice(
        file: file, packets: first...last, times: from...to, before: before, last: packets
      )
    },
    .key("file", \.file),
    .key("first", \.packets.lowerBound),
    .key("last", \.packets.upperBound),
    .time("from", \.times.lowerBound),
    .time("to", \.times.upperBound),
    .usual("before", \.before, 0),
    .usual("packets", \.last, [])
  )
}

extension TracePacket: JSONObjectForm {
  package static let form = JSONKeys<TracePacket>(
    { TracePacket(number: $0, time: $1, text: $2) },
    .key("number", \.number),
    .time("time", \.time),
    .key("text", \.text)
  )
}
