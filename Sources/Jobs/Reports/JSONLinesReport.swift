// Events as JSON, one object a line. The format is documented in docs/output.md.

import Bluetooth

/// One JSON object for each event.
public struct JSONLinesReport: RunReport {
  /// The version of the format: it changes when a key changes its meaning or goes away.
  public static let version = 1

  public init() {}

  public func lines(for event: RunEvent) -> [String] {
    var members = Members()
    members.add("v", .number("\(Self.version)"))
    members.add("event", .string(event.change.name))
    members.add("time", .string(Timestamp.text(event.wallClock)))
    members.add("offset", .number(event.offset.decimalSeconds))
    members.add("run", .string(event.run.description))
    members.add("device", .string(event.device))
    if event.attempt > 1 { members.add("attempt", JSONValue(event.attempt)) }
    switch event.change {
    case .runStarted(let start): members.add(start)
    case .stepStarted(let placed): members.add(placed)
    case .value(let placed, let value):
      members.add(placed)
      members.add(value, withOctets: placed.step.characteristic != nil)
    case .pairingDisplay(let placed, let display):
      if let placed { members.add(placed) }
      members.add("show", .string(display.kind))
      members.add("value", .string(display.digits))
    case .gap(let placed, let gap):
      members.add(placed)
      members.add(gap)
    case .stepFinished(let result):
      members.add(result.placed)
      members.add("status", .string(result.status.rawValue))
      members.add(result.outcome, withOctets: result.placed.step.characteristic != nil)
      members.add(result.failure)
    case .runFinished(let ending):
      members.add("status", .string(ending.status.rawValue))
      members.add("exitStatus", .number("\(ending.exitStatus.rawValue)"))
      members.add(ending.failure)
    }
    return [JSONValue.object(members.list).text]
  }
}

extension RunEvent.Change {
  /// The event's name in output.
  fileprivate var name: String {
    switch self {
    case .runStarted: "run-started"
    case .stepStarted: "step-started"
    case .value: "value"
    case .pairingDisplay: "pairing-display"
    case .gap: "gap"
    case .stepFinished: "step-finished"
    case .runFinished: "run-finished"
    }
  }
}

extension PairingDisplay {
  /// What is shown, in one word.
  fileprivate var kind: String {
    switch self {
    case .passkey: "passkey"
    case .pin: "pin"
    }
  }
}

/// The keys of one object, in order.
private struct Members {
  private(set) var list: [(key: String, value: JSONValue)] = []

  mutating func add(_ key: String, _ value: JSONValue) { list.append((key, value)) }

  mutating func add(_ start: RunStart) {
    add("seed", .number("\(start.seed)"))
    add("chain", start.chain.map { .string($0) } ?? .null)
    add("steps", JSONValue(start.steps))
  }

  mutating func add(_ placed: PlacedStep) {
    add("step", .string(placed.position.description))
    add("operation", .string(placed.step.operation))
    if let target = placed.step.attribute { add("attribute", .string(target)) }
    if case .exchange(let exchanging) = placed.step.action {
      add("written", .string(exchanging.write.target.description))
    }
  }

  mutating func add(_ outcome: StepOutcome?, withOctets: Bool) {
    switch outcome {
    case .linked(let origin)?: add("link", .string(origin == .made ? "made" : "found"))
    case .value(let value)?: add(value, withOctets: withOctets)
    case .paired(let pairing)?: add("pairing", .string(pairing.rawValue))
    case .written(let octets)?: add("hex", Self.hex(octets))
    case .listened(let count, let rate, let dropped)?:
      var members = [("count", JSONValue(count)), ("rate", JSONValue(rate))]
      if dropped > 0 { members.append(("dropped", JSONValue(dropped))) }
      add("value", .object(members))
    case .polled(let summary)?:
      let latency = summary.latencies.map { times -> JSONValue in
        .object([
          ("p50", .number(times.p50.decimalSeconds)), ("p95", .number(times.p95.decimalSeconds)),
          ("p99", .number(times.p99.decimalSeconds)),
        ])
      }
      add(
        "value",
        .object([
          ("count", JSONValue(summary.count)), ("rate", JSONValue(summary.rate)),
          ("latency", latency ?? .null),
        ])
      )
    case .exchanged(let value, let answered, let notified)?:
      add(value, withOctets: withOctets)
      add("answered", .number(answered.decimalSeconds))
      add("notified", .number(notified.decimalSeconds))
    case .mtu(let octets)?: add("value", JSONValue(octets))
    case .services(let services)?: add("value", .array(services.map { JSONValue($0) }))
    case .scanned(let found)?:
      let devices = JSONValue.array(found.map { JSONValue($0) })
      add("value", .object([("count", JSONValue(found.count)), ("devices", devices)]))
    case .said(let text)?: add("value", .string(text))
    case nil: break
    }
  }

  mutating func add(_ gap: NotificationGap) {
    switch gap.cause {
    case .linkLost: add("cause", .string("link-lost"))
    case .overflow: add("cause", .string("overflow"))
    }
    add("lasted", .number(gap.lasted.decimalSeconds))
    add("dropped", JSONValue(gap.dropped))
  }

  /// - Parameter withOctets: Whether the value came in octets; a strength of the link did not.
  mutating func add(_ value: StepValue, withOctets: Bool) {
    add("value", value.decoded.map { JSONValue($0) } ?? .null)
    if withOctets { add("hex", Self.hex(value.octets)) }
  }

  mutating func add(_ failure: RunFailure?) {
    guard let failure else { return }
    let bluez = failure.bluez.map { answer -> JSONValue in
      .object([("name", .string(answer.name)), ("text", .string(answer.text))])
    }
    add(
      "error",
      .object(
        [
          ("code", .string(failure.code.rawValue)),
          ("class", .string(failure.class.rawValue)),
          ("message", .string(failure.message)),
          ("bluez", bluez ?? .null),
          ("hint", .string(failure.hint)),
        ] + (failure.expectation.map { Self.members(of: $0) } ?? [])
          + (failure.trace.map { [("trace", $0.json)] } ?? [])
      )
    )
  }

  private static func members(of failure: ExpectationFailure) -> [(key: String, value: JSONValue)] {
    [
      ("expected", .string(failure.expected)), ("got", .string(failure.got)),
      ("octets", failure.octets.map { hex($0) } ?? .null),
    ]
  }

  private static func hex(_ octets: [UInt8]) -> JSONValue {
    .string(DecodedValue.octets(octets).description)
  }
}
