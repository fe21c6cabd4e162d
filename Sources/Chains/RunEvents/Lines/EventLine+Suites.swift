// The events of a suite as JSON. docs/nrf-connect.md documents the format.

import Bluetooth
import Documents

extension EventLine {
  /// Creates the line of an event of a suite; nil for one without. The value of an operation is in the
  /// line of its end.
  init?(inSuite event: RunEvent) {
    guard let (name, members) = event.lineInSuite else { return nil }
    self.init(
      name,
      [
        "time": Timestamp.text(event.wallClock), "offset": event.offsetInGroup,
        "run": event.run.description,
      ],
      and: (event.test.map { [.init("test", $0.index.json)] } ?? []) + members
    )
  }
}

extension RunEvent {
  fileprivate var lineInSuite: (String, JSONMembers)? {
    switch change {
    case .run(.groupStarted(let group)):
      let members = JSONValue.members([
        "seed": run.seed.json, "suite": .some(group.title.json), "tests": group.count.json,
      ])
      return ("suite-started", members)
    case .run(.started): return ("test-started", test?.members ?? [])
    case .step(.started(let step)): return ("operation-started", step.membersInSuite)
    case .data(let step, .advertisement(let device)):
      let members = JSONValue.members([
        "device": JSONValue(device), "data": device.packetText.json,
      ])
      return ("heard", step.membersInSuite + members)
    case .data(_, .value), .data(_, .gap): return nil
    case .remark(.pairingDisplay(let step, let display)):
      let digits = JSONValue.Member("value", display.digits.json)
      return ("pairing-display", (step?.membersInSuite ?? []) + [digits])
    case .remark(.note(let text)): return ("note", [.init("text", text.json)])
    case .step(.finished(let result)):
      return ("operation-finished", result.step.membersInSuite + result.members)
    case .run(.finished(let ending)):
      let members = JSONValue.members([
        "status": ending.status.json, "done": ending.done.json, "warnings": ending.warnings.json,
        "error": ending.failure?.json,
      ])
      return ("test-finished", (test?.members ?? []) + members)
    case .run(.groupFinished(let ending)):
      let members = JSONValue.members([
        "status": ending.status.json, "exitStatus": ending.exitStatus.rawValue.json,
        "passed": ending.passed.json, "failed": ending.count(.failed).json,
        "cancelled": ending.count(.cancelled).json, "notRun": ending.notRun.json,
        "warnings": ending.warnings.json,
      ])
      return ("suite-finished", members)
    }
  }
}

extension RunEvent.Test {
  fileprivate var members: JSONMembers {
    JSONValue.members([
      "id": id.json, "title": title.json, "description": description?.json,
    ])
  }
}

extension ReportedStep {
  fileprivate var membersInSuite: JSONMembers {
    JSONValue.members([
      "number": .number(position.description), "operation": operation.json, "title": label?.json,
      "target": target?.id.json, "attribute": attribute?.json,
    ])
  }
}
