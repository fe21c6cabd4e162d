// Events as rows of CSV.

import Documents
import RunEvents

/// Rows of CSV, with one measured number each.
enum ValueTable {
  static let columns = [
    "run", "chain", "device", "attempt", "step", "operation", "attribute", "time", "offset",
    "event", "status", "field", "value", "hex", "error", "name",
  ]

  static var head: String { columns.joined(separator: ",") }

  /// The rows of an event: one for each field of a value, none for the start of a step and for notes.
  static func rows(of event: StoredEvent, _ chain: ExportedChain, run: Int64) -> [String] {
    switch event.kind {
    case .stepStarted, .note: return []
    case .runStarted, .value, .pairingDisplay, .gap, .stepFinished, .runFinished: break
    }
    let before = [
      "\(run)", "\(chain.number)", chain.device, "\(event.attempt)", event.position ?? "",
      event.operation ?? "", event.attribute ?? "", event.time,
      Duration.microseconds(event.offset).decimalSeconds, event.kind.rawValue, event.status ?? "",
    ]
    let after = [event.hex ?? "", event.error?["code"]?.cell ?? "", chain.deviceName ?? ""]
    return fields(of: event).map { CSVCell.line(before + [$0.key, $0.value.cell] + after) }
  }

  /// The fields of a value, of a gap, or of the result of a step.
  private static func fields(of event: StoredEvent) -> JSONMembers {
    let value = event.kind == .stepFinished ? event.json?["value"] : event.json
    guard case .object(let fields)? = value else { return [.init("", value ?? .null)] }
    return fields
  }
}
