// Events as JSON, one object a line. The format is documented in docs/output.md.

import Bluetooth

/// One JSON object for each event.
public struct JSONLinesReport: RunReport {
  /// The version of the format: it changes when a key changes its meaning or goes away.
  public static let version = 1

  public init() {}

  public func lines(for event: RunEvent) -> [String] {
    var members = EventMembers()
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
