// The contents of events as keys and values of JSON. The format is documented in docs/json.md.
//
// The reports decide which event has which keys.

package import Bluetooth
import Documents

extension PairingDisplay {
  /// The kind of display, in one word.
  var kind: String {
    switch self {
    case .passkey: "passkey"
    case .pin: "pin"
    }
  }
}

/// The keys of one object, in order, with the names in docs/json.md.
package struct EventMembers {
  package private(set) var list: [(key: String, value: JSONValue)] = []

  package init() {}

  package mutating func add(_ key: String, _ value: JSONValue) { list.append((key, value)) }

  mutating func add(_ start: RunStart) {
    add("seed", .number("\(start.seed)"))
    if let file = start.file { add("file", .string(file)) }
    add("chain", start.chain.map { .string($0) } ?? .null)
    add("steps", JSONValue(start.steps))
  }

  mutating func add(_ step: ReportedStep) {
    add("step", .string(step.position.description))
    if let label = step.label { add("name", .string(label)) }
    add("operation", .string(step.operation))
    if let attribute = step.attribute { add("attribute", .string(attribute)) }
    if let written = step.written { add("written", .string(written)) }
  }

  /// How a step ended, without the step.
  package mutating func add(_ result: StepResult) {
    add("status", .string(result.status.rawValue))
    add(result.outcome, withOctets: result.step.hasOctets)
    add(notes: result.notes)
    add(tries: result.tries)
    add(result.failure)
  }

  package mutating func add(notes: [String]) {
    if !notes.isEmpty { add("notes", .array(notes.map { .string($0) })) }
  }

  package mutating func add(tries: [StepTry]) {
    if !tries.isEmpty { add("tries", .array(tries.map(\.json))) }
  }

  package mutating func add(_ outcome: StepOutcome?, withOctets: Bool) {
    switch outcome {
    case .linked(let origin, let candidates)?:
      add("link", .string(origin.rawValue))
      if !candidates.isEmpty { add("candidates", .array(candidates.map(\.json))) }
    case .left?: add("link", .string("left"))
    case .value(let value)?: add(value, withOctets: withOctets)
    case .paired(.paired(let isAuthenticated))?:
      add("pairing", .string("paired"))
      add("authenticated", .boolean(isAuthenticated))
    case .paired(.already)?: add("pairing", .string("already"))
    case .written(let octets)?: add("hex", Self.hex(octets))
    case .listened(let count, let rate, let dropped)?:
      var members = [("count", JSONValue(count)), ("rate", JSONValue(rate))]
      if dropped > 0 { members.append(("dropped", JSONValue(dropped))) }
      add("value", .object(members))
    case .polled(let summary)?: add("value", summary.json)
    case .exchanged(let value, let answered, let notified)?:
      add(value, withOctets: withOctets)
      add("answered", .number(answered.decimalSeconds))
      add("notified", .number(notified.decimalSeconds))
    case .mtu(let octets)?: add("value", JSONValue(octets))
    case .services(let services, let names)?:
      add("value", .array(services.map { JSONValue($0, names) }))
    case .scanned(let found)?:
      let devices = JSONValue.array(found.map { JSONValue($0) })
      add("value", .object([("count", JSONValue(found.count)), ("devices", devices)]))
    case .logged(let text)?: add("value", .string(text))
    case nil: break
    }
  }

  package mutating func add(_ gap: NotificationGap) {
    switch gap.cause {
    case .linkLost: add("cause", .string("link-lost"))
    case .overflow: add("cause", .string("overflow"))
    case .output: add("cause", .string("output"))
    }
    add("lasted", .number(gap.lasted.decimalSeconds))
    add("dropped", JSONValue(gap.dropped))
  }

  /// - Parameter withOctets: Whether the value came in octets; an RSSI did not.
  mutating func add(_ value: StepValue, withOctets: Bool) {
    add("value", value.decoded.map { JSONValue($0) } ?? .null)
    guard withOctets else { return }
    add("hex", .string(value.hex))
    if let problem = value.problem { add("problem", .string(problem)) }
  }

  package mutating func add(_ failure: RunFailure?) {
    if let failure { add("error", failure.json) }
  }

  private static func hex(_ octets: [UInt8]) -> JSONValue {
    .string(DecodedValue.octets(octets).description)
  }
}

extension StepValue {
  /// Its octets in hexadecimal digits.
  package var hex: String { DecodedValue.octets(octets).description }
}

extension RunFailure {
  /// The failure for output.
  package var json: JSONValue {
    let answer = bluez.map { answer -> JSONValue in
      .object([("name", .string(answer.name)), ("text", .string(answer.text))])
    }
    var members = EventMembers()
    members.add("code", .string(code.rawValue))
    members.add("class", .string(`class`.rawValue))
    members.add("message", .string(message))
    members.add("bluez", answer ?? .null)
    if let att { members.add("att", JSONValue(Int(att.rawValue))) }
    members.add("hint", .string(hint))
    if let source { members.add("place", source.json) }
    for (key, value) in expectation?.members ?? [] { members.add(key, value) }
    if let trace { members.add("trace", trace.json) }
    if !messages.isEmpty { members.add("messages", .array(messages.map(\.json))) }
    return .object(members.list)
  }
}

extension DeviceCandidate {
  /// The device for output.
  fileprivate var json: JSONValue {
    .object([
      ("address", .string("\(address)")), ("name", name.map { .string($0) } ?? .null),
      ("rssi", rssi.map { JSONValue($0) } ?? .null),
    ])
  }
}

extension StepTry {
  /// The try for output.
  fileprivate var json: JSONValue {
    var members = EventMembers()
    members.add("offset", .number(began.decimalSeconds))
    members.add("took", .number(took.decimalSeconds))
    if let why { members.add("why", .string(why)) }
    return .object(members.list)
  }
}

extension BlueZMessage {
  fileprivate var json: JSONValue {
    let parts: [(String, JSONValue?)] = [
      ("time", .string(Timestamp.text(time))), ("kind", .string(kind.rawValue)),
      ("number", number.map { JSONValue($0) }), ("object", object.map { .string($0) }),
      ("interface", interface.map { .string($0) }), ("member", .string(member)),
      ("error", error.map { .string($0) }), ("arguments", .string(arguments)),
    ]
    return .object(parts.compactMap { key, value in value.map { (key: key, value: $0) } })
  }
}

extension Place {
  /// Without the parts that are unknown.
  fileprivate var json: JSONValue {
    let parts = [("line", line), ("column", column)].filter { $0.1 > 0 }
    return .object([("file", .string(file))] + parts.map { ($0, JSONValue($1)) })
  }
}

extension ExpectationFailure {
  fileprivate var members: [(key: String, value: JSONValue)] {
    [
      ("expected", .string(expected)), ("got", .string(got)),
      ("octets", octets.map { .string(DecodedValue.octets($0).description) } ?? .null),
    ]
  }
}

extension PollSummary {
  fileprivate var json: JSONValue {
    let latency = latencies.map { times -> JSONValue in
      .object([
        ("p50", .number(times.p50.decimalSeconds)), ("p95", .number(times.p95.decimalSeconds)),
        ("p99", .number(times.p99.decimalSeconds)),
      ])
    }
    return .object([
      ("count", JSONValue(count)), ("rate", JSONValue(rate)), ("latency", latency ?? .null),
    ])
  }
}
