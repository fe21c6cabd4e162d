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
      let hex = step.hasOctets ? value.hex : ""
      return lines(event, step, "value", value.cells(flattensFields: true), hex)
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
}
