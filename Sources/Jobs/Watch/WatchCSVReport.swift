// Watched values as a table that grows, for spreadsheets and notebooks.

import Bluetooth
import Documents

/// A line for each field of each value and of each gap.
///
/// - Source: RFC 4180, with line feeds as line ends.
package struct WatchCSVReport: RunReport {
  /// The first line of a table.
  package static let header = "time,offset,device,attribute,event,field,value,unit,hex"

  package init() {}

  package func lines(for event: RunEvent) -> [String] {
    switch event.change {
    case .value(let step, let value):
      return lines(event, step, "value", fields(of: value), step.hasOctets ? value.hex : "")
    case .gap(let step, let gap):
      let fields = gap.members.map { member in
        [member.key, member.value.cell, member.key == "lasted" ? "s" : ""]
      }
      return lines(event, step, "gap", fields, "")
    case .runStarted, .stepStarted, .advertisement, .pairingDisplay, .note, .stepFinished,
      .runFinished:
      return []
    }
  }

  private func lines(
    _ event: RunEvent,
    _ step: ReportedStep,
    _ kind: String,
    _ fields: [[String]],
    _ hex: String
  ) -> [String] {
    let place = [
      Timestamp.text(event.wallClock), event.offset.decimalSeconds, event.device,
      step.attribute ?? "", kind,
    ]
    return fields.map { CSVCell.line(place + $0 + [hex]) }
  }

  /// Name, value and unit of each field; of a combined value with the name of its part.
  private func fields(of value: StepValue) -> [[String]] {
    guard case .fields(let fields)? = value.decoded else {
      return [["", value.decoded.map { JSONValue($0).cell } ?? "", ""]]
    }
    return fields.flatMap { cells($0, inside: "") }
  }

  private func cells(_ field: DecodedValue.Field, inside outer: String) -> [[String]] {
    let name = outer + field.name
    guard case .fields(let inner) = field.value else {
      return [[name, JSONValue(field.value).cell, field.unit ?? ""]]
    }
    return inner.flatMap { cells($0, inside: name + ".") }
  }
}
