// The values of a batch as one table: a row for each device, a column for each value of a step.
//
// Streams and steps in repetitions have many values, which the sections of the devices show.

import Bluetooth
import RunEvents

/// A column of the table: the value of a step, or a field of it.
private struct ValueColumn: Hashable {
  let position: StepPosition
  let name: String
}

extension ReportPage {
  /// The maximum number of columns with values; a wider table cannot be read at a glance.
  private static let columnLimit = 12
  private static let device = PageMarkup.Column(title: "Device", name: "title", isHead: true)

  /// A table of the values of all devices; empty for a single one, and if no step has one value.
  var values: [String] {
    mutating get {
      guard runs.count > 1, runs[0].kind == .device else { return [] }
      let found = runs.map { Self.values(of: $0) }
      var known: Set<ValueColumn> = []
      let all = found.joined().map { $0.column }.filter { known.insert($0).inserted }
      let shown = all.prefix(Self.columnLimit)
      // Only this many devices have a section to link to.
      let count = shown.isEmpty ? 0 : min(room.cells / shown.count, Room().runs)
      guard count > 0 else { return [] }
      let indices = order.prefix(count)
      room.cells -= indices.count * shown.count
      let names = Dictionary(all.map { ($0.name, 1) }, uniquingKeysWith: +)
      let columns = shown.map { column in
        let step = names[column.name, default: 1] > 1 ? " (step \(column.position))" : ""
        return PageMarkup.Column(title: PageMarkup.text(column.name + step), name: "value")
      }
      let rows = indices.map { index in
        let texts = Dictionary(found[index].map { ($0.column, $0.text) }) { $1 }
        return row(index, zip(columns, shown).map { $0.cell(texts[$1] ?? "") })
      }
      let rest =
        Self.omission(all.count - shown.count) { count in
          "\(PageMarkup.counted(count, "more value")) of each device not listed here."
        }
        + Self.omission(runs.count - indices.count) { count in
          "\(PageMarkup.counted(count, "more device")) not listed here."
        }
      return ["<section id=\"values\">", "<h2>Values</h2>"]
        + PageMarkup.table(
          "Values of the devices", class: "fields", columns: [Self.device, Self.status] + columns,
          rows: rows
        ) + rest + ["</section>"]
    }
  }

  private func row(_ index: Int, _ values: [String]) -> String {
    let status = Self.status(runs[index])
    let link = "<a href=\"#\(Self.anchor(index))\">\(PageMarkup.text(runs[index].label))</a>"
    return PageMarkup.row(
      [Self.device.cell(link), Self.status.cell(status, status: status)] + values
    )
  }

  /// The values of the steps that have one, and those of their fields, as markup.
  private static func values(of run: RecordedRun) -> [(column: ValueColumn, text: String)] {
    run.steps.flatMap { step -> [(ValueColumn, String)] in
      // A stream has a single value only as its result: `throughput` has one.
      guard case .value(let value)? = step.outcome, !step.position.isTurn else { return [] }
      let name = step.reported.label ?? step.reported.attribute ?? step.reported.operation
      let fields: [(String, String)]
      if case .fields(let parts)? = value.decoded?.only, !parts.isEmpty {
        fields = parts.map { ("\(name) \($0.name)", $0.quantity) }
      } else {
        fields = [(name, TextReport.text(value))]
      }
      return fields.map { name, text in
        (ValueColumn(position: step.position, name: name), PageMarkup.text(text, limit: 80))
      }
    }
  }
}
