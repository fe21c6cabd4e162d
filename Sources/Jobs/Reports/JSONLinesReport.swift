// Events as JSON, one object per line. The format is documented in docs/json.md.

import Bluetooth

/// One JSON object for each event.
public struct JSONLinesReport: RunReport {
  /// The version of the format: it changes when a key changes its meaning or is removed.
  public static let version = 1

  /// A report without settings.
  ///
  /// ```swift
  /// let json = JSONLinesReport()
  /// _ = try await plan.run(on: sensor) { event in json.lines(for: event).forEach { print($0) } }
  /// ```
  public init() {}

  public func lines(for event: RunEvent) -> [String] {
    var members = EventMembers()
    members.add("v", .number("\(Self.version)"))
    members.add("event", .string(event.change.name))
    members.add("time", .string(Timestamp.text(event.wallClock)))
    members.add("offset", .number(event.offset.decimalSeconds))
    members.add("run", .string(event.run.description))
    members.add("device", .string(event.device))
    if let name = event.deviceName { members.add("deviceName", .string(name)) }
    if event.attempt > 1 { members.add("attempt", JSONValue(event.attempt)) }
    switch event.change {
    case .runStarted(let start): members.add(start)
    case .stepStarted(let step): members.add(step)
    case .value(let step, let value):
      members.add(step)
      members.add(value, withOctets: step.hasOctets)
    case .advertisement(let step, let device):
      members.add(step)
      members.add("value", JSONValue(device))
    case .pairingDisplay(let step, let display):
      if let step { members.add(step) }
      members.add("show", .string(display.kind))
      members.add("value", .string(display.digits))
    case .gap(let step, let gap):
      members.add(step)
      members.add(gap)
    case .note(let text): members.add("text", .string(text))
    case .stepFinished(let result):
      members.add(result.step)
      members.add(result)
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
    case .value, .advertisement: "value"
    case .pairingDisplay: "pairing-display"
    case .gap: "gap"
    case .note: "note"
    case .stepFinished: "step-finished"
    case .runFinished: "run-finished"
    }
  }
}
